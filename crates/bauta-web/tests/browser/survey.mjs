// Files of data for the tests: made up, and nothing in them is about anybody.
import fs from "node:fs";
import path from "node:path";
import { bauta } from "./app.mjs";

/** A small survey without a plan. */
export function rawSurvey(folder, name = "people.csv", header = ["id", "sex", "age", "region", "income", "weight"]) {
  const quoted = header.map((one) => /[",\n]/.test(one) ? `"${one.replaceAll('"', '""')}"` : one);
  const lines = [quoted.join(",")];
  for (let row = 0; row < 600; row += 1) {
    const age = 18 + (row * 7) % 60;
    lines.push([row + 1, row % 2 ? "f" : "m", age, "ABCD"[(row * row) % 4], 1000 + 13 * ((row * 31) % 500), 20 + row % 7].join(","));
  }
  fs.writeFileSync(path.join(folder, name), `${lines.join("\n")}\n`);
}

/** The demonstration's survey many times over with new numbers of records, and a plan that takes long for it. */
export function longSurvey(folder, times) {
  bauta(folder, "demo", "demo");
  const [header, ...rows] = fs.readFileSync(path.join(folder, "demo/survey.csv"), "utf8").trimEnd().split(/\r?\n/);
  const output = fs.openSync(path.join(folder, "long.csv"), "w");
  fs.writeSync(output, `${header},turnover\n`);
  let id = 0;
  let state = 1;
  for (let time = 0; time < times; time += 1) {
    const lines = rows.map((row) => {
      id += 1;
      state = (state * 48271) % 2147483647;
      return `${id},${row.slice(row.indexOf(",") + 1)},${(state % 1_000_000) / 100}`;
    });
    fs.writeSync(output, `${lines.join("\n")}\n`);
  }
  fs.closeSync(output);
  fs.rmSync(path.join(folder, "demo"), { recursive: true });
  fs.writeFileSync(path.join(folder, "long.toml"), LONG);
}

const LONG = `[data]
file = "long.csv"
missing = [""]

[variables]
id = { role = "identifier" }
gender = { role = "key" }
income = { role = "key", kind = "ordered" }
age = { role = "key", kind = "ordered" }
uu = { role = "key", kind = "ordered" }
qual = { role = "key", kind = "ordered" }
couple = { role = "key" }
hsize = { role = "key", kind = "ordered" }
turnover = { role = "sensitive", kind = "continuous" }
d_init = { role = "sensitive", kind = "continuous" }
d_fin = { role = "sensitive", kind = "continuous" }

[[step]]
mask = "mdav"
on = ["turnover", "d_init", "d_fin"]
k = 5
why = "it takes long, which the test is about"

[[measure]]
use = ["k-anonymity"]

[[gate]]
measure = "k-anonymity"
at_least = 2

[output]
file = "long-released.csv"
shuffle = true
`;
