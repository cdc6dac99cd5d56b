// The keyboard alone: no test here moves or presses a mouse.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { until } from "./app.mjs";
import { DEMO, Visit, endBrowser } from "./browser.mjs";

after(endBrowser);

/** What has the focus: its name, and whether one sees that it has it. */
function focused(page) {
  return page.evaluate(() => {
    const one = document.activeElement;
    if (!one || one === document.body) return { name: "", role: "" };
    const named = one.getAttribute("aria-label") ?? one.labels?.[0]?.innerText ?? one.innerText ?? "";
    const style = getComputedStyle(one);
    const outline = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
    const box = one.getBoundingClientRect();
    const isInView = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth && box.width > 0 && box.height > 0;
    // A bar that stays at the top must not lie over what has the focus.
    const at = document.elementFromPoint(Math.min(Math.max(box.left + box.width / 2, 1), innerWidth - 1), Math.min(Math.max(box.top + Math.min(box.height, 20) / 2, 1), innerHeight - 1));
    const isCovered = !(at && (one.contains(at) || at.contains(one) || [...(one.labels ?? [])].some((label) => label.contains(at))));
    const group = one.closest("fieldset")?.querySelector("legend")?.innerText ?? "";
    return { tag: one.tagName, id: one.id, name: named.trim(), group, outline, isInView, isCovered, value: one.value, checked: one.checked };
  });
}

/** Presses Tab until something has the focus that is looked for. */
async function tabTo(page, name, { most = 400, group = null, tag = null } = {}) {
  const seen = [];
  for (let n = 0; n < most; n += 1) {
    await page.keyboard.press("Tab");
    const now = await focused(page);
    seen.push(now.name || now.tag);
    const isNamed = name instanceof RegExp ? name.test(now.name) : now.name === name;
    if (isNamed && (group === null || now.group === group) && (tag === null || now.tag === tag)) return now;
  }
  throw new Error(`Tab never reached ${name}; it reached ${[...new Set(seen)].join(" | ")}`);
}

const onPage = (page, name) => page.getByRole("heading", { level: 1, name, exact: true }).waitFor({ timeout: 60_000 });

test("the whole way is gone by keys: variables, a step, a run, a release", async (t) => {
  const visit = await Visit.begin(t);
  const { page } = visit;
  const press = (keys) => page.keyboard.press(keys);
  visit.plan = DEMO;
  await tabTo(page, "Open the demonstration");
  await press("Enter");
  await onPage(page, "Variables");

  await tabTo(page, "Role of threat");
  const before = visit.text();
  await press("ArrowUp");
  await until("the role is saved", () => visit.text() !== before);
  assert.match(visit.text(), /^threat\s+= \{ role = "key"/m);

  await page.goto(visit.at("variables"));
  await tabTo(page, "Steps");
  await press("Enter");
  await onPage(page, "Steps");
  await tabTo(page, "Add a step");
  await press("Enter");
  await onPage(page, "Add a step");
  await tabTo(page, /recod/i);
  await press("Enter");
  await page.getByRole("button", { name: "Add the step" }).waitFor();
  await tabTo(page, "uu", { group: "On" });
  await press("Space");
  assert.equal((await focused(page)).checked, true);
  await tabTo(page, "map");
  await page.keyboard.type("1 = 1-2\n2 = 1-2");
  await tabTo(page, "Why");
  await page.keyboard.type("small towns are few");
  await tabTo(page, "Add the step");
  await press("Enter");
  await onPage(page, "Steps");
  assert.match(visit.text(), /on = \["uu"\]/);
  await tabTo(page, /^Move up step 6/);
  const unmoved = visit.text();
  await press("Enter");
  await until("the step is moved", () => visit.text() !== unmoved);

  await onPage(page, "Steps");
  await tabTo(page, "Run");
  await press("Enter");
  await onPage(page, "Run");
  await tabTo(page, "Run this plan");
  await press("Enter");
  await until("the run is done", async () => await visit.runs() === 1, 120_000);
  await tabTo(page, "Release");
  await press("Enter");
  await onPage(page, "Release");
  await tabTo(page, /^Release survey/);
  await press("Enter");
  await page.getByRole("region", { name: "Released" }).waitFor({ timeout: 120_000 });
  assert.deepEqual(visit.takeTroubles(), []);
});

const PAGES = ["variables", "variables/age", "scenarios", "steps", "steps/add", "steps/1", "steps/new/recode", "file", "conditions", "run", "compare", "release", "text", "history"];

test("Tab reaches every control of every page, and each that has the focus is seen to have it", async (t) => {
  const visit = await Visit.begin(t);
  await visit.openDemo();
  await visit.idle();
  await visit.run();
  for (const end of PAGES) {
    await visit.go(end);
    await visit.idle();
    const controls = await visit.page.evaluate(() => {
      const all = document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0'], iframe");
      const usable = [...all].filter((one) => !one.disabled && one.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }));
      usable.forEach((one, at) => { one.dataset.control = String(at); });
      return usable.map((one) => `${one.tagName} ${one.getAttribute("aria-label") ?? one.innerText.slice(0, 30)}`);
    });
    const reached = new Set();
    for (let n = 0; n < controls.length * 2 + 20 && reached.size < controls.length; n += 1) {
      await visit.page.keyboard.press("Tab");
      const at = await visit.page.evaluate(() => document.activeElement?.dataset?.control);
      if (at === undefined) continue;
      reached.add(Number(at));
      const now = await focused(visit.page);
      const where = `${end}: ${controls[at]}`;
      if (now.tag === "IFRAME") continue;
      assert.ok(now.outline, `${where} does not show that it has the focus`);
      assert.ok(now.isInView, `${where} has the focus out of view`);
      assert.ok(!now.isCovered, `${where} has the focus under something else`);
    }
    const missed = controls.filter((_, at) => !reached.has(at));
    assert.deepEqual(missed, [], end);
  }
});

