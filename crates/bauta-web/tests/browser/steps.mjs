// The way through the work by forms, as several tests go it: with the script and without.
import assert from "node:assert/strict";
import { until } from "./app.mjs";

/** From the start page to a release, with a change on every page. */
export async function goTheWay(visit) {
  await visit.openDemo();
  await describeVariables(visit);
  await addScenario(visit);
  await changeSteps(visit);
  await runTwice(visit);
  await release(visit);
}

async function describeVariables(visit) {
  const { page } = visit;
  await visit.changes(async () => {
    await page.getByLabel("Role of phys_violence", { exact: true }).selectOption("other");
    if (visit.isPlain) await page.getByRole("button", { name: "Save the changes" }).click();
  });
  assert.match(visit.text(), /phys_violence\s*= \{ role = "other"/);
  await visit.changes(async () => {
    await page.getByLabel("gender in words").fill("Gender, as registered");
    if (visit.isPlain) await page.getByRole("button", { name: "Save the changes" }).click();
    else await page.getByLabel("gender in words").blur();
  });
  assert.match(visit.text(), /label = "Gender, as registered"/);
  await page.getByRole("link", { name: "age", exact: true }).click();
  await page.getByRole("heading", { name: "Variable age" }).waitFor();
  await visit.changes(async () => {
    await page.getByLabel("Categories from lowest to highest").fill("1\n2\n3\n4\n5\n6");
    await page.getByRole("button", { name: "Save", exact: true }).click();
  });
  assert.match(visit.text(), /order = \["1", "2", "3", "4", "5", "6"\]/);
}

async function addScenario(visit) {
  const { page } = visit;
  await page.getByRole("link", { name: "Scenarios and risk" }).click();
  await page.getByRole("heading", { name: "Scenarios and risk" }).waitFor();
  const known = page.getByRole("group", { name: "An intruder knows" });
  for (const [key, isKnown] of [["couple", false], ["hsize", false], ["qual", true]]) {
    await known.getByLabel(key, { exact: true }).setChecked(isKnown);
    if (!visit.isPlain) await until(`${key} is taken up`, async () => new URL(page.url()).searchParams.getAll("keys").includes(key) === isKnown);
  }
  if (visit.isPlain) await page.getByRole("button", { name: "Count", exact: true }).click();
  await page.locator("#uniques").waitFor({ timeout: 60_000 });
  assert.match(await page.locator("#uniques").innerText(), /^\d+$/);
  await visit.changes(async () => {
    await page.getByLabel("Name", { exact: true }).fill("register");
    await page.getByLabel("Why somebody could know this").fill("a register of pupils");
    await page.getByRole("button", { name: "Save the scenario" }).click();
  });
  assert.match(visit.text(), /name = "register"\nkeys = \["gender", "age", "uu", "qual"\]/);
}

async function changeSteps(visit) {
  const { page } = visit;
  await page.getByRole("link", { name: "Steps", exact: true }).click();
  await page.getByRole("link", { name: "Add a step" }).click();
  await page.locator(".methods").getByRole("link", { name: /recod/i }).first().click();
  await page.getByRole("group", { name: "On" }).getByLabel("uu").check();
  await page.getByLabel("map", { exact: true }).fill("1 = 1-2\n2 = 1-2");
  await page.getByLabel("Why", { exact: true }).fill("small towns are few");
  await visit.changes(() => page.getByRole("button", { name: "Add the step" }).click());
  const methods = () => visit.text().match(/^(mask|adjust) = .*|^on = \["uu"\]|^off = true/gm);
  assert.deepEqual(methods().slice(-2), ['mask = "recode"', 'on = ["uu"]']);
  await visit.changes(() => page.getByRole("button", { name: /^Move up step 6/ }).click());
  assert.deepEqual(methods().slice(-3), ['mask = "recode"', 'on = ["uu"]', 'mask = "suppress-local"']);
  await visit.changes(() => page.getByRole("button", { name: /^Switch off step 4/ }).click());
  assert.ok(methods().includes("off = true"));
  await page.locator(".step").nth(5).getByRole("link").click();
  await page.getByLabel("k", { exact: true }).fill("4");
  await visit.changes(() => page.getByRole("button", { name: "Save the step" }).click());
  assert.match(visit.text(), /^k = 4$/m);
}

async function runTwice(visit) {
  const { page } = visit;
  await page.getByRole("link", { name: "Run", exact: true }).click();
  await page.getByRole("button", { name: "Run this plan" }).click();
  await until("the first run is done", async () => await visit.runs() === 1, 120_000);
  await page.getByRole("link", { name: "Steps", exact: true }).click();
  await visit.changes(() => page.getByRole("button", { name: /^Switch on step 4/ }).click());
  await page.getByRole("link", { name: "Run", exact: true }).click();
  await page.getByRole("button", { name: "Run this plan" }).click();
  await until("the second run is done", async () => await visit.runs() === 2, 120_000);
  await page.getByRole("link", { name: "Compare", exact: true }).click();
  await page.getByRole("heading", { name: "run 2" }).waitFor();
  await page.getByRole("checkbox", { name: /^run 1/ }).check();
  if (visit.isPlain) await page.getByRole("button", { name: "Show" }).click();
  await until("both runs stand side by side", async () => {
    const shown = new URL(page.url()).searchParams.getAll("runs");
    const heads = (await page.locator("main th[scope=col]").allInnerTexts()).join(" ");
    return shown.length === 2 && /run 1/i.test(heads) && /run 2/i.test(heads);
  });
}

async function release(visit) {
  const { page } = visit;
  await page.getByRole("link", { name: "Release", exact: true }).click();
  await page.getByRole("button", { name: /^Release / }).click();
  await page.getByRole("region", { name: "Released" }).waitFor({ timeout: 120_000 });
}
