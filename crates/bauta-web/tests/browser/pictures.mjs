// Pictures of the main pages for the guide: node pictures.mjs FOLDER.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { Server, until } from "./app.mjs";
import { Visit, endBrowser } from "./browser.mjs";

const folder = process.argv[2];
const ends = [];
const lasting = { after: (end) => ends.push(end) };

/** How much of a page a picture shows, in pixels. */
const HEIGHT = 600;

async function take(visit, name, end) {
  if (end !== undefined) {
    await until(name, async () => {
      await visit.go(end);
      return await visit.page.locator(".job").count() === 0;
    }, 60_000);
  }
  await visit.page.evaluate(() => document.activeElement?.blur());
  const file = path.join(folder, `${name}.png`);
  await visit.page.screenshot({ path: file, clip: { x: 0, y: 0, width: 1280, height: HEIGHT } });
  console.log(`${file}: ${Math.ceil(fs.statSync(file).size / 1000)} kB`);
}

async function all() {
  fs.mkdirSync(folder, { recursive: true });
  // A name that stays the same: the start page shows where the folder is.
  const served = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "bauta-pictures-")), "survey-office");
  fs.mkdirSync(served);
  lasting.after(() => fs.rmSync(path.dirname(served), { recursive: true, force: true }));
  const server = await Server.start(lasting, served);
  const visit = await Visit.begin(lasting, { server, viewport: { width: 1280, height: HEIGHT } });
  await visit.openDemo();
  fs.copyFileSync(path.join(served, "bauta-demo/survey.csv"), path.join(served, "people.csv"));
  await visit.run();
  await visit.go("steps/5");
  await visit.page.getByLabel("k", { exact: true }).fill("5");
  await visit.changes(() => visit.page.getByRole("button", { name: "Save the step" }).click());
  await visit.run();
  await visit.page.goto(`${server.origin}/begin?file=people.csv`);
  await take(visit, "begin");
  await take(visit, "variables", "variables");
  await take(visit, "risk", "scenarios");
  await take(visit, "steps", "steps");
  await take(visit, "step", "steps/5");
  await take(visit, "run", "run");
  await take(visit, "compare", "compare?runs=1&runs=2");
  await take(visit, "release", "release");
  await take(visit, "text", "text");
}

try {
  await all();
} finally {
  for (const end of ends.reverse()) await end();
  await endBrowser();
}
