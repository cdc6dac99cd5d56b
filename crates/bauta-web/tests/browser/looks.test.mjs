// Every page in two widths and two themes: nothing that axe-core finds serious, nothing cut off, no complaint of the browser.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { Server, folderFor, until } from "./app.mjs";
import { DEMO, Visit, endBrowser } from "./browser.mjs";
import { axe } from "./packages.mjs";
import { rawSurvey } from "./survey.mjs";

/** What is to be ended when all pages have been looked at. */
const ends = [];
const lasting = { after: (end) => ends.push(end) };
after(async () => {
  for (const end of ends.reverse()) await end();
  await endBrowser();
});

const LOOKS = [[1280, "light"], [1280, "dark"], [400, "light"], [400, "dark"]];
/** Where pictures of all pages are put, if somebody wants to look at them. */
const PICTURES = process.env.BAUTA_LOOKS;

let folder;
let server;

/** All pages, each with how it comes to be; a path from `/`, or below the plan. */
const plan = (end) => `/p/${encodeURIComponent(DEMO)}/${end}`;
const PAGES = {
  "open": "/", "begin": "/begin?file=people.csv", "variables": plan("variables"), "one variable": plan("variables/age"),
  "scenarios": plan("scenarios"), "scenarios without keys": plan("scenarios?chosen=yes"), "steps": plan("steps"), "file and release": plan("file"),
  "measures and conditions": plan("conditions"), "add a step": plan("steps/add"),
  "a step": plan("steps/5"), "a new step": plan("steps/new/recode"), "a new step with many parameters": plan("steps/new/noise-additive"),
  "a preview": plan("steps/3"), "run": plan("run"), "tables of a run": plan("runs/1/tables"),
  "compare one run": plan("compare?runs=1"), "compare two runs": plan("compare?runs=1&runs=2"), "release": plan("release"),
  "text": plan("text"), "history": plan("history"), "a version": plan("history/1"), "help with the app": "/help/app",
  "help with plans": "/help/plan", "help with a method": "/help/suppress-local",
  "text with mistakes": "/p/wrong.toml/text", "steps of a plan with mistakes": "/p/wrong.toml/steps",
  "a plan that cannot be read": "/p/unreadable.toml/variables",
};
/** Pages that come with a status which the console complains of. */
const ERRORS = { "no such page": ["/nothing", 404], "no such plan": ["/p/none.toml/steps", 404], "no such step": [plan("steps/99"), 404] };

before(async () => {
  folder = folderFor(lasting);
  rawSurvey(folder);
  fs.writeFileSync(path.join(folder, "wrong.toml"), '[data]\nfile = "people.csv"\n[variables]\nsexx = { role = "key" }\n[[step]]\nmask = "recod"\n');
  fs.writeFileSync(path.join(folder, "unreadable.toml"), '[data\nfile = "people.csv"\n');
  server = await Server.start(lasting, folder);
  const visit = await Visit.begin(lasting, { server });
  await visit.openDemo();
  await visit.run();
  await visit.go("steps/5");
  await visit.page.getByLabel("k", { exact: true }).fill("5");
  await visit.changes(() => visit.page.getByRole("button", { name: "Save the step" }).click());
  await visit.run();
  await visit.go("release");
  await visit.page.getByRole("button", { name: /^Release / }).click();
  await visit.page.getByRole("region", { name: "Released" }).waitFor({ timeout: 120_000 });
  await visit.go("steps/3");
  await visit.page.getByRole("button", { name: "Try it on 2000 records" }).click();
  // Asked for again and again, so that every page is there as it is when nothing goes on.
  for (const [page, said] of [["steps/3", /A sample: 2000/], ["variables", /different/], ["scenarios", /Smallest group/]]) {
    await until(page, async () => {
      await visit.go(page);
      return said.test(await visit.page.locator("main").innerText()) && await visit.page.locator(".job").count() === 0;
    }, 60_000);
  }
});

/** What axe-core finds that keeps people out. */
async function findings(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => globalThis.axe.run(document, { iframes: false, resultTypes: ["violations"] }));
  const grave = found.violations.filter((one) => one.impact === "serious" || one.impact === "critical");
  return grave.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.target.join(" ")} (${node.any[0]?.message ?? node.all[0]?.message ?? ""})`).join("; ")}`);
}

