// Without JavaScript: forms and links do it all.
import assert from "node:assert/strict";
import path from "node:path";
import { after, test } from "node:test";
import { bauta, folderFor, hashOf, until } from "./app.mjs";
import { Visit, endBrowser } from "./browser.mjs";
import { goTheWay } from "./steps.mjs";
import { rawSurvey } from "./survey.mjs";
import fs from "node:fs";

after(endBrowser);

/** A visit of a browser that runs no script. */
async function plain(t, options = {}) {
  const visit = await Visit.begin(t, { javaScriptEnabled: false, ...options });
  visit.isPlain = true;
  return visit;
}

test("without JavaScript the whole way works by forms, to the same bytes as bauta run", async (t) => {
  const visit = await plain(t);
  await goTheWay(visit);
  const beside = path.join(visit.folder, "bauta-demo");
  const elsewhere = folderFor(t);
  for (const file of ["survey.csv", "plan.toml"]) fs.copyFileSync(path.join(beside, file), path.join(elsewhere, file));
  assert.equal(bauta(elsewhere, "run", "plan.toml").code, 0);
  assert.equal(hashOf(path.join(elsewhere, "survey-protected.csv")), hashOf(path.join(beside, "survey-protected.csv")));
});

test("without JavaScript a raw file gets a plan", async (t) => {
  const folder = folderFor(t);
  rawSurvey(folder);
  const visit = await plain(t, { folder });
  await visit.beginWith("people.csv");
  assert.equal(await visit.page.getByLabel("Role of id", { exact: true }).inputValue(), "identifier");
});

test("without JavaScript a run is shown when it is done, without anybody asking again", async (t) => {
  const visit = await plain(t);
  await visit.openDemo();
  await visit.go("run");
  await visit.page.getByRole("button", { name: "Run this plan" }).click();
  await until("the run is in the list", async () => await visit.runs().catch(() => 0) === 1, 120_000);
  await until("and nothing goes on", async () => await visit.page.locator(".job").count() === 0);
});

test("without JavaScript undo, redo, the text and a preview work by their buttons", async (t) => {
  const visit = await plain(t);
  await visit.openDemo();
  const { page } = visit;
  const before = visit.text();
  await visit.go("steps");
  const after = await visit.changes(() => page.getByRole("button", { name: /^Switch off step 2/ }).click());
  assert.equal(await visit.changes(() => page.getByRole("button", { name: "Undo", exact: true }).click()), before);
  assert.equal(await visit.changes(() => page.getByRole("button", { name: "Redo", exact: true }).click()), after);
  await visit.go("text");
  await visit.changes(async () => {
    await page.getByLabel("Text of the plan").fill(`${after}# more\n`);
    await page.getByRole("button", { name: "Save the text" }).click();
  });
  await visit.go("steps/3");
  await page.getByRole("button", { name: "Try it on 2000 records" }).click();
  await until("the preview is shown", async () => /A sample: 2000/.test(await page.locator("main").innerText()), 60_000);
});
