// Two tabs, and changes that cross each other.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { until } from "./app.mjs";
import { Visit, endBrowser } from "./browser.mjs";

after(endBrowser);

/** A second tab on a page of the plan. */
async function second(visit, end) {
  const tab = await visit.tab();
  await tab.goto(visit.at(end));
  return tab;
}

/** A page of the plan in another browser, which hears of nothing that goes on. */
async function deaf(t, visit, end) {
  const other = await Visit.begin(t, { server: visit.server });
  await other.context.route("**/events", (route) => route.abort());
  await other.page.goto(visit.at(end));
  return other.page;
}

test("a form that was made before the plan was changed elsewhere is refused, and nothing of the other change is lost", async (t) => {
  const visit = await Visit.begin(t);
  await visit.openDemo();
  const forms = {
    "variables": (tab) => tab.getByLabel("Role of ind", { exact: true }).selectOption("other"),
    "variables/age": (tab) => tab.getByRole("button", { name: "Save", exact: true }).click(),
    "scenarios": (tab) => tab.getByRole("button", { name: "Remove scenario colleague" }).click(),
    "steps": (tab) => tab.getByRole("button", { name: /^Remove step 2/ }).click(),
    "steps/3": async (tab) => {
      await tab.getByLabel("Why", { exact: true }).fill("stale");
      await tab.getByRole("button", { name: "Save the step" }).click();
    },
    "steps/new/drop-identifiers": (tab) => tab.getByRole("button", { name: "Add the step" }).click(),
    "run": (tab) => tab.getByRole("button", { name: "Run this plan" }).click(),
    "history": (tab) => tab.getByRole("button", { name: "Undo", exact: true }).click(),
  };
  let n = 0;
  for (const [end, act] of Object.entries(forms)) {
    const tab = await deaf(t, visit, end);
    await visit.go("variables");
    n += 1;
    const text = await visit.changes(async () => {
      await visit.page.getByLabel("gender in words").fill(`Gender ${n}`);
      await visit.page.getByLabel("gender in words").blur();
    });
    await act(tab);
    await tab.getByRole("heading", { name: "The plan has changed" }).waitFor();
    assert.equal(visit.text(), text, end);
    assert.match(await tab.locator("main").innerText(), /not taken up/, end);
    await tab.getByRole("link", { name: /as it is now/ }).click();
    await tab.getByRole("heading", { name: "Steps", exact: true }).waitFor();
    await tab.close();
  }
});

test("a stale text is shown beside the plan as it is now, and neither is lost", async (t) => {
  const visit = await Visit.begin(t);
  await visit.openDemo();
  const tab = await deaf(t, visit, "text");
  const mine = `${visit.text()}# mine\n`;
  await tab.getByLabel("Text of the plan").fill(mine);
  const theirs = await visit.changes(() => visit.page.getByLabel("Role of threat", { exact: true }).selectOption("other"));
  await tab.getByRole("button", { name: "Save the text" }).click();
  await tab.getByRole("alert").waitFor();
  assert.equal(visit.text(), theirs);
  assert.equal(await tab.getByLabel("Text of the plan").inputValue(), mine);
  assert.equal((await tab.locator("pre.plan").textContent()).trim(), theirs.trim());
  await tab.getByRole("button", { name: "Save the text" }).click();
  await until("mine is saved, now that I know", () => visit.text() === mine);
  await visit.go("steps");
  assert.equal(await visit.changes(() => visit.page.getByRole("button", { name: "Undo", exact: true }).click()), theirs);
});

test("two changes of one form that follow at once are both kept", async (t) => {
  const visit = await Visit.begin(t);
  await visit.openDemo();
  // The answer to the first takes its time, as on a slow machine.
  await visit.page.route("**/variables", async (route) => {
    if (route.request().method() === "POST") await new Promise((go) => setTimeout(go, 400));
    await route.continue();
  });
  await visit.page.getByLabel("Role of threat", { exact: true }).selectOption("other");
  await visit.page.getByLabel("Role of ind", { exact: true }).selectOption("other");
  await visit.page.waitForTimeout(2_000);
  assert.match(visit.text(), /^threat\s+= \{ role = "other"/m);
  assert.match(visit.text(), /^ind\s+= \{ role = "other"/m, "the second is not lost");
});

test("what is being typed while another field is saved is not lost", async (t) => {
  const visit = await Visit.begin(t);
  await visit.openDemo();
  await visit.page.route("**/variables", async (route) => {
    if (route.request().method() === "POST") await new Promise((go) => setTimeout(go, 400));
    await route.continue();
  });
  await visit.page.getByLabel("Role of threat", { exact: true }).selectOption("other");
  await visit.page.getByLabel("gender in words").focus();
  await visit.page.keyboard.press("End");
  await visit.page.keyboard.type(" as the person says it is", { delay: 60 });
  await visit.page.keyboard.press("Tab");
  await until("both are in the plan", () => /^threat\s+= \{ role = "other"/m.test(visit.text()) && visit.text().includes('"Gender as the person says it is"'), 5_000);
});

test("a run that ends is told in every tab", async (t) => {
  const visit = await Visit.begin(t);
  await visit.openDemo();
  const tab = await second(visit, "run");
  await visit.go("run");
  await visit.page.getByRole("button", { name: "Run this plan" }).click();
  await until("the other tab shows the run", async () => await tab.locator("[aria-label=Runs] tbody tr").count() === 1, 120_000);
});

test("eight tabs do not keep the app from answering", async (t) => {
  // A browser opens six connections to a server; pages that listen for events must not use them all up.
  const visit = await Visit.begin(t);
  await visit.openDemo();
  for (let n = 0; n < 7; n += 1) await second(visit, "steps");
  const asked = Date.now();
  await visit.page.goto(visit.at("history"), { timeout: 10_000 });
  assert.ok(Date.now() - asked < 3_000, `${Date.now() - asked} ms`);
});
