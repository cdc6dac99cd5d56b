// Starts the command `bauta`, above all `bauta serve`, in folders of its own, and speaks to it without a browser.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import http from "node:http";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The command, as `cargo xtask test web` built it. */
export const BAUTA = process.env.BAUTA_BIN ?? fileURLToPath(new URL("../../../../target/debug/bauta", import.meta.url));

const START_MS = 30_000;

/** An empty folder that is removed when the test is over. */
export function folderFor(test) {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "bauta-browser-")));
  test.after(() => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** Runs the command to its end. */
export function bauta(folder, ...words) {
  const done = spawnSync(BAUTA, words, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 });
  if (done.error) throw done.error;
  return { code: done.status, out: done.stdout, err: done.stderr };
}

/** A server that runs until the test is over, or until it is ended or killed. */
export class Server {
  /** Starts `bauta serve` and waits for its address. */
  static async start(test, folder, ...words) {
    const server = new Server();
    server.folder = folder;
    server.process = spawn(BAUTA, ["serve", folder, "--no-open", ...words], { stdio: ["ignore", "pipe", "pipe"] });
    server.err = "";
    server.process.stderr.setEncoding("utf8").on("data", (text) => { server.err += text; });
    server.ended = new Promise((over) => server.process.once("exit", (code, signal) => over({ code, signal })));
    test.after(() => server.kill());
    server.url = new URL(await server.#firstLine());
    server.origin = server.url.origin;
    server.port = Number(server.url.port);
    server.token = server.url.searchParams.get("token");
    return server;
  }

  #firstLine() {
    return new Promise((found, failed) => {
      let out = "";
      const late = setTimeout(() => failed(new Error(`no address after ${START_MS} ms: ${this.err}`)), START_MS);
      this.process.stdout.setEncoding("utf8").on("data", (text) => {
        out += text;
        if (!out.includes("\n")) return;
        clearTimeout(late);
        found(out.split("\n")[0].trim());
      });
      this.ended.then(({ code }) => {
        clearTimeout(late);
        failed(new Error(`the server ended with ${code}: ${this.err}`));
      });
    });
  }

  /** Ends it as Ctrl-C does. */
  async stop() {
    this.process.kill("SIGINT");
    return this.ended;
  }

  /** Ends it as a power cut does. */
  async kill() {
    if (this.process.exitCode === null && this.process.signalCode === null) this.process.kill("SIGKILL");
    return this.ended;
  }

  /** The most memory that it has had, in bytes. */
  peak() {
    const facts = fs.readFileSync(`/proc/${this.process.pid}/status`, "utf8");
    return 1024 * Number(/VmHWM:\s+(\d+) kB/.exec(facts)[1]);
  }

  /** The cookie that the address gives, by a program that is no browser. */
  async cookie() {
    const answer = await this.ask("GET", `/?token=${this.token}`);
    return answer.headers["set-cookie"][0].split(";")[0];
  }

  /** Asks for a path, written out as it is given: no `..` is resolved on the way. */
  ask(method, target, headers = {}, body = undefined) {
    return new Promise((done, failed) => {
      const options = { host: "127.0.0.1", port: this.port, method, path: target, headers, agent: false };
      const request = http.request(options, (answer) => {
        const pieces = [];
        answer.on("data", (piece) => pieces.push(piece));
        answer.on("end", () => {
          done({ status: answer.statusCode, headers: answer.headers, text: Buffer.concat(pieces).toString("utf8") });
        });
        answer.on("error", failed);
      });
      request.on("error", failed);
      request.end(body);
    });
  }

  /** Sends a form as a browser would that has the cookie. */
  post(cookie, target, fields, headers = {}) {
    const kind = { "content-type": "application/x-www-form-urlencoded" };
    return this.ask("POST", target, { cookie, ...kind, ...headers }, new URLSearchParams(fields).toString());
  }

  /** Sends a request word for word and gives back all that comes, whatever it is. */
  raw(text) {
    return new Promise((done, failed) => {
      let answer = "";
      const socket = net.connect(this.port, "127.0.0.1", () => socket.write(text));
      socket.setEncoding("utf8").setTimeout(5_000, () => socket.destroy());
      socket.on("data", (piece) => { answer += piece; });
      socket.on("error", failed);
      socket.on("close", () => done(answer));
    });
  }
}

/** The hidden fields of a form on a page of the app. */
export function hiddenFields(page) {
  const value = (name) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1];
  return { token: value("token"), version: value("version") };
}

/** The SHA-256 of a file. */
export const hashOf = (file) => createHash("sha256").update(fs.readFileSync(file)).digest("hex");

/** Waits until something holds, and says what it waited for if it never does. */
export async function until(what, holds, ms = 20_000) {
  const end = Date.now() + ms;
  for (;;) {
    const found = await holds();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited ${ms} ms in vain: ${what}`);
    await new Promise((go) => setTimeout(go, 25));
  }
}
