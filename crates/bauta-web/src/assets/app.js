// What makes the pages livelier. Every page works without it: forms are sent, links are followed.
"use strict";
(() => {
  const parser = new DOMParser();

  // What the keyboard reaches, and what tells it apart.
  const reachable = () => [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")];
  const signature = (one) => [one.tagName, one.id, one.name, one.type === "checkbox" ? one.value : "", one.getAttribute("href"),
    one.getAttribute("aria-label"), one.tagName === "BUTTON" ? one.textContent : ""].join("|");

  // Puts a fresh page in place of the present one, and keeps the place of the reader.
  function show(text, address) {
    const fresh = parser.parseFromString(text, "text/html");
    const active = document.activeElement;
    const found = active ? signature(active) : null;
    const at = found ? reachable().filter((one) => signature(one) === found).indexOf(active) : -1;
    const top = active?.getBoundingClientRect().top;
    const { scrollX, scrollY } = window;
    const boxes = () => [...document.querySelectorAll(".scroll, .boxes, .beside > .help")];
    const scrolled = boxes().map((one) => [one.scrollLeft, one.scrollTop]);
    document.title = fresh.title;
    document.body.replaceChildren(...fresh.body.childNodes);
    if (address && address !== location.href) history.pushState(null, "", address);
    boxes().forEach((one, at) => {
      if (scrolled[at]) [one.scrollLeft, one.scrollTop] = scrolled[at];
    });
    window.scrollTo(scrollX, scrollY);
    const alike = at < 0 ? [] : reachable().filter((one) => signature(one) === found);
    const again = alike[Math.min(at, alike.length - 1)];
    if (again) {
      again.focus({ preventScroll: true });
      // What was under the eyes stays there, whatever came in above it.
      window.scrollBy(0, again.getBoundingClientRect().top - top);
    }
    ready();
  }

  // What was written into a form while an older state of it was on its way must not be lost.
  let edits = 0;
  document.addEventListener("input", () => { edits += 1; }, true);
  document.addEventListener("change", () => { edits += 1; }, true);

  async function send(form, submitter) {
    const fields = new URLSearchParams(new FormData(form, submitter));
    const isGet = form.method === "get";
    const address = isGet ? `${form.action.split("?")[0]}?${fields}` : form.action;
    const sent = edits;
    const answer = await fetch(address, isGet ? {} : { method: "POST", body: fields });
    const text = await answer.text();
    const isOurs = answer.ok || answer.status === 422 || answer.status === 409;
    if (!isOurs) throw new Error(`status ${answer.status}`);
    if (edits !== sent && form.isConnected && answer.ok) {
      // Only the version is new; what was written meanwhile stays, and is sent by its own change.
      const fresh = parser.parseFromString(text, "text/html");
      const version = fresh.querySelector("input[name=version]")?.value;
      if (version) for (const one of document.querySelectorAll("input[name=version]")) one.value = version;
      return;
    }
    show(text, answer.url === form.action && !isGet ? location.href : answer.url);
  }

  // Forms that are sent as soon as something in them changes, one after the other: each answer brings the version that
  // the next one is made for.
  let sending = Promise.resolve();
  let waiting = 0;
  function live(form) {
    form.addEventListener("change", () => {
      waiting += 1;
      sending = sending.then(() => (form.isConnected ? send(form) : null)).catch(lost).finally(() => { waiting -= 1; });
    });
  }

  // Whoever leaves while a change is on its way leaves when it has come.
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    if (!waiting || !link || link.target || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    sending.then(() => { location.href = link.href; });
  });

  // What stands in a form and was not sent is asked about before the page is left.
  let isSent = false;
  document.addEventListener("submit", (event) => { isSent = event.target.matches(".stacked-form") || isSent; });
  window.addEventListener("beforeunload", (event) => {
    const fields = document.querySelectorAll(".stacked-form :is(input, select, textarea), [data-check]");
    if (!isSent && [...fields].some(isChanged)) event.preventDefault();
  });

  function lost(first) {
    document.querySelector("#lost")?.remove();
    const said = document.createElement("p");
    said.id = "lost";
    said.className = "problems";
    said.setAttribute("role", "alert");
    const what = typeof first === "string" ? first : "";
    said.textContent = `${what}The app does not answer this page. Is \`bauta serve\` still running? If it was started again, open the address that it printed in another tab; what stands here stays. What was saved is in the plan file.`;
    document.querySelector("main")?.prepend(said);
  }

  // What is wrong with the plan's text, while it is written.
  function checked(area) {
    let timer = 0;
    let asked = 0;
    area.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(async () => {
        const now = (asked += 1);
        const fields = new URLSearchParams(new FormData(area.form));
        try {
          const answer = await fetch(area.dataset.check, { method: "POST", body: fields });
          if (answer.ok && now === asked) document.querySelector("#problems").innerHTML = await answer.text();
        } catch { lost(); }
      }, 300);
    });
    // The text is sent from the page and not by leaving it: where it is refused, nothing of it is lost.
    area.form.addEventListener("submit", async (event) => {
      event.preventDefault();
      try {
        await send(area.form, event.submitter);
      } catch { lost("The text was not saved. "); }
    });
    document.querySelector("#problems").addEventListener("click", (event) => {
      const line = event.target.closest("[data-line]")?.dataset.line;
      if (!line) return;
      const lines = area.value.split("\n");
      const start = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
      area.focus();
      area.setSelectionRange(start, start + lines[line - 1].length);
    });
  }

  // Steps are dragged to another place; the buttons do the same from the keyboard.
  function draggable(list) {
    let from = null;
    list.addEventListener("dragstart", (event) => {
      from = event.target.closest?.(".step");
      event.dataTransfer?.setData("text/plain", from?.dataset.number ?? "");
    });
    list.addEventListener("dragover", (event) => {
      const over = event.target.closest(".step");
      if (!from || !over) return;
      event.preventDefault();
      for (const one of list.children) one.classList.toggle("over", one === over && one !== from);
    });
    list.addEventListener("drop", (event) => {
      const to = event.target.closest(".step");
      if (!from || !to || from === to) return;
      event.preventDefault();
      const form = document.createElement("form");
      form.method = "post";
      form.action = list.dataset.move;
      const known = list.querySelector("form");
      for (const name of ["token", "version"]) field(form, name, known.elements[name].value);
      field(form, "from", from.dataset.number);
      field(form, "to", to.dataset.number);
      document.body.append(form);
      send(form).catch(lost);
    });
    list.addEventListener("dragend", () => {
      from = null;
      for (const one of list.children) one.classList.remove("over");
    });
  }

  function field(form, name, value) {
    const input = document.createElement("input");
    input.type = "hidden";
    input.name = name;
    input.value = value;
    form.append(input);
  }

  // What is going on in the background. One tab listens for all of them: a browser opens few connections to a server,
  // and one that is kept open for each tab would leave none for the pages.
  let last = null;
  const others = new BroadcastChannel("bauta");
  others.onmessage = ({ data }) => {
    if (data !== "ask") hear(data);
    else if (last) others.postMessage(last);
  };

  function listen() {
    return new Promise(() => {
      const events = new EventSource("/events");
      events.onmessage = ({ data }) => {
        last = JSON.parse(data);
        others.postMessage(last);
        hear(last);
      };
    });
  }

  function hear(all) {
    const strip = document.querySelector("#jobs");
    if (!strip) return;
    const told = all[strip.dataset.plan] ?? { going: [], ended: 0, n_ended: 0 };
    for (const job of told.going) tell(job);
    // What the page was made for is written in it: something may have ended before the first word came.
    const state = `${told.going.map((job) => job.id).join(" ")}/${told.ended}/${told.n_ended}`;
    if (state !== strip.dataset.state) again().catch(lost);
  }

  // A page that somebody is writing on keeps all but what it says of the background.
  function isBeingWritten() {
    const active = document.activeElement;
    if (active?.matches?.("textarea, input[type=text]")) return true;
    const fields = document.querySelectorAll(".stacked-form :is(input, select, textarea), [data-check]");
    return [...fields].some(isChanged);
  }

  function isChanged(field) {
    if (field.type === "hidden") return false;
    if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
    if (field.options) return [...field.options].some((one) => one.selected !== one.defaultSelected) && field.selectedIndex !== 0;
    return field.value !== field.defaultValue;
  }

  function tell(job) {
    const line = document.querySelector(`[data-job="${job.id}"]`);
    if (!line) return;
    const bar = line.querySelector("progress");
    if (bar && job.percent !== null) bar.value = job.percent;
    line.querySelector(".left").textContent = job.left;
  }

  let asking = null;
  function again() {
    asking ??= (async () => {
      const before = edits;
      const answer = await fetch(location.href);
      const text = await answer.text();
      asking = null;
      if (!answer.ok) return;
      if (!isBeingWritten() && before === edits) {
        show(text);
        return;
      }
      const strip = parser.parseFromString(text, "text/html").querySelector("#jobs");
      if (strip) document.querySelector("#jobs")?.replaceWith(strip);
    })().finally(() => { asking = null; });
    return asking;
  }

  function ready() {
    document.querySelectorAll("form[data-live]").forEach(live);
    document.querySelectorAll("[data-check]").forEach(checked);
    document.querySelectorAll("[data-move]").forEach(draggable);
    if (last) hear(last);
  }

  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    // In a field the keys mean the text that is being written.
    if (event.target.closest?.("input:not([type=checkbox]), textarea, select")) return;
    const key = event.key.toLowerCase();
    const isRedo = key === "y" || (key === "z" && event.shiftKey);
    const button = document.querySelector(isRedo ? "#redo" : key === "z" ? "#undo" : null);
    if (!button || button.disabled) return;
    event.preventDefault();
    button.click();
  });

  window.addEventListener("popstate", () => again().catch(lost));
  document.addEventListener("DOMContentLoaded", () => {
    ready();
    if (!document.querySelector("#jobs")) return;
    others.postMessage("ask");
    if (navigator.locks) navigator.locks.request("bauta-events", listen);
    else listen();
  });
})();
