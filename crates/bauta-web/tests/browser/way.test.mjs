// From the start page to a released file, as somebody goes who has never written a plan.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, test } from "node:test";
import { bauta, folderFor, hashOf, until } from "./app.mjs";
import { Visit, endBrowser } from "./browser.mjs";
import { goTheWay } from "./steps.mjs";

after(endBrowser);

/** Runs a copy of the plan that the app wrote, in a folder that the app has never seen. */
function runElsewhere(t, visit) {
  const elsewhere = folderFor(t);
  const beside = path.dirname(path.join(visit.folder, visit.plan));
  fs.copyFileSync(path.join(beside, "survey.csv"), path.join(elsewhere, "survey.csv"));
  fs.copyFileSync(path.join(beside, "plan.toml"), path.join(elsewhere, "plan.toml"));
  const done = bauta(elsewhere, "run", "plan.toml");
  assert.equal(done.code, 0, done.err);
  return [beside, elsewhere];
}

test("the way from the demonstration to a release gives the bytes that bauta run gives on the plan", async (t) => {
  const visit = await Visit.begin(t);
  await goTheWay(visit);
  const [beside, elsewhere] = runElsewhere(t, visit);
  for (const file of ["survey-protected.csv", "report-public.html"]) {
    assert.equal(hashOf(path.join(beside, file)), hashOf(path.join(elsewhere, file)), file);
  }
  const released = (folder) => JSON.parse(fs.readFileSync(path.join(folder, "survey-protected.record.json"), "utf8"));
  const [here, there] = [released(beside), released(elsewhere)];
  for (const part of ["plan", "steps", "measurements", "gates", "claims", "released"]) assert.deepEqual(here[part], there[part], part);
  assert.deepEqual(visit.takeTroubles(), []);
});

test("the file that the browser takes away is the file that was released", async (t) => {
  const visit = await Visit.begin(t);
  await visit.openDemo();
  await visit.run();
  await visit.go("release");
  await visit.page.getByRole("button", { name: /^Release / }).click();
  const link = visit.page.getByRole("region", { name: "Released" }).getByRole("link", { name: "survey-protected.csv" });
  await link.waitFor({ timeout: 120_000 });
  const [download] = await Promise.all([visit.page.waitForEvent("download"), link.click()]);
  assert.equal(download.suggestedFilename(), "survey-protected.csv");
  assert.equal(hashOf(await download.path()), hashOf(path.join(visit.folder, "bauta-demo/survey-protected.csv")));
});

test("a file whose conditions fail is not released, by no way", async (t) => {
  const visit = await Visit.begin(t);
  await visit.openDemo();
  const released = path.join(visit.folder, "bauta-demo/survey-protected.csv");
  fs.rmSync(released, { force: true });
  await visit.go("text");
  await visit.changes(async () => {
    await visit.page.getByLabel("Text of the plan").fill(visit.text().replace("at_least = 3", "at_least = 5000"));
    await visit.page.getByRole("button", { name: "Save the text" }).click();
  });
  await visit.run();
  assert.match(await visit.page.locator("[aria-label=Runs] tbody tr").first().innerText(), /condition/);
  await visit.go("release");
  assert.equal(await visit.page.getByRole("button", { name: /^Release / }).count(), 0);
  assert.equal(await visit.page.locator("iframe[title^=External]").count(), 0, "there is no report for everybody of a file that does not go");
  // A form that no page shows does not release it either.
  const cookie = await visit.server.cookie();
  const fields = { token: await visit.page.locator("input[name=token]").first().inputValue(), version: String(await visit.version()) };
  assert.equal((await visit.server.post(cookie, `/p/${encodeURIComponent(visit.plan)}/release`, fields)).status, 303);
  await visit.go("run");
  await until("the second run is over", async () => { await visit.page.waitForTimeout(200); return await visit.runs() === 2; }, 120_000);
  assert.equal(fs.existsSync(released), false);
});

test("a run releases nothing", async (t) => {
  const visit = await Visit.begin(t);
  await visit.openDemo();
  const beside = path.join(visit.folder, "bauta-demo");
  const files = () => fs.readdirSync(beside).filter((name) => !name.startsWith(".")).sort()
    .map((name) => [name, hashOf(path.join(beside, name))]);
  const before = files();
  await visit.run();
  assert.deepEqual(files(), before);
  const kept = fs.readdirSync(path.join(beside, ".bauta-web"), { recursive: true }).map(String);
  assert.deepEqual(kept.filter((name) => name.endsWith(".csv")), [], "and keeps no data");
});

