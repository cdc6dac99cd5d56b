// Beginning with a file that has no plan yet.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, test } from "node:test";
import { bauta, folderFor, hashOf, until } from "./app.mjs";
import { Visit, endBrowser } from "./browser.mjs";
import { rawSurvey } from "./survey.mjs";

after(endBrowser);

test("a raw file gets a plan whose every proposal has a reason, and which is checked and not released as it is", async (t) => {
  const folder = folderFor(t);
  rawSurvey(folder);
  const visit = await Visit.begin(t, { folder });
  await visit.beginWith("people.csv");
  assert.equal(visit.plan, "people.toml");
  await visit.page.locator(".variables .picture svg").first().waitFor({ timeout: 60_000 });
  const names = await visit.page.locator(".variables tbody th").allInnerTexts();
  assert.deepEqual(names.map((name) => name.trim()), ["id", "sex", "age", "region", "income", "weight"]);
  for (const name of names) {
    assert.notEqual(await visit.page.getByLabel(`Role of ${name.trim()}`, { exact: true }).inputValue(), "", name);
  }
  const remarks = await visit.page.locator(".variables .remarks").allInnerTexts();
  assert.ok(remarks.every((remark) => remark.trim().length > 10), remarks.join("\n"));
  assert.equal(await visit.page.getByLabel("Role of id", { exact: true }).inputValue(), "identifier");
  assert.equal(bauta(folder, "check", "people.toml").code, 0);
  await visit.run();
  assert.match(await visit.page.locator("[aria-label=Runs] tbody tr").first().innerText(), /fail|hold|judged/);
  assert.deepEqual(visit.takeTroubles(), []);
});

test("a file with a plan gets another one, and the first stays as it is", async (t) => {
  const folder = folderFor(t);
  rawSurvey(folder);
  fs.writeFileSync(path.join(folder, "people.toml"), "# mine\n");
  const before = hashOf(path.join(folder, "people.toml"));
  const visit = await Visit.begin(t, { folder });
  await visit.beginWith("people.csv");
  assert.equal(visit.plan, "people-2.toml");
  assert.equal(hashOf(path.join(folder, "people.toml")), before);
});

test("a file named on the command line is opened at once, and so is a plan", async (t) => {
  const folder = folderFor(t);
  rawSurvey(folder);
  const { Server } = await import("./app.mjs");
  const server = await Server.start(t, path.join(folder, "people.csv"));
  server.folder = folder;
  const visit = await Visit.begin(t, { server });
  assert.match(visit.page.url(), /\/begin\?file=people\.csv$/);
  await server.stop();
  fs.writeFileSync(path.join(folder, "plan.toml"), '[data]\nfile = "people.csv"\n');
  const again = await Server.start(t, path.join(folder, "plan.toml"));
  again.folder = folder;
  const second = await Visit.begin(t, { server: again });
  await second.page.getByRole("heading", { name: "Variables" }).waitFor();
  assert.match(second.page.url(), /\/p\/plan\.toml\/variables$/);
});

test("a file that cannot be read is said to be one, and no plan is written", async (t) => {
  const folder = folderFor(t);
  fs.writeFileSync(path.join(folder, "broken.csv"), "a,b\n1\n1,2,3\n");
  const visit = await Visit.begin(t, { folder });
  await visit.page.getByRole("link", { name: "broken.csv" }).click();
  await visit.page.getByRole("button", { name: "Propose a plain plan" }).click();
  await visit.page.getByRole("heading", { name: "The file cannot be used as it is" }).waitFor();
  assert.match(await visit.page.locator("main").innerText(), /line 2/);
  assert.deepEqual(fs.readdirSync(folder).filter((name) => name.endsWith(".toml")), []);
});

const ODD = [
  "<b>bold</b>", "<script>window.ran = 1</script>", '"quoted"', "it's", "a&b", "&lt;", "../x", "a/b", "x y", "  edges  ", "Größe", "年齢",
  "a%2fb", "a?b=c#d", "a;b", "new\nline", "back\\slash", "{{x}}", "=1+1", "<img src=x onerror=window.ran=1>", "'\"><svg onload=window.ran=1>",
];

/** A survey whose variables are called so, with categories of the same kind. */
function oddSurvey(folder, file) {
  const quoted = (text) => `"${text.replaceAll('"', '""')}"`;
  const lines = [["id", ...ODD].map(quoted).join(",")];
  for (let row = 0; row < 400; row += 1) {
    const cells = ODD.map((_, at) => at % 3 ? ODD[(row * (at + 1)) % ODD.length].trim() : String((row * (at + 3)) % 9));
    lines.push([String(row), ...cells].map(quoted).join(","));
  }
  fs.writeFileSync(path.join(folder, file), `${lines.join("\n")}\n`);
}

/** What a page must not hold if names are text in it. */
async function assertNothingRan(page, where) {
  assert.equal(await page.evaluate("window.ran"), undefined, where);
  const strangers = await page.evaluate(() => [
    ...document.querySelectorAll("main b, main script, main img, main svg[onload], [onerror], [onload]"),
  ].map((one) => one.outerHTML.slice(0, 80)));
  assert.deepEqual(strangers, [], where);
}

