// Nothing outside the folder that is served is read or written, however it is asked for.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { Server, folderFor, hiddenFields, until } from "./app.mjs";
import { rawSurvey } from "./survey.mjs";

const SECRET = "topsecretcolumn";

/** A served folder with a survey, inside one that has secrets. */
async function served(t, prepare = () => {}) {
  const around = folderFor(t);
  const folder = path.join(around, "served");
  fs.mkdirSync(folder);
  rawSurvey(folder);
  fs.writeFileSync(path.join(around, "secret.csv"), `${SECRET},age\n1,2\n3,4\n`);
  fs.writeFileSync(path.join(around, "secret.toml"), `[data]\nfile = "secret.csv"\n# ${SECRET}\n`);
  fs.writeFileSync(path.join(folder, "plan.toml"), plan({}));
  prepare(folder, around);
  const server = await Server.start(t, folder);
  const cookie = await server.cookie();
  const get = (target) => server.ask("GET", target, { cookie });
  const fields = hiddenFields((await get("/")).text);
  return { around, folder, server, cookie, get, fields };
}

/** A plan of the survey, with some of its lines exchanged. */
function plan({ data = 'file = "people.csv"', age = "", more = "", output = 'file = "released.csv"' }) {
  return `[data]\n${data}\n[variables]\nid = { role = "identifier" }\nsex = { role = "key" }
age = { role = "key", kind = "ordered"${age} }\nweight = { role = "weight" }\n[[measure]]\nuse = ["k-anonymity"]\n[[gate]]
measure = "k-anonymity"\nat_least = 2\n${more}\n[output]\n${output}\n`;
}

/** All files around the served folder, without those in it. */
function outside(around) {
  const names = fs.readdirSync(around, { recursive: true, withFileTypes: true });
  const files = names.filter((one) => one.isFile()).map((one) => path.join(one.parentPath ?? one.path, one.name));
  const others = files.filter((file) => !file.startsWith(path.join(around, "served") + path.sep));
  return others.map((file) => [file, fs.readFileSync(file, "utf8")]).sort();
}

const WAYS_OUT = [
  "../secret", "..%2fsecret", "..%2Fsecret", "%2e%2e/secret", "%2e%2e%2fsecret", "..%5csecret", "..%252fsecret", "./../secret",
  "people.csv/../../secret", "people.csv%2f..%2f..%2fsecret", "%2fetc%2fpasswd%00", "..%00%2fsecret", "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
  "%c0%ae%c0%ae%2fsecret", ".bauta-web%2fplan.toml%2fversions%2f000001", "%2Fproc%2Fself%2Fenviron",
];

test("no address leads out of the folder", async (t) => {
  const { around, get, server, cookie, fields } = await served(t);
  const before = outside(around);
  const tried = [];
  for (const way of WAYS_OUT) {
    for (const end of ["", ".csv", ".toml"]) {
      tried.push(`/p/${way}${end}/text`, `/p/${way}${end}/variables`, `/begin?file=${way}${end}`, `/?open=${way}${end}`, `/${way}${end}`);
      tried.push(`/assets/${way}${end}`, `/help/${way}${end}`, `/p/plan.toml/files/${way}${end}`, `/p/plan.toml/runs/1/tables/${way}${end}`);
      tried.push(`/p/plan.toml/runs/${way}/report`, `/p/plan.toml/history/${way}`, `/p/plan.toml/variables/${way}${end}`);
    }
  }
  for (const absolute of ["/etc/passwd", "%2Fetc%2Fpasswd", path.join(around, "secret.toml"), encodeURIComponent(path.join(around, "secret.csv"))]) {
    tried.push(`/p/${absolute}/text`, `/begin?file=${absolute}`, `/?open=${absolute}`, absolute);
  }
  for (const target of tried) {
    const answer = await get(target);
    assert.ok([303, 400, 404].includes(answer.status), `${target}: ${answer.status}`);
    assert.ok(!answer.text.includes(SECRET) && !answer.text.includes("root:"), target);
    if (answer.status !== 303) continue;
    const onward = answer.headers.location;
    assert.match(onward, /^\/(p|begin)/, `${target} leads to a page of the app`);
    const next = await get(onward);
    assert.ok([303, 400, 404].includes(next.status) && !next.text.includes(SECRET), `${target} to ${onward}: ${next.status}`);
  }
  const names = ["../secret.csv", "/etc/passwd", path.join(around, "secret.csv"), "people.csv/../../secret.csv", "", "a\0b", ".bauta-web/lock"];
  for (const file of names) {
    assert.equal((await server.post(cookie, "/begin", { ...fields, file })).status, 404, file);
  }
  assert.deepEqual(outside(around), before);
});

