// Who is let in, and what an answer allows a browser to do.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { after, test } from "node:test";
import { BAUTA, Server, bauta, folderFor, hiddenFields, until } from "./app.mjs";
import { Visit, browser, endBrowser } from "./browser.mjs";

after(endBrowser);

const PLAN = "/p/bauta-demo%2Fplan.toml";
const PAGES = [
  "/", "/begin?file=bauta-demo%2Fsurvey.csv", "/opening/1", "/events", "/help/app", PLAN, ...[
    "advice", "file", "conditions", "variables", "variables/age", "scenarios", "steps", "steps/add", "steps/1", "steps/new/recode", "run", "runs/1/report",
    "compare", "release", "files/file", "text", "text/file", "history", "history/1",
  ].map((end) => `${PLAN}/${end}`),
];
const FORMS = ["/demo", "/begin", ...[
  "file", "conditions", "conditions/remove", "conditions/measures",
  "look", "variables", "variables/age", "scenarios", "scenarios/remove", "scenarios/count", "steps/move", "steps/1", "steps/1/off",
  "steps/new/recode", "preview/1", "run", "runs/1/take", "release", "text", "text/check", "history/1", "undo", "redo", "jobs/1/cancel",
].map((end) => `${PLAN}/${end}`)];

/** A server with the demonstration in its folder, the cookie, and the hidden fields of its forms. */
async function demo(t) {
  const server = await Server.start(t, folderFor(t));
  const cookie = await server.cookie();
  const start = await server.ask("GET", "/", { cookie });
  await server.post(cookie, "/demo", hiddenFields(start.text));
  const page = await server.ask("GET", `${PLAN}/steps`, { cookie });
  const file = path.join(server.folder, "bauta-demo/plan.toml");
  return { server, cookie, fields: hiddenFields(page.text), file, text: () => fs.readFileSync(file, "utf8") };
}

test("without the cookie no page is shown and no form does anything", async (t) => {
  const { server, fields, text } = await demo(t);
  const before = text();
  for (const page of PAGES) {
    const answer = await server.ask("GET", page);
    assert.equal(answer.status, 403, page);
    assert.doesNotMatch(answer.text, /survey|gender|recode/, page);
    assert.equal(answer.headers["set-cookie"], undefined, page);
  }
  for (const form of FORMS) {
    assert.equal((await server.post("", form, fields)).status, 403, form);
    assert.equal((await server.post(`bauta-${server.port}=guess`, form, fields)).status, 403, form);
  }
  assert.equal(text(), before);
});

test("a wrong token gives no cookie", async (t) => {
  const server = await Server.start(t, folderFor(t));
  const nearly = `${server.token.slice(0, -1)}${server.token.endsWith("0") ? "1" : "0"}`;
  for (const token of ["", "0", nearly, `${server.token}0`, server.token.slice(1)]) {
    const answer = await server.ask("GET", `/?token=${token}`);
    assert.equal(answer.status, 403, token);
    assert.equal(answer.headers["set-cookie"], undefined);
  }
  assert.equal((await server.ask("GET", `/help/app?token=${server.token}`)).status, 403, "the token opens the start page only");
  assert.equal((await server.ask("POST", `/?token=${server.token}`)).status, 403, "and by no form");
});