for (const file of ["ordinary.csv", "<b>it's & \"odd\" ä.csv"]) {
  test(`odd names of variables and categories are text on every page, in the file ${file}`, async (t) => {
    const folder = folderFor(t);
    oddSurvey(folder, file);
    const visit = await Visit.begin(t, { folder });
    await visit.beginWith(file);
    const { page } = visit;
    await page.locator(".variables .picture").first().waitFor();
    await visit.idle();
    const shown = await page.locator(".variables tbody th input[type=hidden]").evaluateAll((all) => all.map((one) => one.value));
    const known = ["id", ...ODD].map((name) => name.replaceAll(/\s+/g, " ").trim());
    assert.deepEqual(shown.map((name) => name.replaceAll(/\s+/g, " ").trim()), known);
    await assertNothingRan(page, "variables");
    const links = await page.locator(".variables tbody th a").evaluateAll((all) => all.map((one) => one.href));
    for (const [at, link] of links.entries()) {
      const answer = await page.goto(link);
      assert.equal(answer.status(), 200, `${known[at]}: ${link}`);
      assert.match((await page.locator("h1").textContent()).replaceAll(/\s+/g, " "), new RegExp(`^Variable ${RegExp.escape?.(known[at]) ?? known[at].replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}`));
      await assertNothingRan(page, link);
    }
    for (const end of ["scenarios", "steps", "steps/add", "steps/new/recode", "steps/new/suppress-local", "run", "compare", "release", "text", "history"]) {
      const answer = await visit.go(end);
      assert.equal(answer.status(), 200, end);
      await assertNothingRan(page, end);
    }
    assert.deepEqual(visit.takeTroubles(), []);
  });
}

test("odd names go through forms into the plan and out of a run as they are", async (t) => {
  const folder = folderFor(t);
  oddSurvey(folder, "odd.csv");
  const visit = await Visit.begin(t, { folder });
  await visit.beginWith("odd.csv");
  const { page } = visit;
  await visit.idle();
  for (const name of ["<b>bold</b>", '"quoted"', "a&b", "../x"]) {
    await visit.changes(async () => {
      const label = page.locator(".variables tbody tr").filter({ has: page.locator(`input[type=hidden][value=${JSON.stringify(name)}]`) }).getByRole("textbox");
      await label.fill(`<i>label</i> of ${name} & "more"`);
      await label.blur();
    });
  }
  const labels = visit.text().match(/label = .*more/g);
  assert.equal(labels.length, 4, visit.text());
  await visit.go("scenarios?chosen=yes");
  const group = page.getByRole("group", { name: "An intruder knows" });
  const first = group.getByRole("checkbox").first();
  if (!await first.isChecked()) await first.check();
  await until("a scenario can be saved", () => page.getByRole("button", { name: "Save the scenario" }).isEnabled());
  await visit.changes(async () => {
    await page.getByLabel("Name", { exact: true }).fill("<u>who & \"why\"</u>/../x");
    await page.getByRole("button", { name: "Save the scenario" }).click();
  });
  await assertNothingRan(page, "scenarios");
  assert.equal(await page.locator("main u, main i").count(), 0);
  assert.equal(bauta(folder, "check", visit.plan).code, 0);
  await visit.run();
  const tab = await visit.tab();
  await tab.goto(visit.at("runs/1/report"));
  await assertNothingRan(tab, "the report");
  assert.equal(await tab.locator("i, u").filter({ hasText: /label|who/ }).count(), 0);
  await visit.go("compare");
  await assertNothingRan(page, "compare");
  assert.deepEqual(visit.takeTroubles(), []);
});

test("values of the data stand on no page unless ten records have them, but for the riskiest records that the report lists too", async (t) => {
  const folder = folderFor(t);
  const lines = ["id,town,name,amount"];
  for (let row = 0; row < 300; row += 1) lines.push(`${row},${row < 9 ? "Rareville" : "Bigtown"},Person${row}Secret,${row === 7 ? 987654321 : 100 + row % 50}`);
  fs.writeFileSync(path.join(folder, "towns.csv"), `${lines.join("\n")}\n`);
  const visit = await Visit.begin(t, { folder });
  await visit.beginWith("towns.csv");
  await visit.idle();
  await visit.page.locator(".variables .picture svg").first().waitFor();
  await visit.run();
  await visit.go("steps/new/recode");
  const pages = ["variables", "variables/town", "variables/name", "variables/amount", "scenarios", "steps", "steps/new/recode", "run", "compare", "release", "text", "history"];
  for (const end of pages) {
    await visit.go(end);
    await visit.idle();
    // A run's figures list the riskiest records as the internal report does; nothing else on the page may name a value.
    await visit.page.locator("table", { has: visit.page.getByText("Input row", { exact: true }) }).evaluateAll((all) => all.forEach((one) => one.remove()));
    const html = await visit.page.content();
    assert.ok(end === "compare" || !html.includes("Input row"), end);
    assert.doesNotMatch(html, /Rareville|Person\d+Secret|987,?654,?321/, end);
  }
  await visit.go("variables");
  assert.match(await visit.page.content(), /Bigtown/, "a category of many records is shown");
});
