// The server is killed, and started again in the same folder.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, test } from "node:test";
import { Server, folderFor, until } from "./app.mjs";
import { Visit, endBrowser } from "./browser.mjs";
import { longSurvey } from "./survey.mjs";

after(endBrowser);

/** Another server for the folder of one that is gone, and a visit of it. */
async function again(t, visit) {
  const server = await Server.start(t, visit.folder);
  const next = await Visit.begin(t, { server });
  next.plan = visit.plan;
  return next;
}

test("after a kill in the middle of a run plan, history and runs are there, undo works, and nothing of the run is left", async (t) => {
  const folder = folderFor(t);
  longSurvey(folder, 12);
  const visit = await Visit.begin(t, { folder });
  visit.plan = "long.toml";
  // One run that is finished, of a plan that is fast, and then edits and a run that is not.
  const long = visit.text();
  await visit.go("text");
  const fast = await visit.changes(async () => {
    await visit.page.getByLabel("Text of the plan").fill(long.replace("k = 5", "k = 5\noff = true"));
    await visit.page.getByRole("button", { name: "Save the text" }).click();
  });
  await visit.run();
  await visit.go("steps");
  await visit.changes(() => visit.page.getByRole("button", { name: /^Switch on step 1/ }).click());
  await visit.go("variables");
  const last = await visit.changes(() => visit.page.getByLabel("Role of couple", { exact: true }).selectOption("other"));
  await visit.go("run");
  await visit.page.getByRole("button", { name: "Run this plan" }).click();
  const kept = path.join(folder, ".bauta-web/long.toml/runs");
  await until("the run has begun", () => fs.existsSync(path.join(kept, "000002")), 60_000);
  await visit.page.waitForTimeout(1_000);
  await visit.server.kill();

  const next = await again(t, visit);
  assert.equal(next.text(), last);
  await next.go("run");
  assert.equal(await next.runs(), 1, "the finished run is there, the other is not");
  assert.equal(await next.page.locator(".job").count(), 0);
  assert.deepEqual(fs.readdirSync(kept), ["000001"], "nothing of the data stays behind");
  await next.go("history");
  assert.equal(await next.page.locator("[aria-label=Versions] tbody tr").count(), 4);
  const press = (name) => next.changes(() => next.page.getByRole("button", { name, exact: true }).click());
  await press("Undo");
  assert.equal(await press("Undo"), fast);
  assert.equal(await press("Undo"), long);
  await press("Redo");
  await press("Redo");
  assert.equal(await press("Redo"), last);
  await next.go("compare");
  await next.page.getByRole("heading", { name: "run 1" }).waitFor();
  await next.go("steps");
  await next.changes(() => next.page.getByRole("button", { name: /^Switch off step 1/ }).click());
  await next.run();
  assert.equal(await next.runs(), 2, "and work goes on");
  assert.deepEqual(fs.readdirSync(folder).filter((name) => /released|tmp|part/.test(name)), []);
});

test("edits that were answered are on the disk, however the server ends", async (t) => {
  const visit = await Visit.begin(t);
  await visit.openDemo();
  let current = visit;
  for (const role of ["other", "key", "sensitive", "stratum"]) {
    await current.go("variables");
    const text = await current.changes(() => current.page.getByLabel("Role of threat", { exact: true }).selectOption(role));
    await current.server.kill();
    current = await again(t, current);
    await current.go("history");
    assert.equal(current.text(), text);
    assert.match(await current.page.locator("tr[aria-current]").innerText(), new RegExp(`threat: ${role}`));
  }
});

test("a kill during a release leaves the old file or the new one, whole, with its record", async (t) => {
  const visit = await Visit.begin(t);
  await visit.openDemo();
  const beside = path.join(visit.folder, "bauta-demo");
  await visit.run();
  await visit.go("release");
  await visit.page.getByRole("button", { name: /^Release / }).click();
  await visit.page.getByRole("region", { name: "Released" }).waitFor({ timeout: 120_000 });
  const { bauta } = await import("./app.mjs");
  let current = visit;
  for (const ms of [20, 120, 300]) {
    await current.go("steps/5");
    await current.page.getByLabel("Why", { exact: true }).fill(`reason after ${ms} ms`);
    await current.changes(() => current.page.getByRole("button", { name: "Save the step" }).click());
    await current.run();
    await current.go("release");
    await current.page.getByRole("button", { name: /^Release / }).click();
    await new Promise((go) => setTimeout(go, ms));
    await current.server.kill();
    current = await again(t, current);
    await current.go("release");
    const record = JSON.parse(fs.readFileSync(path.join(beside, "survey-protected.record.json"), "utf8"));
    const { hashOf } = await import("./app.mjs");
    assert.ok(JSON.stringify(record).includes(hashOf(path.join(beside, "survey-protected.csv"))), "the record is of the file that lies beside it");
    assert.equal(bauta(beside, "verify", "survey-protected.record.json").code, 0);
  }
});

test("a text that was being written when the server was started again stays on its page, which says what to do", async (t) => {
  const visit = await Visit.begin(t);
  await visit.openDemo();
  await visit.go("text");
  const area = visit.page.getByLabel("Text of the plan");
  const before = visit.text();
  const mine = `${before}# mine\n`;
  const port = visit.server.port;
  await visit.server.kill();
  await area.fill(mine);
  await visit.page.getByRole("alert").filter({ hasText: "does not answer" }).waitFor();
  await Server.start(t, visit.folder, "--port", String(port));
  await visit.page.getByRole("button", { name: "Save the text" }).click();
  const said = visit.page.getByRole("alert").filter({ hasText: "not saved" });
  await said.waitFor();
  assert.match(await said.innerText(), /address that it printed/);
  assert.equal(await area.inputValue(), mine);
  assert.equal(visit.text(), before);
});

test("a form of a page that was open when the server was started again does nothing and says what to do", async (t) => {
  const visit = await Visit.begin(t);
  await visit.openDemo();
  await visit.go("steps");
  const before = visit.text();
  const port = visit.server.port;
  await visit.server.kill();
  await Server.start(t, visit.folder, "--port", String(port));
  await visit.page.getByRole("button", { name: /^Switch off step 2/ }).click();
  await visit.page.getByRole("heading", { name: "Not let in" }).waitFor();
  assert.match(await visit.page.locator("main").innerText(), /address that .*bauta serve.* printed/);
  assert.equal(visit.text(), before);
});