test("a link that leads out of the folder is neither listed nor followed", async (t) => {
  const { around, get, server, cookie, fields } = await served(t, (folder, around) => {
    fs.symlinkSync(path.join(around, "secret.csv"), path.join(folder, "link.csv"));
    fs.symlinkSync(path.join(around, "secret.toml"), path.join(folder, "link.toml"));
    fs.symlinkSync(around, path.join(folder, "ways"));
    fs.symlinkSync("people.csv", path.join(folder, "inside.csv"));
  });
  const start = (await get("/")).text;
  assert.doesNotMatch(start, /link\.csv|link\.toml|ways/);
  assert.match(start, /inside\.csv/, "a link that stays inside is listed");
  for (const name of ["link.toml", "ways%2Fsecret.toml", "ways%2Fserved%2F..%2Fsecret.toml"]) {
    for (const end of ["text", "variables", "history", "text/file"]) {
      assert.equal((await get(`/p/${name}/${end}`)).status, 404, `${name} ${end}`);
    }
  }
  for (const file of ["link.csv", "ways/secret.csv"]) {
    assert.equal((await get(`/begin?file=${encodeURIComponent(file)}`)).status, 404);
    assert.equal((await server.post(cookie, "/begin", { ...fields, file })).status, 404);
  }
  assert.deepEqual(outside(around).map(([file]) => path.basename(file)).sort(), ["secret.csv", "secret.toml"]);
});

const REACHING_OUT = {
  "a data file by `..`": plan({ data: 'file = "../secret.csv"' }),
  "a data file by its absolute path": (around) => plan({ data: `file = "${path.join(around, "secret.csv")}"` }),
  "a data file of the system": plan({ data: 'file = "/etc/passwd"' }),
  "a data file behind a link": plan({ data: 'file = "link.csv"' }),
  "a data file below a linked folder": plan({ data: 'file = "ways/secret.csv"' }),
  "a released file by `..`": plan({ output: 'file = "../released.csv"' }),
  "a released file by its absolute path": (around) => plan({ output: `file = "${path.join(around, "released.csv")}"` }),
  "a released file below a linked folder": plan({ output: 'file = "ways/released.csv"' }),
  "a record outside": plan({ output: 'file = "released.csv"\nrecord = "../record.json"' }),
  "a report outside": plan({ output: 'file = "released.csv"\nreport = "../report.html"' }),
  "an external report outside": plan({ output: 'file = "released.csv"\nexternal_report = "../public.html"' }),
  "a hierarchy outside": plan({ age: ', hierarchy = { file = "../secret.csv" }' }),
  "a hierarchy behind a link": plan({ age: ', hierarchy = { file = "link.csv" }' }),
  "totals outside": plan({ more: '[[step]]\nadjust = "calibrate"\ntotals = "../secret.csv"\n' }),
  "a folder to spill into outside": plan({ more: '[engine]\nmemory = "100 MB"\nspill = "../spill"\n' }),
  "a folder of the system to spill into": plan({ more: '[engine]\nmemory = "100 MB"\nspill = "/tmp"\n' }),
};

test("a plan that reaches out of the folder is told so on its pages, and reads and writes nothing there", async (t) => {
  const { around, get, server, cookie } = await served(t, (folder, around) => {
    fs.symlinkSync(path.join(around, "secret.csv"), path.join(folder, "link.csv"));
    fs.symlinkSync(around, path.join(folder, "ways"));
  });
  const before = outside(around);
  const pages = ["variables", "variables/age", `variables/${SECRET}`, "scenarios", "steps", "steps/add", "run", "compare", "release", "text", "history"];
  for (const [what, given] of Object.entries(REACHING_OUT)) {
    const text = typeof given === "function" ? given(around) : given;
    const fields = hiddenFields((await get("/p/plan.toml/text")).text);
    const checked = await server.post(cookie, "/p/plan.toml/text/check", { ...fields, text });
    assert.match(checked.text, /outside the folder/, `${what}, checked while it is written`);
    assert.doesNotMatch(checked.text, new RegExp(`${SECRET}|root:`), `${what}, checked while it is written`);
    assert.equal((await server.post(cookie, "/p/plan.toml/text", { ...fields, text })).status, 303, what);
    for (const page of pages) {
      const shown = (await get(`/p/plan.toml/${page}`)).text;
      const isAsked = page.endsWith(SECRET);
      assert.ok(isAsked || !shown.includes(SECRET), `${what}: ${page} shows something of the secret`);
      assert.ok(!shown.includes("root:"), `${what}: ${page} shows something of the system`);
      if (["steps", "run", "release"].includes(page)) assert.doesNotMatch(shown, /<button class="main" type="submit">/, `${what}: ${page} offers to run it`);
    }
    assert.match((await get("/p/plan.toml/run")).text, /keeps? the plan from running/, what);
    const now = hiddenFields((await get("/p/plan.toml/run")).text);
    for (const form of ["run", "release", "look", "scenarios/count"]) await server.post(cookie, `/p/plan.toml/${form}`, now);
    await get("/p/plan.toml/scenarios?keys=age");
    await get("/p/plan.toml/variables");
    assert.deepEqual(outside(around), before, what);
  }
  // The same plan without any way out runs, so that none of this was refused for another reason.
  const fields = hiddenFields((await get("/p/plan.toml/text")).text);
  await server.post(cookie, "/p/plan.toml/text", { ...fields, text: plan({}) });
  const run = (await get("/p/plan.toml/run")).text;
  assert.match(run, /<button class="main" type="submit">/);
  await server.post(cookie, "/p/plan.toml/run", hiddenFields(run));
  await until("the plan that stays inside runs", async () => (await get("/p/plan.toml/runs/1/report")).status === 200, 60_000);
});