test("a request for another host is refused though it has the cookie", async (t) => {
  const { server, cookie } = await demo(t);
  const port = server.port;
  const hosts = ["evil.example", `evil.example:${port}`, "127.0.0.1", `127.0.0.1:${port + 1}`, `127.0.0.1.evil.example:${port}`, `127.1:${port}`, ""];
  for (const host of hosts) {
    const answer = await server.raw(`GET / HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\nConnection: close\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 40[03] /, host);
    assert.doesNotMatch(answer, /Prepare a file/, host);
  }
  const without = await server.raw(`GET / HTTP/1.1\r\nCookie: ${cookie}\r\nConnection: close\r\n\r\n`);
  assert.match(without, /^HTTP\/1\.1 40[03] /);
  const token = await server.raw(`GET /?token=${server.token} HTTP/1.1\r\nHost: evil.example:${port}\r\nConnection: close\r\n\r\n`);
  assert.match(token, /^HTTP\/1\.1 403 /, "the token helps nobody who has given our address another name");
  assert.doesNotMatch(token, /set-cookie/i);
  const ours = await server.raw(`GET / HTTP/1.1\r\nHost: localhost:${port}\r\nCookie: ${cookie}\r\nConnection: close\r\n\r\n`);
  assert.match(ours, /^HTTP\/1\.1 200 /, "the check is not one that refuses all");
});

test("a form from another page is refused though it has cookie and token", async (t) => {
  const { server, cookie, fields, text } = await demo(t);
  const before = text();
  const strangers = ["http://evil.example", "null", "https://127.0.0.1", `https://127.0.0.1:${server.port}`, `http://127.0.0.1:${server.port + 1}`];
  for (const origin of strangers) {
    for (const form of FORMS) {
      assert.equal((await server.post(cookie, form, fields, { origin })).status, 403, `${form} from ${origin}`);
    }
  }
  assert.equal(text(), before);
  const ours = await server.post(cookie, `${PLAN}/steps/1/off`, fields, { origin: server.origin });
  assert.equal(ours.status, 303, "the same form from our own page is taken");
  assert.notEqual(text(), before);
});

test("a form without our token does nothing", async (t) => {
  const { server, cookie, fields, text } = await demo(t);
  const before = text();
  const { token, ...without } = fields;
  for (const form of FORMS) {
    for (const sent of [without, { ...without, token: "" }, { ...without, token: server.token }, { ...without, token: token.slice(1) }]) {
      assert.equal((await server.post(cookie, form, sent)).status, 403, form);
    }
    const kinds = ["text/plain", "application/json", "multipart/form-data; boundary=x"];
    for (const kind of kinds) {
      const answer = await server.ask("POST", form, { cookie, "content-type": kind }, JSON.stringify(without));
      assert.equal(answer.status, 403, `${form} as ${kind}`);
    }
  }
  assert.equal(text(), before);
});

test("a form that is larger than any plan is refused, and the server goes on", async (t) => {
  const { server, cookie, fields, text } = await demo(t);
  const before = text();
  const sent = await server.post(cookie, `${PLAN}/text`, { ...fields, text: "x".repeat(5 << 20) }).catch((error) => error);
  assert.ok(sent instanceof Error || sent.status === 413, `${sent.status}`);
  assert.equal(text(), before);
  const small = await server.post(cookie, `${PLAN}/text/check`, { ...fields, text: "x".repeat(1000) });
  assert.equal(small.status, 200);
  assert.equal((await server.ask("GET", "/", { cookie })).status, 200);
});

/** One answer of each kind that there is. */
async function answers({ server, cookie, fields }) {
  const get = (target) => server.ask("GET", target, { cookie });
  const all = {
    "a page": await get(`${PLAN}/steps`),
    "the start page": await get("/"),
    "the page that gives the cookie": await server.ask("GET", `/?token=${server.token}`),
    "a redirect": await get(PLAN),
    "a form that was taken": await server.post(cookie, `${PLAN}/steps/1/off`, fields),
    "a stale form": await server.post(cookie, `${PLAN}/steps/1/on`, fields),
    "a form that makes no sense": await server.post(cookie, `${PLAN}/release`, { ...fields, version: "x" }),
    "no cookie": await server.ask("GET", `${PLAN}/steps`),
    "no such page": await get("/nothing"),
    "no such plan": await get("/p/none.toml/steps"),
    "no such asset": await get("/assets/none.css"),
    "a number that is none": await get(`${PLAN}/history/x`),
    "a path that is no text": await get("/p/%ff/steps"),
    "another method": await server.ask("PUT", `${PLAN}/steps`, { cookie }),
    "too large": await server.post(cookie, `${PLAN}/text`, { ...fields, text: "x".repeat(5 << 20) }).catch(() => null),
    "another host": await server.ask("GET", "/", { cookie, host: "evil.example" }),
    "a fragment of a page": await server.post(cookie, `${PLAN}/text/check`, { ...fields, text: "x" }),
    "the plan as a file": await get(`${PLAN}/text/file`),
  };
  const page = (await get(`${PLAN}/run`)).text;
  const style = /href="(\/assets\/app\.css[^"]*)"/.exec(page)[1];
  const script = /src="(\/assets\/app\.js[^"]*)"/.exec(page)[1];
  Object.assign(all, { "the style": await get(style), "the script": await server.ask("GET", script) });
  await server.post(cookie, `${PLAN}/run`, hiddenFields(page));
  const report = `${PLAN}/runs/1/report`;
  await until("the run is done", async () => (await get(report)).status === 200, 120_000);
  await server.post(cookie, `${PLAN}/release`, hiddenFields(page));
  await until("the file is released", async () => (await get(`${PLAN}/files/file`)).status === 200, 120_000);
  Object.assign(all, {
    "a report": await get(report), "the external report": await get(`${PLAN}/runs/1/external`), "a released file": await get(`${PLAN}/files/file`),
    "a report as a file": await get(`${PLAN}/files/report`),
  });
  const table = /href="([^"]*\/tables\/[^"]+)"/.exec((await get(`${PLAN}/runs/1/tables`)).text);
  if (table) all["a table"] = await get(table[1]);
  return all;
}

