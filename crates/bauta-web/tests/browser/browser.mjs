// Chromium, and what a visitor of the app does in it.
import { chromium } from "./packages.mjs";
import { Server, folderFor, until } from "./app.mjs";
import fs from "node:fs";
import path from "node:path";

const ARGUMENTS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
];

let started = null;

/** The one browser of a test file, started when it is first needed; each visit has an empty profile of its own. */
export function browser() {
  started ??= chromium.launch({ executablePath: process.env.BAUTA_CHROMIUM ?? "/usr/bin/chromium", args: ARGUMENTS });
  return started;
}

/** Ends it. */
export async function endBrowser() {
  const running = await started;
  await running?.close();
  started = null;
}

/** The plan of the demonstration, as addresses have it. */
export const DEMO = "bauta-demo/plan.toml";

/** A browser profile with the app open in it. */
export class Visit {
  /** Starts a server in a folder, which is new if none is given, and lets a browser in. */
  static async begin(test, { folder, server, ...options } = {}) {
    const visit = new Visit();
    visit.server = server ?? await Server.start(test, folder ?? folderFor(test));
    visit.folder = visit.server.folder;
    visit.troubles = [];
    visit.context = await (await browser()).newContext({ viewport: { width: 1280, height: 900 }, ...options });
    visit.context.setDefaultTimeout(20_000);
    test.after(() => visit.context.close());
    visit.page = await visit.tab();
    await visit.page.goto(visit.server.url.href);
    // The first page sends the browser on, without the token in the address.
    await visit.page.waitForURL((url) => !url.searchParams.has("token"));
    await visit.page.waitForLoadState("load");
    return visit;
  }

  /** Another tab; whatever its console complains of is kept. */
  async tab() {
    const page = await this.context.newPage();
    page.on("console", (message) => {
      if (message.type() === "error") this.troubles.push(`${message.text()} (${message.location().url})`);
    });
    page.on("pageerror", (error) => this.troubles.push(`error in a script: ${error.message}`));
    page.on("dialog", (dialog) => {
      // Leaving a page with an unsaved text asks; everything else would be a script that is not ours.
      if (dialog.type() !== "beforeunload") this.troubles.push(`a dialog: ${dialog.message()}`);
      dialog.accept().catch(() => {});
    });
    return page;
  }

  /** Complaints of consoles since somebody asked last. */
  takeTroubles() {
    return this.troubles.splice(0);
  }

  /** The address of a page of a plan. */
  at(end, plan = this.plan ?? DEMO) {
    return `${this.server.origin}/p/${encodeURIComponent(plan)}/${end}`;
  }

  /** Opens a page of the plan. */
  async go(end) {
    const answer = await this.page.goto(this.at(end));
    return answer;
  }

  /** Opens the demonstration by its button, from the start page. */
  async openDemo() {
    this.plan = DEMO;
    await this.page.getByRole("button", { name: "Open the demonstration" }).click();
    await this.page.getByRole("heading", { level: 1, name: "Variables" }).waitFor();
  }

  /** Begins with a file of the start page without answering questions, and waits for its plan. */
  async beginWith(file) {
    await this.page.getByRole("link", { name: file, exact: true }).click();
    await this.page.getByRole("button", { name: "Propose a plain plan" }).click();
    await this.page.getByRole("heading", { level: 1, name: "Variables" }).waitFor({ timeout: 60_000 });
    this.plan = decodeURIComponent(/\/p\/([^/]+)\//.exec(this.page.url())[1]);
  }

  /** The text of the plan on the disk. */
  text() {
    return fs.readFileSync(path.join(this.folder, this.plan), "utf8");
  }

  /** The version of the plan that the page was made for. */
  async version() {
    return Number(await this.page.locator("input[name=version]").first().inputValue());
  }

  /** Does something that changes the plan, and waits for the page that was made after it. */
  async changes(act) {
    const before = this.text();
    const version = await this.version();
    await act();
    const what = "the plan changed and the page was made anew";
    await until(what, async () => this.text() !== before && await this.version().catch(() => version) !== version);
    await this.page.waitForLoadState("load");
    return this.text();
  }

  /** Waits until nothing goes on in the background. */
  async idle(ms = 120_000) {
    await until("nothing goes on", async () => await this.page.locator(".job").count() === 0, ms);
  }

  /** Runs the plan by its button and waits for the result. */
  async run() {
    await this.go("run");
    const n = await this.runs();
    await this.page.getByRole("button", { name: "Run this plan" }).click();
    await until("the run is in the list", async () => await this.runs() > n, 120_000);
  }

  /** How many runs the page lists. */
  async runs() {
    return this.page.locator("[aria-label=Runs] tbody tr").count();
  }
}
