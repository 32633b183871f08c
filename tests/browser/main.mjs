// What a newcomer does in the first minutes, and what must hold meanwhile.

import { existsSync } from "node:fs";
import { answers, bubbles, gatewayIs, modelAnswers, once, quiet, say, spoken, state, suggest, whole, words } from "./chat.mjs";
import { Browser, check, expect, Playground, results, shot, until } from "./harness.mjs";
import { dark, keyboard, narrow, reducedMotion } from "./looks.mjs";

const playground = new Playground();
let browser = null;

async function run() {
  const url = await playground.url();
  browser = await Browser.start();
  const page = await browser.open(url);

  await check("the page opens with the gateway running and the message field focused", async () => {
    await gatewayIs(page, "running");
    expect(await page.evaluate(() => document.activeElement.id) === "composer-telegram", "focus in the message field");
    await shot(page, "1-opened-wide-light");
  });

  await check("a first question is answered, and the own message gets its second tick", async () => {
    const id = await suggest(page, "Help");
    const { posts } = await whole(page, id);
    once(posts);
    await until("two ticks", async () => (await bubbles(page)).find((one) => one.id === id)?.taken);
  });

  await check("an answer grows, is killed in the middle, and is finished after Start: once, whole, in place", () => killInTheMiddle(page));
  await check("the guide followed it to its end", async () => {
    await until("the guide's last word", async () => (await page.textContent("#guide")).includes("It survived"));
    const result = await page.textContent(".guide-words");
    expect(result.includes("one message") && result.includes("Word for word"), result);
    await shot(page, "4-survived-wide-light");
  });
  await check("a kill right after an answer leaves it as it is: once, whole", async () => {
    await ready(page);
    await killRightAfter(page);
  });
  await check("Markdown arrives with its formatting and nothing lost", async () => {
    await ready(page);
    const { posts } = await whole(page, await suggest(page, "Markdown"));
    for (const part of ["strong", "em", "s", "code", ".code pre", "blockquote", "a[rel~=noopener]"]) {
      expect(await page.$(`.message[data-id="${posts[0].id}"] .text ${part}`), `${part} in the answer`);
    }
    await shot(page, "5-markdown-wide-light");
  });
  await check("the keyboard alone suffices", async () => {
    await ready(page);
    await keyboard(browser, url);
  });
  await check("360 px wide: nothing is cut, everything is reached", () => narrow(browser, url));
  await check("dark and light colours, readable, accessible", () => dark(browser, url));
  await check("reduced motion is respected", () => reducedMotion(browser, url));
  await check("no console errors, no requests elsewhere", async () => {
    expect(browser.problems.length === 0, browser.problems.join("\n  "));
  });
  await check("SIGTERM ends the playground, its gateway and its folder, and the page says so", () => ending(page));
}

/** A failed check may have left the gateway killed. */
async function ready(page) {
  if (await page.isEnabled("#start")) await page.click("#start");
  await gatewayIs(page, "running");
}

async function killInTheMiddle(page) {
  const id = await suggest(page, "A slow answer");
  const lengths = new Set();
  const growing = await until("the answer has grown a few times", async () => {
    const [post] = await answers(page, id);
    if (post) lengths.add(post.length);
    return lengths.size >= 3 && post.length >= 60 ? post : null;
  });
  const before = growing.length;
  await shot(page, "2-growing-wide-light");
  await page.click("#kill");
  await gatewayIs(page, "killed");
  const asked = (await modelAnswers(page)).length;
  const [cut] = await answers(page, id);

  // What is sent meanwhile waits: one tick, and the page says so.
  const waiting = await say(page, "Good evening");
  expect(!(await bubbles(page)).find((one) => one.id === waiting).taken, "one tick while the gateway is down");
  const note = async () => `${await page.textContent("#ledger-note")} ${await page.textContent(".notice")}`;
  await until("the page says that a message waits", async () => /1 message waits/.test(await note()));
  await shot(page, "3-killed-wide-light");

  await page.click("#start");
  await gatewayIs(page, "running");
  // The second question is answered after the first: then the first is settled too.
  await whole(page, waiting, 75_000).then(({ posts }) => once(posts));
  const posts = await answers(page, id);
  once(posts, growing.id);
  const said = (await modelAnswers(page))[asked - 1].text;
  expect(words(posts[0].text) === spoken(said), `the first answer is whole, not ${JSON.stringify(posts[0].text)}`);
  expect(words(cut.text).length < spoken(said).length && posts[0].length > before, "the kill came in the middle");
  const all = (await bubbles(page)).filter((one) => one.mine);
  await until("every own message has two ticks", async () => (await bubbles(page)).filter((one) => one.mine && one.taken).length === all.length);
}

async function killRightAfter(page) {
  const id = await say(page, "Good night");
  const { posts } = await whole(page, id);
  await page.click("#kill");
  await gatewayIs(page, "killed");
  await page.click("#start");
  await gatewayIs(page, "running");
  const ledger = await quiet(page);
  // Taken up again, it could still repeat itself: the next answer comes after whatever was owed.
  const next = await say(page, "And good morning");
  await whole(page, next).then((found) => once(found.posts));
  const after = await answers(page, id);
  once(after, posts[0].id);
  expect(words(after[0].text) === words(posts[0].text), "unchanged by the restart");
  expect(ledger.delivered > 0 && ledger.accepted > 0, "the ledger's figures are shown");
}

async function ending(page) {
  const { gateway } = await state(page);
  const ended = await playground.stop();
  expect(ended?.code === 0, `exit code 0, not ${JSON.stringify(ended)}: ${playground.output}`);
  expect(!existsSync(`/proc/${gateway.pid}`), "the gateway is gone");
  await page.waitForSelector("#lost:not([hidden])", { timeout: 15_000 });
}

try {
  await run();
} catch (error) {
  results.failed += 1;
  console.log(`FAIL  the run itself: ${error.stack}`);
} finally {
  await browser?.stop().catch((error) => console.log(`the browser did not end: ${error.message}`));
  if (playground.process.exitCode === null) await playground.stop();
}
console.log(`${results.passed} passed, ${results.failed} failed`);
process.exit(results.failed === 0 ? 0 : 1);
