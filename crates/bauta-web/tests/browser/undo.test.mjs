// Undo and redo, by buttons and by keys, without limit.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { until } from "./app.mjs";
import { Visit, endBrowser } from "./browser.mjs";

after(endBrowser);

/** Twenty changes on all pages of forms, each with a name. */
function changes({ page, go, text }) {
  const role = (name, role) => [`${name} is ${role}`, "variables", () => page.getByLabel(`Role of ${name}`, { exact: true }).selectOption(role)];
  const label = (name, words) => [`${name} is called ${words}`, "variables", async () => {
    await page.getByLabel(`${name} in words`).fill(words);
    await page.getByLabel(`${name} in words`).blur();
  }];
  const button = (name, end = "steps") => [`button ${name}`, end, () => page.getByRole("button", { name }).click()];
  const reason = (number, words) => [`step ${number} because ${words}`, `steps/${number}`, async () => {
    await page.getByLabel("Why", { exact: true }).fill(words);
    await page.getByRole("button", { name: "Save the step" }).click();
  }];
  const scenario = (name, keys) => [`scenario ${name}`, `scenarios?chosen=yes${keys.map((key) => `&keys=${key}`).join("")}`, async () => {
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByRole("button", { name: "Save the scenario" }).click();
  }];
  return [
    role("threat", "other"), label("gender", "Sex"), role("ind", "other"), role("theft_vehicle", ""),
    ["kind of uu", "variables", () => page.getByLabel("Kind of uu", { exact: true }).selectOption("unordered")],
    ["codes of age", "variables/age", async () => {
      await page.getByLabel("Codes that mean no value").fill("99 = refused\n98 = not known");
      await page.getByRole("button", { name: "Save", exact: true }).click();
    }],
    scenario("friend", ["gender", "age"]), scenario("teacher", ["qual"]), button("Remove scenario friend", "scenarios"), scenario("teacher", ["qual", "age"]),
    button(/^Switch off step 2/), button(/^Move down step 2/), button(/^Move up step 5/), button(/^Remove step 1/), button(/^Switch on step/),
    reason(1, "one reason"), reason(1, "another reason"),
    ["a step added", "steps/new/top-bottom", async () => {
      await page.getByRole("group", { name: "On" }).getByRole("checkbox").first().check();
      const upper = page.getByLabel("top", { exact: true });
      if (await upper.count()) await upper.fill("4");
      await page.getByRole("button", { name: /^Add the step|anyway/ }).first().click();
      const anyway = page.getByRole("button", { name: /all the same|anyway/i });
      await anyway.or(page.getByRole("heading", { level: 1, name: "Steps" })).first().waitFor();
      if (await anyway.count()) await anyway.click();
    }],
    label("age", 'Age "in" <classes>'),
    ["the text", "text", async () => {
      await page.getByLabel("Text of the plan").fill(`${text()}# the end\n`);
      await page.getByRole("button", { name: "Save the text" }).click();
    }],
  ].map(([what, end, act]) => ({ what, end, act, go }));
}

/** Makes the changes; gives the text of the plan before the first and after each. */
async function changed(visit) {
  const texts = [visit.text()];
  const all = changes({ page: visit.page, go: (end) => visit.go(end), text: () => visit.text() });
  assert.equal(all.length, 20);
  for (const { what, end, act } of all) {
    await visit.go(end);
    const text = await visit.changes(act).catch((error) => { throw new Error(`${what}: ${error.message}`); });
    assert.notEqual(text, texts.at(-1), what);
    texts.push(text);
  }
  assert.equal(new Set(texts).size, 21, "each change is one");
  return texts;
}

test("twenty actions are undone and done again by buttons, with the plan's text right at each", async (t) => {
  const visit = await Visit.begin(t);
  await visit.openDemo();
  const texts = await changed(visit);
  const press = (name) => visit.changes(() => visit.page.getByRole("button", { name, exact: true }).click());
  await visit.go("steps");
  for (let n = 19; n >= 0; n -= 1) assert.equal(await press("Undo"), texts[n], `back to ${n}`);
  assert.equal(await visit.page.getByRole("button", { name: "Undo", exact: true }).isDisabled(), true);
  for (let n = 1; n <= 20; n += 1) assert.equal(await press("Redo"), texts[n], `forth to ${n}`);
  assert.equal(await visit.page.getByRole("button", { name: "Redo", exact: true }).isDisabled(), true);
  assert.deepEqual(visit.takeTroubles(), []);
});