/** What does not fit: the page itself, texts that are wider or higher than their place, and what lies outside the screen. */
async function unfit(page) {
  return page.evaluate(() => {
    const root = document.documentElement;
    const said = [];
    if (root.scrollWidth > root.clientWidth) said.push(`the page is ${root.scrollWidth} px wide in ${root.clientWidth}`);
    const scrolls = (one) => {
      for (let up = one; up; up = up.parentElement) {
        const { overflowX } = getComputedStyle(up);
        if (overflowX === "auto" || overflowX === "scroll") return true;
      }
      return false;
    };
    const named = (one) => `${one.tagName.toLowerCase()}${one.className && typeof one.className === "string" ? `.${one.className.split(" ").join(".")}` : ""} "${one.textContent.trim().slice(0, 40)}"`;
    for (const one of document.querySelectorAll("body *")) {
      const style = getComputedStyle(one);
      const box = one.getBoundingClientRect();
      if (box.width === 0 || box.height === 0 || style.visibility === "hidden" || box.right < 0) continue;
      if (box.right > root.clientWidth + 1 && !scrolls(one.parentElement)) said.push(`${named(one)} ends at ${Math.round(box.right)} px`);
      // A field that is longer than its text has room for scrolls with the cursor.
      const isCut = (style.overflowX === "hidden" || style.overflowX === "clip") && one.scrollWidth > one.clientWidth + 1
        || (style.overflowY === "hidden" || style.overflowY === "clip") && one.scrollHeight > one.clientHeight + 1;
      if (isCut && !["svg", "OPTION", "INPUT"].includes(one.tagName)) said.push(`${named(one)} is cut off`);
      if (one.tagName === "BUTTON" && one.scrollWidth > one.clientWidth + 1) said.push(`${named(one)} is wider than its button`);
    }
    // Tables scroll sideways on a small screen; the one that is a form is stacked there and must not.
    for (const one of document.querySelectorAll(".scroll:has(.variables)")) {
      if (innerWidth < 600 && one.scrollWidth > one.clientWidth + 1) said.push("the region Variables is wider than the screen");
    }
    // Words of a chart must lie within it.
    for (const svg of document.querySelectorAll("main svg")) {
      const around = svg.getBoundingClientRect();
      for (const text of svg.querySelectorAll("text")) {
        const box = text.getBoundingClientRect();
        if (box.width > 0 && (box.left < around.left - 1 || box.right > around.right + 1)) said.push(`"${text.textContent}" leaves its chart`);
      }
    }
    return [...new Set(said)].slice(0, 12);
  });
}

/** Texts that lie over each other. */
async function overlaps(page) {
  return page.evaluate(() => {
    const pieces = [];
    /** What is seen of a box, which may lie in places that scroll. */
    const seen = (node, { left, right, top, bottom }) => {
      for (let up = node.parentElement; up; up = up.parentElement) {
        if (getComputedStyle(up).overflow === "visible") continue;
        const around = up.getBoundingClientRect();
        [left, right] = [Math.max(left, around.left), Math.min(right, around.right)];
        [top, bottom] = [Math.max(top, around.top), Math.min(bottom, around.bottom)];
      }
      return { left, right, top, bottom };
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!node.textContent.trim() || node.parentElement.closest("option, noscript, script, textarea, .skip, .hidden-label, #jobs")) continue;
      if (!node.parentElement.checkVisibility?.({ visibilityProperty: true, opacityProperty: true })) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const box of [...range.getClientRects()].map((one) => seen(node, one))) {
        if (box.right - box.left > 2 && box.bottom - box.top > 2 && box.right > 0) pieces.push([node, box]);
      }
    }
    const said = [];
    pieces.sort((a, b) => a[1].top - b[1].top);
    for (let one = 0; one < pieces.length; one += 1) {
      for (let other = one + 1; other < pieces.length && pieces[other][1].top < pieces[one][1].bottom - 4; other += 1) {
        const [a, b] = [pieces[one], pieces[other]];
        if (a[0] === b[0]) continue;
        const wide = Math.min(a[1].right, b[1].right) - Math.max(a[1].left, b[1].left);
        const high = Math.min(a[1].bottom, b[1].bottom) - Math.max(a[1].top, b[1].top);
        if (wide > 3 && high > 6) said.push(`"${a[0].textContent.trim().slice(0, 30)}" and "${b[0].textContent.trim().slice(0, 30)}"`);
      }
    }
    return [...new Set(said)].slice(0, 8);
  });
}

/** Looks at one page as it is now. */
async function look(visit, name, width, theme) {
  const { page } = visit;
  const where = `${name} at ${width} px, ${theme}`;
  if (PICTURES) await page.screenshot({ path: path.join(PICTURES, `${name.replaceAll(" ", "-")}-${width}-${theme}.png`), fullPage: true });
  const found = { "axe-core": await findings(page), "does not fit": await unfit(page), "lies over each other": await overlaps(page), "the console": visit.takeTroubles() };
  for (const [what, all] of Object.entries(found)) assert.deepEqual(all, [], `${where}: ${what}`);
  assert.ok((await page.title()).endsWith("Bauta"), `${where}: its title`);
  assert.equal(await page.locator("h1").count() >= 1, true, `${where}: it has a heading`);
}

for (const [width, theme] of LOOKS) {
  describe(`at ${width} px, ${theme}`, () => {
    let visit;
    before(async () => {
      visit = await Visit.begin(lasting, { server, viewport: { width, height: 900 }, colorScheme: theme });
    });
    for (const [name, address] of Object.entries(PAGES)) {
      test(`the page "${name}" can be used and read by all, and nothing is cut off`, async () => {
        const answer = await visit.page.goto(`${server.origin}${address}`);
        assert.equal(answer.status(), 200);
        await look(visit, name, width, theme);
      });
    }
    for (const [name, [address, status]] of Object.entries(ERRORS)) {
      test(`the page "${name}" can be used and read by all, and nothing is cut off`, async () => {
        const answer = await visit.page.goto(`${server.origin}${address}`);
        assert.equal(answer.status(), status);
        // The browser tells of the status itself.
        visit.troubles = visit.troubles.filter((one) => !one.includes(`status of ${status}`));
        await look(visit, name, width, theme);
      });
    }
    test("a form that was refused can be used and read by all, and nothing is cut off", async () => {
      await visit.page.goto(`${server.origin}${plan("steps/new/suppress-local")}`);
      await visit.page.getByLabel("k", { exact: true }).fill("-3");
      await visit.page.getByRole("button", { name: "Add the step" }).click();
      await visit.page.locator("form .problems").waitFor();
      visit.troubles = visit.troubles.filter((one) => !one.includes("status of 422"));
      await look(visit, "a form that was refused", width, theme);
    });
  });
}