test("a folder that became a link out after the plan was checked is not written to", async (t) => {
  const { around, folder, get, server, cookie } = await served(t, (folder) => {
    fs.mkdirSync(path.join(folder, "out"));
    fs.writeFileSync(path.join(folder, "plan.toml"), plan({ output: 'file = "out/released.csv"' }));
  });
  const page = (await get("/p/plan.toml/run")).text;
  assert.match(page, /<button class="main" type="submit">/);
  fs.rmdirSync(path.join(folder, "out"));
  fs.symlinkSync(around, path.join(folder, "out"));
  const before = outside(around);
  await server.post(cookie, "/p/plan.toml/release", hiddenFields(page));
  await until("nothing goes on", async () => !(await get("/p/plan.toml/run")).text.includes('class="job"'));
  assert.deepEqual(outside(around), before);
});

test("a demonstration is not made behind a link that leads out", async (t) => {
  const { around, get, server, cookie, fields } = await served(t, (folder, around) => {
    fs.mkdirSync(path.join(around, "elsewhere"));
    fs.symlinkSync(path.join(around, "elsewhere"), path.join(folder, "bauta-demo"));
  });
  const before = outside(around);
  const answer = await server.post(cookie, "/demo", fields);
  assert.ok(answer.status >= 400, `${answer.status}`);
  assert.deepEqual(outside(around), before);
  assert.equal((await get("/p/bauta-demo%2Fplan.toml/text")).status, 404);
});

test("a history that somebody else prepared cannot show or overwrite a file outside", async (t) => {
  const journal = `${JSON.stringify({ made: { n: 1, parent: null, what: "opened", at: "2026-01-01T00:00:00Z" } })}\n`;
  const { around, get, server, cookie } = await served(t, (folder, around) => {
    fs.writeFileSync(path.join(around, "notes.txt"), SECRET);
    fs.writeFileSync(path.join(around, "more.txt"), SECRET);
    const versions = path.join(folder, ".bauta-web/plan.toml/versions");
    fs.mkdirSync(versions, { recursive: true });
    fs.writeFileSync(path.join(folder, ".bauta-web/plan.toml/journal.jsonl"), journal);
    fs.symlinkSync(path.join(around, "notes.txt"), path.join(versions, "000001.toml"));
    for (const n of [2, 3]) fs.symlinkSync(path.join(around, "more.txt"), path.join(versions, `00000${n}.toml`));
  });
  const before = outside(around);
  for (const page of ["history", "history/1", "text", "steps"]) {
    assert.ok(!(await get(`/p/plan.toml/${page}`)).text.includes(SECRET), page);
  }
  assert.deepEqual(outside(around), before, "opening the plan writes nothing there");
  const fields = hiddenFields((await get("/p/plan.toml/text")).text);
  await server.post(cookie, "/p/plan.toml/text", { ...fields, text: `${plan({})}# more\n` });
  assert.deepEqual(outside(around), before);
});

test("a folder of histories that leads out is not used", async (t) => {
  const around = folderFor(t);
  const folder = path.join(around, "served");
  fs.mkdirSync(folder);
  fs.writeFileSync(path.join(folder, "plan.toml"), plan({}));
  fs.mkdirSync(path.join(around, "elsewhere"));
  fs.symlinkSync(path.join(around, "elsewhere"), path.join(folder, ".bauta-web"));
  const started = await Server.start(t, folder).then(async (server) => {
    const cookie = await server.cookie();
    return server.ask("GET", "/p/plan.toml/text", { cookie });
  }, (error) => error);
  assert.ok(started instanceof Error || started.status >= 400, "it says that it cannot work there");
  assert.deepEqual(fs.readdirSync(path.join(around, "elsewhere")), []);
});