test("a step's preview says whether it is of a sample, and writes nothing", async (t) => {
  const visit = await Visit.begin(t);
  await visit.openDemo();
  const before = visit.text();
  for (const [button, said] of [["Try it on 2000 records", /A sample: 2000 of 12901 records/], ["Try it on the whole file", /All 12901 records/]]) {
    await visit.go("steps/3");
    await visit.page.getByRole("button", { name: button }).click();
    await until(button, async () => said.test(await visit.page.locator("main").innerText()), 60_000);
    const row = visit.page.locator("[aria-label='What changes'] tbody tr");
    assert.deepEqual(await row.locator("th").allInnerTexts(), ["hsize"]);
    assert.match(await row.innerText(), /4\s+3$/, "four categories became three");
  }
  assert.equal(visit.text(), before);
});

test("a new method's form comes from its card, with its page beside it", async (t) => {
  const visit = await Visit.begin(t);
  await visit.openDemo();
  const listed = bauta(visit.folder, "list", "--json");
  const known = JSON.parse(listed.out);
  const steps = (known.methods ?? known).filter((card) => ["mask", "adjust", "adjuster"].includes(card.family));
  assert.ok(steps.length > 20, `${steps.length} methods`);
  await visit.go("steps/add");
  const links = await visit.page.locator(".methods a").evaluateAll((all) => all.map((one) => one.getAttribute("href").split("/").pop()));
  assert.deepEqual([...links].sort(), steps.map((card) => card.id).sort());
  for (const id of links) {
    const answer = await visit.go(`steps/new/${id}`);
    assert.equal(answer.status(), 200, id);
    assert.match(await visit.page.locator("aside.help").innerText(), /What it does/, id);
    const unnamed = await visit.page.locator("form.stacked-form :is(input, select, textarea):not([type=hidden])").evaluateAll(
      (all) => all.filter((one) => !one.labels?.length).map((one) => one.name));
    assert.deepEqual(unnamed, [], id);
  }
  assert.deepEqual(visit.takeTroubles(), []);
});

test("a parameter that makes no sense is refused beside its form, and nothing of the form is lost", async (t) => {
  const visit = await Visit.begin(t);
  await visit.openDemo();
  const before = visit.text();
  await visit.go("steps/new/suppress-local");
  await visit.page.getByLabel("k", { exact: true }).fill("-3");
  await visit.page.getByLabel("Why", { exact: true }).fill("because");
  await visit.page.getByRole("group", { name: "On" }).getByLabel("gender").check();
  await visit.page.getByRole("button", { name: "Add the step" }).click();
  await visit.page.locator("form .problems").waitFor();
  assert.equal(visit.text(), before);
  assert.equal(await visit.page.getByLabel("k", { exact: true }).inputValue(), "-3");
  assert.equal(await visit.page.getByLabel("Why", { exact: true }).inputValue(), "because");
  assert.equal(await visit.page.getByRole("group", { name: "On" }).getByLabel("gender").isChecked(), true);
  assert.match(await visit.page.locator("form .problems").innerText(), /k/);
});

test("forms and text are two views of one thing: comments stay, and what a form changes is in the text", async (t) => {
  const visit = await Visit.begin(t);
  await visit.openDemo();
  const comments = (text) => text.match(/#.*/g);
  const before = visit.text();
  const after = await visit.changes(() => visit.page.getByLabel("Role of threat", { exact: true }).selectOption("other"));
  assert.deepEqual(comments(after), comments(before));
  const changed = after.split("\n").filter((line, at) => line !== before.split("\n")[at]);
  assert.deepEqual(changed, ['threat           = { role = "other", label = "Threats" }']);
  await visit.go("text");
  assert.equal(await visit.page.getByLabel("Text of the plan").inputValue(), after);
  await visit.changes(async () => {
    await visit.page.getByLabel("Text of the plan").fill(after.replace('"Gender"', '"Sex or gender"'));
    await visit.page.getByRole("button", { name: "Save the text" }).click();
  });
  await visit.go("variables");
  assert.equal(await visit.page.getByLabel("gender in words").inputValue(), "Sex or gender");
});

test("mistakes stand at their lines while the text is written, and go when they are mended", async (t) => {
  const visit = await Visit.begin(t);
  await visit.openDemo();
  await visit.go("text");
  const area = visit.page.getByLabel("Text of the plan");
  const good = visit.text();
  const lines = good.split("\n");
  const line = lines.findIndex((one) => one.includes('mask = "suppress-local"')) + 1;
  await area.fill(good.replace('"suppress-local"', '"supress-local"'));
  const problem = visit.page.locator("#problems li").first();
  await problem.waitFor();
  assert.match(await problem.innerText(), new RegExp(`^Line ${line}: .*supress-local.*suppress-local`, "s"));
  await problem.click();
  const selected = await area.evaluate((one) => one.value.slice(one.selectionStart, one.selectionEnd));
  assert.equal(selected, 'mask = "supress-local"');
  await area.fill(good);
  await visit.page.locator("#problems").getByText("Nothing is wrong").waitFor();
  assert.equal(visit.text(), good, "nothing was saved meanwhile");
});
