// Starts the playground and the browser, and gives both up again; a check is a named promise.

import { spawn } from "node:child_process";
import { mkdtempSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const require = createRequire(join(process.env.TOOLS, "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const FLAGS = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];

export const results = { passed: 0, failed: 0 };

/** Runs one check; a failure is told and counted, and the next one runs. */
export async function check(name, body) {
  const start = Date.now();
  try {
    await body();
    results.passed += 1;
    console.log(`ok    ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
  } catch (error) {
    results.failed += 1;
    console.log(`FAIL  ${name}: ${error.message}`);
  }
}

export function expect(condition, words) {
  if (!condition) throw new Error(words);
}

/** Waits until `probe` finds something, looking again and again; fails after the deadline. */
export async function until(words, probe, deadlineMs = 30_000) {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const found = await probe();
    if (found) return found;
    if (Date.now() > end) throw new Error(`not within ${deadlineMs / 1000} s: ${words}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The playground, as a user starts it. */
export class Playground {
  constructor() {
    // For a development stand-in: arguments in place of "playground --port 0".
    const args = process.env.PLAYGROUND_ARGS?.split(" ") ?? ["playground", "--port", "0"];
    this.output = "";
    this.process = spawn(process.env.TALARIA_BIN, args, { stdio: ["ignore", "pipe", "pipe"] });
    this.process.on("error", (error) => { this.output += error.message; });
    this.ended = new Promise((resolve) => this.process.on("exit", (code, signal) => resolve({ code, signal })));
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream.on("data", (data) => { this.output += data; });
    }
  }

  async url() {
    const found = await until("the address on stdout", () => {
      expect(this.process.exitCode === null, `the playground ended: ${this.output}`);
      return /^Talaria playground: (http:\/\/\S+)/m.exec(this.output);
    }).catch((error) => { throw new Error(`${error.message}\n${this.output}`); });
    return found[1];
  }

  /** As Ctrl-C or systemd do; answers how it ended. */
  async stop() {
    this.process.kill("SIGTERM");
    const late = new Promise((resolve) => setTimeout(() => resolve(null), 15_000));
    const ended = await Promise.race([this.ended, late]);
    if (ended === null) this.process.kill("SIGKILL");
    return ended;
  }
}

/** A browser with an empty profile. */
export class Browser {
  static async start() {
    const browser = new Browser();
    browser.profile = mkdtempSync(join(tmpdir(), "talaria-browser-"));
    browser.context = await chromium.launchPersistentContext(browser.profile, {
      executablePath: "/usr/bin/chromium", args: FLAGS, viewport: { width: 1280, height: 800 },
    });
    browser.problems = [];
    return browser;
  }

  /** A page of its own window size and colours; what it complains about is kept. */
  async open(url, { width = 1280, height = 800, colors = "light", motion = "no-preference" } = {}) {
    const page = await this.context.newPage();
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) this.problems.push(message.text());
    });
    page.on("pageerror", (error) => this.problems.push(error.message));
    page.on("request", (request) => {
      if (!request.url().startsWith(url)) this.problems.push(`a request to ${request.url()}`);
    });
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: colors, reducedMotion: motion });
    await page.goto(url);
    await page.waitForSelector(".chat");
    return page;
  }

  async stop() {
    await this.context.close();
    rmSync(this.profile, { recursive: true, force: true });
  }
}

/** Colours that are on their way to others are no colours. */
export async function settled(page) {
  await page.evaluate(() => Promise.allSettled(document.getAnimations()
    .filter((one) => one instanceof CSSTransition).map((one) => one.finished)));
}

/** What axe (the accessibility rules) finds on the page as it stands. */
export async function accessible(page) {
  await settled(page);
  await page.evaluate(axe);
  const { violations, passes } = await page.evaluate(() => globalThis.axe.run());
  expect(passes.length > 20, "the rules were applied");
  const words = violations.map((v) => `${v.id}: ${v.nodes.map((node) => node.target.join(" ")).join(", ")}`);
  expect(words.length === 0, words.join("\n  "));
}

export async function shot(page, name) {
  mkdirSync(process.env.SHOTS, { recursive: true });
  await page.screenshot({ path: join(process.env.SHOTS, `${name}.png`) });
}
