// The packages that the tests use. They lie in the build folder and not beside the tests, where node would look for them.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const folder = process.env.BAUTA_BROWSER_PACKAGES ?? fileURLToPath(new URL("../../../../target/browser/", import.meta.url));
const require = createRequire(`${folder.replace(/\/$/, "")}/package.json`);

export const { chromium } = require("playwright-core");

/** The source of axe-core, which runs in the page that it looks at. */
export const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