test("the focus stays where it is when a live form is saved", async (t) => {
  const visit = await Visit.begin(t);
  await visit.openDemo();
  const { page } = visit;
  await visit.idle();
  await page.getByLabel("Role of threat", { exact: true }).focus();
  const top = await page.evaluate(() => document.activeElement.getBoundingClientRect().top);
  await visit.changes(() => page.keyboard.press("ArrowUp"));
  assert.equal((await focused(page)).name, "Role of threat");
  const moved = Math.abs(await page.evaluate(() => document.activeElement.getBoundingClientRect().top) - top);
  assert.ok(moved < 40, `and where it was on the screen: ${moved} px`);
  await visit.changes(() => page.keyboard.press("ArrowUp"));
  assert.equal((await focused(page)).name, "Role of threat");

  await page.getByLabel("gender in words").focus();
  await page.keyboard.press("End");
  await page.keyboard.type(" x");
  await visit.changes(() => page.keyboard.press("Tab"));
  assert.notEqual((await focused(page)).name, "gender in words", "Tab went on");
  assert.notEqual((await focused(page)).name, "", "and was not thrown back to the head of the page");

  await visit.go("scenarios");
  await visit.idle();
  const box = page.getByRole("group", { name: "An intruder knows" }).getByLabel("hsize", { exact: true });
  await box.focus();
  for (const isKnown of [false, true]) {
    await page.keyboard.press("Space");
    await until("the keys are counted", () => new URL(page.url()).searchParams.getAll("keys").includes("hsize") === isKnown);
    await until("the focus is on the same box", async () => (await focused(page)).name === "hsize");
    assert.equal(await box.isChecked(), isKnown);
  }
});

test("the first key leads past the head of the page", async (t) => {
  const visit = await Visit.begin(t);
  await visit.openDemo();
  const { page } = visit;
  await visit.go("steps");
  await page.keyboard.press("Tab");
  const skip = await focused(page);
  assert.equal(skip.name, "Skip to the content");
  assert.ok(skip.isInView, "it is seen when it has the focus");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.querySelector("main").contains(document.activeElement)), true);
});

test("the focus is kept when a run ends elsewhere on the page", async (t) => {
  const visit = await Visit.begin(t);
  await visit.openDemo();
  await visit.go("run");
  await visit.page.getByRole("button", { name: "Run this plan" }).focus();
  await visit.page.keyboard.press("Enter");
  await until("the run is done", async () => await visit.runs() === 1, 120_000);
  await tabTo(visit.page, "Compare");
  await visit.page.keyboard.press("Enter");
  await onPage(visit.page, "Compare");
});
