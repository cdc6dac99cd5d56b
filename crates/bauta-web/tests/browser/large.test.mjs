// A file of a million records with fifty variables: how long pages take, and how much memory the server needs beside the
// command line. Run by `cargo xtask test web --large`, with the command in release mode.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { after, test } from "node:test";
import { BAUTA, Server, folderFor, until } from "./app.mjs";
import { Visit, endBrowser } from "./browser.mjs";

const ends = [];
const lasting = { after: (end) => ends.push(end) };
after(async () => {
  for (const end of ends.reverse()) await end();
  await endBrowser();
});

const N_RECORDS = Number(process.env.BAUTA_LARGE_RECORDS ?? 1_000_000);
const N_KEYS = 10;
const N_CATEGORIES = 20;
const N_NUMBERS = 18;
/** What the server may need beyond the command line. */
const ALLOWANCE = 200e6;
const PAGE_MS = 1_000;

/** Draws that are the same every time. */
function draws(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Writes the file: an id, a weight, keys, categories and numbers, fifty variables together. */
function write(file) {
  const draw = draws(19);
  const names = (stem, n) => Array.from({ length: n }, (_, at) => `${stem}${at + 1}`);
  const header = ["id", "weight", ...names("key", N_KEYS), ...names("category", N_CATEGORIES), ...names("number", N_NUMBERS)];
  assert.equal(header.length, 50);
  const output = fs.openSync(file, "w");
  fs.writeSync(output, `${header.join(",")}\n`);
  let lines = [];
  for (let row = 1; row <= N_RECORDS; row += 1) {
    const cells = [row, 10 + draw(90) / 10];
    for (let key = 0; key < N_KEYS; key += 1) cells.push(draw(2 + key));
    for (let at = 0; at < N_CATEGORIES; at += 1) cells.push("abcdefghijklmnop"[draw(3 + at % 12)]);
    for (let at = 0; at < N_NUMBERS; at += 1) cells.push(draw(1_000_000) / 100);
    lines.push(cells.join(","));
    if (lines.length === 5_000 || row === N_RECORDS) {
      fs.writeSync(output, `${lines.join("\n")}\n`);
      lines = [];
    }
  }
  fs.closeSync(output);
}

/** Runs the command to its end; its largest memory, and how long it took. */
async function measured(folder, ...words) {
  const begun = Date.now();
  const command = spawn(BAUTA, words, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  let err = "";
  command.stderr.on("data", (text) => { err += text; });
  let peak = 0;
  const look = setInterval(() => {
    try {
      const status = fs.readFileSync(`/proc/${command.pid}/status`, "utf8");
      peak = Math.max(peak, 1024 * Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0));
    } catch { /* It has ended. */ }
  }, 10);
  const code = await new Promise((over) => command.on("exit", over));
  clearInterval(look);
  assert.ok(code === 0 || code === 1, err);
  return { peak, ms: Date.now() - begun };
}

const megabytes = (bytes) => `${Math.round(bytes / 1e6)} MB`;

test("a file of a million records with fifty variables stays usable, in the memory that the command line needs", async (t) => {
  const folder = folderFor(lasting);
  const file = path.join(folder, "large.csv");
  write(file);
  t.diagnostic(`${N_RECORDS} records, ${megabytes(fs.statSync(file).size)}`);
  const asked = Date.now();
  const server = await Server.start(lasting, folder);
  const visit = await Visit.begin(lasting, { server });
  t.diagnostic(`from the command to the start page: ${Date.now() - asked} ms`);
  visit.context.setDefaultTimeout(300_000);

  const begun = Date.now();
  await visit.page.getByRole("link", { name: "large.csv" }).click();
  await visit.page.getByRole("button", { name: "Propose a plain plan" }).click();
  await visit.page.getByRole("heading", { level: 1, name: "Variables" }).waitFor();
  visit.plan = "large.toml";
  t.diagnostic(`from the click to the proposed plan: ${Date.now() - begun} ms`);
  await until("the pictures are there", async () => {
    await visit.go("variables");
    return await visit.page.locator(".variables .picture svg").count() > 40;
  }, 300_000);
  t.diagnostic(`and to the pictures of all variables: ${Date.now() - begun} ms`);
  const counting = Date.now();
  await visit.go("scenarios?chosen=yes&keys=key1&keys=key2&keys=key3&keys=key4&keys=key5");
  await visit.page.locator("#uniques").waitFor();
  t.diagnostic(`first count of five keys: ${Date.now() - counting} ms`);
  const peak = server.peak();

  const slow = [];
  const pages = ["variables", "variables/key3", "variables/number1", "scenarios?chosen=yes&keys=key1&keys=key2&keys=key3&keys=key4&keys=key5", "steps",
    "steps/add", "steps/new/recode", "steps/new/suppress-local", "file", "conditions", "run", "compare", "release", "text", "history"];
  for (const end of pages) {
    const at = Date.now();
    await visit.go(end);
    await visit.page.locator("h1").waitFor();
    const took = Date.now() - at;
    t.diagnostic(`${end}: ${took} ms`);
    if (took > PAGE_MS) slow.push(`${end}: ${took} ms`);
  }
  await visit.go("variables");
  const at = Date.now();
  await visit.changes(() => visit.page.getByLabel("Role of category1", { exact: true }).selectOption("other"));
  t.diagnostic(`a change of a role, saved and shown: ${Date.now() - at} ms`);
  await server.stop();

  const commands = {
    "bauta inspect": await measured(folder, "inspect", "large.csv"),
    "bauta risk": await measured(folder, "risk", "large.csv", "--keys", "key1,key2,key3,key4,key5", "--weight", "weight"),
    "bauta init": await measured(folder, "init", "large.csv", "-o", "other.toml"),
  };
  for (const [name, { peak, ms }] of Object.entries(commands)) t.diagnostic(`${name}: ${megabytes(peak)}, ${ms} ms`);
  const needed = Math.max(...Object.values(commands).map((one) => one.peak));
  t.diagnostic(`the server: ${megabytes(peak)}; the command line at most: ${megabytes(needed)}`);
  assert.deepEqual(slow, [], "each page is there within a second");
  assert.ok(peak <= needed + ALLOWANCE, `${megabytes(peak)} are more than ${megabytes(needed)} and ${megabytes(ALLOWANCE)}`);
});