test("every answer says that nothing of others may run in it, frame it, keep it or read it", async (t) => {
  const all = await answers(await demo(t));
  for (const [what, answer] of Object.entries(all)) {
    if (answer === null) continue;
    const { headers, status } = answer;
    const policy = headers["content-security-policy"] ?? "";
    assert.match(policy, /default-src '(self|none)'/, `${what} (${status}): ${policy}`);
    assert.doesNotMatch(policy, /script-src[^;]*'unsafe|default-src[^;]*'unsafe|\*|https?:/, what);
    assert.match(policy, /frame-ancestors '(self|none)'/, what);
    assert.match(policy, /form-action '(self|none)'/, what);
    assert.match(policy, /base-uri 'none'/, what);
    assert.equal(headers["x-content-type-options"], "nosniff", what);
    assert.match(headers["referrer-policy"] ?? "", /^(same-origin|no-referrer)$/, what);
    assert.equal(headers["cross-origin-opener-policy"], "same-origin", what);
    assert.equal(headers["cross-origin-resource-policy"], "same-origin", what);
    assert.equal(headers["access-control-allow-origin"], undefined, what);
    const isAsset = what === "the style" || what === "the script";
    assert.match(headers["cache-control"] ?? "", isAsset ? /private|no-store/ : /no-store/, what);
  }
  for (const what of ["a released file", "a report as a file"]) {
    assert.match(all[what].headers["content-disposition"], /^attachment/, what);
  }
  const statuses = { "a stale form": 409, "no cookie": 403, "no such page": 404, "a redirect": 303 };
  for (const [what, status] of Object.entries(statuses)) assert.equal(all[what].status, status, what);
  assert.ok(all["a table"], "a run has a table to take away");
});

test("the cookie is out of reach for scripts and for other sites", async (t) => {
  const visit = await Visit.begin(t);
  const answer = await visit.server.ask("GET", `/?token=${visit.server.token}`);
  const [cookie, ...more] = answer.headers["set-cookie"];
  assert.deepEqual(more, []);
  assert.match(cookie, /; HttpOnly(;|$)/);
  assert.match(cookie, /; SameSite=Strict(;|$)/);
  assert.doesNotMatch(cookie, /Domain=/i);
  assert.equal(await visit.page.evaluate("document.cookie"), "");
  const kept = await visit.context.cookies();
  assert.deepEqual(kept.map((one) => [one.httpOnly, one.sameSite]), [[true, "Strict"]]);
  assert.doesNotMatch(visit.page.url(), /token/, "the token does not stay in the address");
});

/** A page of somebody else that tries what such pages can. */
function attacker(target, fields) {
  const hidden = Object.entries(fields).map(([name, value]) => `<input type=hidden name=${name} value="${value}">`).join("");
  return `<!doctype html><title>evil</title>
    <form id=f method=post action="${target}${PLAN}/steps/1/off" target=_blank>${hidden}</form>
    <iframe id=frame src="${target}${PLAN}/steps"></iframe>
    <img id=img src="${target}/assets/icon.svg"><a id=link href="${target}${PLAN}/steps">go</a>`;
}

for (const host of ["localhost", "127.0.0.1"]) {
  test(`a page of another server at ${host} can neither act, nor read, nor frame the app`, async (t) => {
    const visit = await Visit.begin(t);
    await visit.openDemo();
    const fields = hiddenFields(await visit.page.content());
    const page = attacker(visit.server.origin, fields);
    const stranger = http.createServer((_, answer) => answer.end(page));
    await new Promise((go) => stranger.listen(0, "127.0.0.1", go));
    t.after(() => stranger.close());
    const before = visit.text();
    const tab = await visit.tab();
    await tab.goto(`http://${host}:${stranger.address().port}/`);
    const read = await tab.evaluate(async (address) => {
      const tried = async (options) => {
        try { return await (await fetch(address, { credentials: "include", ...options })).text(); } catch { return null; }
      };
      return [await tried({}), await tried({ mode: "no-cors" })];
    }, `${visit.server.origin}${PLAN}/steps`);
    assert.deepEqual(read.map((text) => Boolean(text)), [false, false], "nothing of the page can be read");
    const framed = await until("the frame has been refused or shown", async () => tab.frames()[1]);
    await tab.waitForTimeout(500);
    assert.doesNotMatch(await framed.content().catch(() => ""), /Add a step/, "it is in no frame");
    const opened = visit.context.waitForEvent("page");
    await tab.evaluate(() => document.querySelector("#f").submit());
    const refused = await opened;
    await refused.waitForLoadState();
    assert.match(await refused.title(), /Not let in/, "its form, with the right token in it, is refused");
    assert.equal(visit.text(), before);
  });
}

