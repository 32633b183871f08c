// The page as its user sees it, and the model as it spoke.

import { expect, until } from "./harness.mjs";

/** All bubbles, oldest first. */
export function bubbles(page) {
  return page.$$eval(".message", (rows) => rows.map((row) => {
    const text = row.querySelector(".text").cloneNode(true);
    // The label and the key over a code block are the page's, not the message's.
    for (const head of text.querySelectorAll(".code-head")) head.remove();
    return {
      id: Number(row.dataset.id),
      mine: row.classList.contains("mine"),
      // What the server last said, and what is shown of it so far.
      length: Number(row.dataset.length),
      text: text.textContent,
      taken: row.querySelector(".icon-ticks") !== null,
    };
  }));
}

/** The bot's bubbles after the user's last one (or after the given one). */
export async function answers(page, after) {
  const all = await bubbles(page);
  const mine = after ?? all.filter((one) => one.mine).at(-1)?.id ?? 0;
  const next = all.find((one) => one.mine && one.id > mine)?.id ?? Infinity;
  return all.filter((one) => !one.mine && one.id > mine && one.id < next);
}

/** Types and sends; answers the id of the new own bubble. */
export async function say(page, text) {
  const before = (await bubbles(page)).filter((one) => one.mine).length;
  await page.fill("#composer-telegram", text);
  await page.press("#composer-telegram", "Enter");
  return newOwn(page, before);
}

/** Presses the suggestion; answers the id of the new own bubble. */
export async function suggest(page, label) {
  const before = (await bubbles(page)).filter((one) => one.mine).length;
  await page.click(`.chip:text-is("${label}")`);
  return newOwn(page, before);
}

async function newOwn(page, before) {
  const own = await until("the own message", async () => {
    const all = (await bubbles(page)).filter((one) => one.mine);
    return all.length > before ? all.at(-1) : null;
  });
  return own.id;
}

/** Letters and digits: what must be there whatever the markup became. */
export function words(text) {
  return text.replace(/[^\p{L}\p{N}]/gu, "");
}

/** The same of Markdown, without what no chat shows as text: link targets, languages, task boxes. */
export function spoken(markdown) {
  return words(markdown.replace(/\]\([^)]*\)/g, "]").replace(/^```\w+$/gm, "").replace(/^- \[[ x]\]/gm, ""));
}

/** What the model said, in the model server's own words, oldest first. */
export async function modelAnswers(page) {
  const list = await page.evaluate(async () => (await fetch("/api/debug/model-answers")).json());
  return list.answers;
}

/** Waits until the chat shows, after the message, exactly what the model says to it last. */
export async function whole(page, after, deadlineMs = 60_000) {
  let seen = "";
  const found = await until("the whole answer", async () => {
    const posts = await answers(page, after);
    seen = posts.map((post) => post.text).join("\n");
    const said = (await modelAnswers(page)).at(-1)?.text;
    return said && spoken(said) === words(seen) ? { posts, said } : null;
  }, deadlineMs).catch(async (error) => {
    const said = (await modelAnswers(page)).at(-1)?.text;
    throw new Error(`${error.message}\n  shown: ${JSON.stringify(seen)}\n  said:  ${JSON.stringify(said)}`);
  });
  return found;
}

export async function state(page) {
  return page.evaluate(async () => (await fetch("/api/state")).json());
}

export async function gatewayIs(page, wanted, deadlineMs = 30_000) {
  const shown = () => page.$eval(".gateway", (box) => box.dataset.state);
  let last = "";
  await until(`the page shows the gateway as ${wanted}`, async () => (last = await shown()) === wanted, deadlineMs)
    .catch(async (error) => {
      const log = (await state(page)).log.slice(-5).map((line) => line.text).join("\n  ");
      throw new Error(`${error.message}; it is ${last}\n  ${log}`);
    });
}

/** Waits until the ledger says that nothing runs and nothing is owed. */
export async function quiet(page, deadlineMs = 30_000) {
  return until("nothing runs and nothing is owed", async () => {
    const { ledger } = await state(page);
    return ledger.up && ledger.running === 0 && ledger.owed === 0 ? ledger : null;
  }, deadlineMs);
}

/** Shown once, and nothing beside it. */
export function once(posts, id) {
  expect(posts.length === 1, `one message, not ${posts.length}: ${posts.map((p) => p.id)}`);
  if (id !== undefined) expect(posts[0].id === id, `the message ${id} itself, not ${posts[0].id}`);
}
