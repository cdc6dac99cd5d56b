// Work in the background: progress, cancelling, waiting for a turn, and the app meanwhile.
import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { folderFor, hiddenFields, until } from "./app.mjs";
import { Visit, endBrowser } from "./browser.mjs";
import { longSurvey } from "./survey.mjs";

after(endBrowser);

let made;
before(() => {
  made = fs.mkdtempSync(path.join(os.tmpdir(), "bauta-browser-long-"));
  longSurvey(made, 24);
});
after(() => fs.rmSync(made, { recursive: true, force: true }));

/** A visit of a plan whose run takes long. */
async function visitLong(t) {
  const folder = folderFor(t);
  for (const name of ["long.csv", "long.toml"]) fs.copyFileSync(path.join(made, name), path.join(folder, name));
  const visit = await Visit.begin(t, { folder });
  visit.plan = "long.toml";
  await visit.go("variables");
  // The look at the file is over before anything is measured.
  await visit.idle();
  await visit.go("run");
  return visit;
}

const begin = (visit) => visit.page.getByRole("button", { name: "Run this plan" }).click();

/** The run that is being done, once it has told of itself. */
async function working(visit) {
  const bar = visit.page.locator(".job progress[value]").first();
  await bar.waitFor({ timeout: 60_000 });
  return bar;
}

/** Files of the served folder with their sizes, but for journals and locks. */
function files(folder) {
  const names = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const files = names.map((one) => path.relative(folder, path.join(one.parentPath ?? one.path, one.name)));
  return files.filter((file) => !/lock$|\.bauta-tmp/.test(file)).sort();
}

test("a run is shown as cancelled within a second, ends soon after, and nothing of it is written", async (t) => {
  const visit = await visitLong(t);
  const before = files(visit.folder);
  await begin(visit);
  await working(visit);
  await visit.page.waitForTimeout(1_500);
  const clicked = Date.now();
  await visit.page.locator(".job").first().getByRole("button", { name: "Cancel" }).click();
  await visit.page.getByText(/cancelled/).first().waitFor();
  const took = Date.now() - clicked;
  await visit.page.getByText(/was cancelled; nothing was written/).waitFor();
  const over = Date.now() - clicked;
  t.diagnostic(`shown as cancelled after ${took} ms, and over after ${over} ms`);
  assert.ok(took < 1_000, `${took} ms`);
  // What a method does at its beginning may take a while without optimisation.
  assert.ok(over < 5_000, `${over} ms`);
  assert.equal(await visit.page.locator(".job").count(), 0);
  assert.deepEqual(files(visit.folder), before);
  assert.equal(await visit.runs(), 0);
  assert.deepEqual(visit.takeTroubles(), []);
});

test("progress is told while the run goes on, with what is done and what is left", async (t) => {
  const visit = await visitLong(t);
  await begin(visit);
  const bar = await working(visit);
  const first = Number(await bar.getAttribute("value"));
  const told = new Set();
  await until("progress goes on without the page being asked for again", async () => {
    told.add(await visit.page.locator(".job .left").first().innerText());
    return told.size >= 3 && Number(await bar.evaluate((one) => one.value)) >= first;
  }, 60_000);
  assert.ok([...told].some((text) => /left|second|minute/.test(text)), [...told].join(" | "));
  await visit.page.locator(".job").first().getByRole("button", { name: "Cancel" }).click();
});

test("every page answers within a second while a run goes on", async (t) => {
  const visit = await visitLong(t);
  // What other pages count of the file is counted before: here it is about the pages.
  await visit.go("scenarios");
  await visit.idle();
  await visit.go("run");
  await begin(visit);
  await working(visit);
  for (const end of ["variables", "variables/age", "steps", "steps/1", "steps/add", "steps/new/recode", "scenarios", "compare", "release", "text", "history", "run"]) {
    const asked = Date.now();
    await visit.go(end);
    await visit.page.locator("h1").waitFor();
    const took = Date.now() - asked;
    assert.ok(took < 1_000, `${end}: ${took} ms`);
    assert.equal(await visit.page.locator(".job").count(), 1, `${end} shows that a run goes on`);
  }
  await visit.go("variables");
  const asked = Date.now();
  await visit.changes(() => visit.page.getByLabel("Role of turnover", { exact: true }).selectOption("other"));
  assert.ok(Date.now() - asked < 1_500, `a change took ${Date.now() - asked} ms`);
  await visit.page.locator(".job").first().getByRole("button", { name: "Cancel" }).click();
});