test("twenty actions are undone and done again by keys, on any page", async (t) => {
  const visit = await Visit.begin(t);
  await visit.openDemo();
  const texts = await changed(visit);
  const pages = ["variables", "scenarios", "steps", "run", "compare", "release", "history"];
  const press = (keys) => visit.changes(() => visit.page.keyboard.press(keys));
  for (let n = 19; n >= 0; n -= 1) {
    if (n % 3 === 0) await visit.go(pages[n % pages.length]);
    assert.equal(await press("Control+z"), texts[n], `back to ${n}`);
  }
  for (let n = 1; n <= 20; n += 1) {
    if (n % 3 === 0) await visit.go(pages[n % pages.length]);
    assert.equal(await press(n % 2 ? "Control+y" : "Control+Shift+Z"), texts[n], `forth to ${n}`);
  }
  assert.deepEqual(visit.takeTroubles(), []);
});

test("a change after going back loses nothing: what was undone is in the history and can be had again", async (t) => {
  const visit = await Visit.begin(t);
  await visit.openDemo();
  const select = (name, role) => visit.changes(() => visit.page.getByLabel(`Role of ${name}`, { exact: true }).selectOption(role));
  const first = await select("threat", "other");
  const second = await select("ind", "other");
  await visit.changes(() => visit.page.getByRole("button", { name: "Undo", exact: true }).click());
  await select("theft_violence", "other");
  await visit.go("history");
  const rows = visit.page.locator("[aria-label=Versions] tbody tr");
  assert.equal(await rows.count(), 4);
  assert.match(await rows.nth(1).innerText(), /ind: other/);
  assert.equal(await visit.changes(() => rows.nth(1).getByRole("button", { name: "Go to it" }).click()), second);
  assert.equal(await visit.changes(() => visit.page.getByRole("button", { name: "Undo", exact: true }).click()), first);
});

test("in a field the keys undo what is written there and not the plan", async (t) => {
  const visit = await Visit.begin(t);
  await visit.openDemo();
  const before = await visit.changes(() => visit.page.getByLabel("Role of threat", { exact: true }).selectOption("other"));
  const field = visit.page.getByLabel("gender in words");
  await field.focus();
  await visit.page.keyboard.type("abc");
  await visit.page.keyboard.press("Control+z");
  await visit.page.waitForTimeout(500);
  assert.equal(visit.text(), before);
  assert.doesNotMatch(await field.inputValue(), /abc$/);
});

test("a plan that was changed by hand is a version too", async (t) => {
  const visit = await Visit.begin(t);
  await visit.openDemo();
  const fs = await import("node:fs");
  const file = `${visit.folder}/${visit.plan}`;
  const before = visit.text();
  fs.writeFileSync(file, `${before}# by hand\n`);
  await visit.go("steps");
  const undone = await visit.changes(() => visit.page.getByRole("button", { name: "Undo", exact: true }).click());
  assert.equal(undone, before);
  const redone = await visit.changes(() => visit.page.getByRole("button", { name: "Redo", exact: true }).click());
  assert.equal(redone, `${before}# by hand\n`);
});

test("steps are dragged to another place", async (t) => {
  const visit = await Visit.begin(t);
  await visit.openDemo();
  await visit.go("steps");
  const titles = () => visit.page.locator(".step h2").allInnerTexts();
  const before = await titles();
  await visit.changes(() => visit.page.locator(".step").nth(4).dragTo(visit.page.locator(".step").nth(0)));
  const expected = [before[4], ...before.slice(0, 4)];
  await until("the list is in the new order", async () => (await titles()).join() === expected.join());
  assert.match(visit.text(), /\[\[step\]\]\nmask = "suppress-local"[^]*mask = "drop-identifiers"/);
});