test("a report cannot run script, even if there were one in it", async (t) => {
  const visit = await Visit.begin(t);
  await visit.openDemo();
  await visit.go("text");
  const evil = "<script>document.title = 'ran'</script><img src=x onerror=\"document.title='ran'\">";
  await visit.changes(async () => {
    const text = visit.text().replace(/why = "few have the lowest qualification"/, `why = '''${evil}'''`);
    assert.ok(text.includes(evil));
    await visit.page.getByLabel("Text of the plan").fill(text);
    await visit.page.getByRole("button", { name: "Save the text" }).click();
  });
  await visit.run();
  for (const which of ["report", "external"]) {
    const tab = await visit.tab();
    await tab.goto(visit.at(`runs/1/${which}`));
    assert.equal(await tab.locator("script, img[onerror]").count(), 0, "a reason is text");
    assert.ok((await tab.locator("body").innerText()).includes(evil), "and it is shown as it was written");
    assert.notEqual(await tab.title(), "ran");
    // The browser is given a report that has a script, with the headers that the server sends for one.
    await tab.route("**/runs/1/*", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, body: `${await answer.text()}${evil}` });
    });
    await tab.goto(visit.at(`runs/1/${which}`));
    assert.equal(await tab.locator("script").count(), 1);
    assert.notEqual(await tab.title(), "ran", "the policy of reports forbids it");
    await tab.close();
  }
});

test("a second server for the folder is told that one runs", async (t) => {
  const server = await Server.start(t, folderFor(t));
  const second = spawnSync(BAUTA, ["serve", server.folder, "--no-open"], { encoding: "utf8", timeout: 20_000 });
  assert.equal(second.status, 2, second.stderr);
  assert.equal(second.stdout, "");
  assert.match(second.stderr, /another `bauta serve` serves/);
  assert.match(second.stderr, /hint: /, "and what can be done is said");
  assert.equal((await server.ask("GET", "/", { cookie: await server.cookie() })).status, 200, "the first goes on");
  await server.kill();
  await Server.start(t, server.folder);
});

test("a plan that another server has open is not opened, and nothing is changed", async (t) => {
  const { server, text } = await demo(t);
  const before = text();
  const below = await Server.start(t, path.join(server.folder, "bauta-demo"));
  const cookie = await below.cookie();
  const answer = await below.ask("GET", "/p/plan.toml/steps", { cookie });
  assert.equal(answer.status, 409);
  assert.match(answer.text, /Another .*bauta serve/);
  assert.equal(text(), before);
});

test("an address that others can reach needs the word that one knows", async (t) => {
  const folder = folderFor(t);
  for (const host of ["0.0.0.0", "127.0.0.1", "localhost"]) {
    const refused = bauta(folder, "serve", ".", "--no-open", "--host", host);
    assert.equal(refused.code, 2);
    assert.equal(refused.out, "", "nothing listens, and no address is given");
    assert.match(refused.err, /--i-know/);
  }
  const open = await Server.start(t, folder, "--host", "0.0.0.0", "--i-know");
  await until("a warning is given", () => /warning: other machines/.test(open.err));
});

test("what is kept beside a plan can be read by its owner alone", async (t) => {
  const demonstration = await demo(t);
  await answers(demonstration);
  const beside = path.join(demonstration.server.folder, "bauta-demo/.bauta-web");
  const all = [beside, ...fs.readdirSync(beside, { recursive: true }).map((name) => path.join(beside, name))];
  assert.ok(all.some((one) => one.endsWith("record.json")) && all.some((one) => one.endsWith("journal.jsonl")));
  for (const one of all) {
    const facts = fs.statSync(one);
    assert.equal(facts.mode & 0o077, 0, path.relative(beside, one));
  }
});

test("a browser that has no cookie is told what to do", async (t) => {
  const server = await Server.start(t, folderFor(t));
  const page = await (await (await browser()).newContext()).newPage();
  t.after(() => page.context().close());
  await page.goto(`${server.origin}/`);
  assert.match(await page.locator("main").innerText(), /Open the address that .*bauta serve.* printed/);
});