test("two variants queue: the second waits its turn, can be cancelled while it waits, and the first goes on", async (t) => {
  const visit = await visitLong(t);
  await begin(visit);
  await working(visit);
  await visit.go("steps/1");
  await visit.page.getByLabel("k", { exact: true }).fill("6");
  await visit.changes(() => visit.page.getByRole("button", { name: "Save the step" }).click());
  await visit.go("run");
  await begin(visit);
  const jobs = visit.page.locator(".job");
  await until("two jobs are listed", async () => await jobs.count() === 2);
  assert.match(await jobs.nth(1).innerText(), /waits for its turn/);
  await jobs.nth(1).getByRole("button", { name: "Cancel" }).click();
  await until("one job is left", async () => await jobs.count() === 1);
  assert.equal(await jobs.locator("progress").count(), 1, "it is the one that is being done");
  await jobs.getByRole("button", { name: "Cancel" }).click();
  await visit.page.getByText(/was cancelled; nothing was written/).nth(1).waitFor();
});

test("variants that were asked for one after the other are done one after the other, each of its own version", async (t) => {
  const visit = await Visit.begin(t);
  await visit.openDemo();
  const cookie = await visit.server.cookie();
  const at = (end) => `/p/${encodeURIComponent(visit.plan)}/${end}`;
  for (const k of [3, 4, 5]) {
    await visit.go("steps/5");
    if (k > 3) {
      await visit.page.getByLabel("k", { exact: true }).fill(String(k));
      await visit.changes(() => visit.page.getByRole("button", { name: "Save the step" }).click());
    }
    const fields = hiddenFields(await visit.page.content());
    assert.equal((await visit.server.post(cookie, at("run"), fields)).status, 303);
  }
  await visit.go("run");
  await until("three runs", async () => await visit.runs() === 3, 180_000);
  for (const [n, k] of [[1, 3], [2, 4], [3, 5]]) {
    const record = JSON.parse(fs.readFileSync(path.join(visit.folder, `bauta-demo/.bauta-web/plan.toml/runs/00000${n}/record.json`), "utf8"));
    assert.match(record.plan.text, new RegExp(`^k = ${k}$`, "m"));
  }
});

test("a form that is being filled in is left alone when a run ends", async (t) => {
  const visit = await Visit.begin(t);
  await visit.openDemo();
  await visit.go("run");
  await begin(visit);
  await visit.go("steps/new/recode");
  const why = visit.page.getByLabel("Why", { exact: true });
  await why.focus();
  await visit.page.keyboard.type("half a sen");
  await until("the run is done", () => fs.existsSync(path.join(visit.folder, "bauta-demo/.bauta-web/plan.toml/runs/000001/record.json")), 120_000);
  await visit.page.waitForTimeout(1_000);
  await visit.page.keyboard.type("tence");
  assert.equal(await why.inputValue(), "half a sentence");
  // Also when the eyes are elsewhere for a moment.
  await visit.page.getByLabel("map", { exact: true }).fill("1 = 1-2");
  await visit.page.locator("h1").click();
  const cookie = await visit.server.cookie();
  const fields = hiddenFields(await visit.page.content());
  await visit.server.post(cookie, `/p/${encodeURIComponent(visit.plan)}/run`, fields);
  await until("the second run is done", () => fs.existsSync(path.join(visit.folder, "bauta-demo/.bauta-web/plan.toml/runs/000002/record.json")), 120_000);
  await visit.page.waitForTimeout(1_000);
  assert.equal(await visit.page.getByLabel("map", { exact: true }).inputValue(), "1 = 1-2", "what was written is still there");
});

test("the server ends at once when it is asked to, also in the middle of a run", async (t) => {
  const visit = await visitLong(t);
  const before = files(visit.folder);
  await begin(visit);
  await working(visit);
  const asked = Date.now();
  const { code } = await visit.server.stop();
  assert.ok(Date.now() - asked < 2_000, `${Date.now() - asked} ms`);
  assert.equal(code, 0, visit.server.err);
  assert.deepEqual(files(visit.folder), before, "and nothing half done stays behind");
});
