// Keyboard, narrow windows, dark colours, motion.

import { answers, bubbles, gatewayIs, whole } from "./chat.mjs";
import { accessible, expect, settled, shot, until } from "./harness.mjs";

const focused = (page) => page.evaluate(() => {
  const one = document.activeElement;
  const style = getComputedStyle(one);
  return {
    name: one.id || one.className || one.tagName,
    seen: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
  };
});

/** No mouse: a command from the menu, a kill, a start, and every control reached by Tab. */
export async function keyboard(browser, url) {
  const page = await browser.open(url);
  await gatewayIs(page, "running");
  await page.keyboard.press("Alt+1");
  await page.keyboard.type("/");
  await page.waitForSelector(".commands:not([hidden])");
  const active = () => page.$eval("#composer-telegram", (field) => document.getElementById(field.getAttribute("aria-activedescendant"))?.dataset.command);
  const first = await active();
  await page.keyboard.press("ArrowDown");
  expect(await active() !== first, "the arrow chooses the next command");
  await page.keyboard.press("ArrowUp");
  await shot(page, "6-commands-wide-light");
  await page.keyboard.press("Escape");
  expect(await page.$(".commands[hidden]"), "Escape closes the list");
  await page.keyboard.press("Backspace");
  await page.keyboard.type("/hel");
  await page.keyboard.press("Enter");
  const own = await until("the command is sent", async () => (await bubbles(page)).findLast((one) => one.mine && one.text === "/help"));
  await until("the command is answered", async () => (await answers(page, own.id)).length > 0);

  await page.keyboard.type("two lines");
  await page.keyboard.press("Shift+Enter");
  expect((await page.inputValue("#composer-telegram")) === "two lines\n", "Shift+Enter makes a new line");
  await page.fill("#composer-telegram", "");

  await page.keyboard.press("Alt+k");
  await gatewayIs(page, "killed");
  await page.keyboard.press("Alt+s");
  await gatewayIs(page, "running");

  // From the top of the page.
  await page.$eval("h1", (title) => { title.tabIndex = -1; title.focus(); });
  const reached = new Set();
  for (let n = 0; n < 300; n += 1) {
    await page.keyboard.press("Tab");
    const { name, seen } = await focused(page);
    if (name === "BODY") break;
    expect(seen, `the focus is visible on ${name}`);
    reached.add(name);
    if (name === "composer-telegram") break;
  }
  for (const name of ["kill", "scroller", "chip", "menu", "composer-telegram"]) {
    expect(reached.has(name), `Tab reaches ${name}: ${[...reached].join(", ")}`);
  }
  // The key that a press makes useless hands the focus on.
  await page.focus("#kill");
  await page.keyboard.press("Enter");
  await gatewayIs(page, "killed");
  expect((await focused(page)).name === "start", "after Kill the focus is on Start");
  await page.keyboard.press("Enter");
  await gatewayIs(page, "running");
  expect(await page.$eval("#announce", (box) => box.textContent.length > 0), "the change is announced");
  await page.close();
}

/** Every control lies inside the window, and the page does not scroll sideways. */
async function fits(page, controls) {
  const { width, scroll } = await page.evaluate(() => ({ width: innerWidth, scroll: document.documentElement.scrollWidth }));
  expect(scroll <= width, `the page is ${scroll} px wide in ${width}`);
  for (const control of controls) {
    const box = await page.locator(control).first().boundingBox();
    expect(box && box.x >= 0 && box.x + box.width <= width + 0.5 && box.width >= 24 && box.height >= 24, `${control} fits: ${JSON.stringify(box)}`);
  }
}

export async function narrow(browser, url) {
  const page = await browser.open(url, { width: 360, height: 720 });
  await gatewayIs(page, "running");
  await fits(page, ["#kill", "#start", "#composer-telegram", ".send", ".menu", "#tabs button"]);
  const widest = await page.$$eval(".bubble", (list) => Math.max(...list.map((one) => one.getBoundingClientRect().right)));
  expect(widest <= 360, `bubbles end at ${widest}`);
  await shot(page, "7-narrow-light");
  await page.click('#tabs button:text-is("Inside")');
  expect(await page.isVisible("#figures"), "the ledger is shown");
  expect(!(await page.isVisible(".chat")), "instead of the chat");
  await fits(page, [".figure", "#log-card summary"]);
  await shot(page, "8-narrow-inside-light");
  await page.click('#tabs button:text-is("Telegram")');
  expect(await page.isVisible("#composer-telegram"), "back in the chat");
  await page.emulateMedia({ colorScheme: "dark" });
  await accessible(page);
  await shot(page, "9-narrow-dark");
  await page.close();
}

// Contrast of a text with what is behind it (WCAG 2.2, 1.4.3), for opaque colours.
const contrast = (page, selector) => page.$eval(selector, (one) => {
  const parse = (color) => color.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => {
    const part = (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  let behind = one;
  while (behind.parentElement && (parse(getComputedStyle(behind).backgroundColor)[3] ?? 1) === 0) behind = behind.parentElement;
  const [a, b] = [light(parse(getComputedStyle(one).color)), light(parse(getComputedStyle(behind).backgroundColor))];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
});

const READ = [".mine .text", ".message:not(.mine) .text", ".message:not(.mine) .meta", ".mine .meta", ".about", "#gateway-detail", ".figure dt", ".later strong", ".done strong", ".chip", ".kind"];

async function readable(page) {
  await settled(page);
  for (const selector of READ) {
    if (!(await page.$(selector))) continue;
    const ratio = await contrast(page, selector);
    expect(ratio >= 4.5, `${selector} has a contrast of ${ratio.toFixed(2)}`);
  }
}

export async function dark(browser, url) {
  const page = await browser.open(url, { colors: "dark" });
  await gatewayIs(page, "running");
  const behind = await page.$eval("body", (body) => getComputedStyle(body).backgroundColor.match(/\d+/g).map(Number));
  expect(Math.max(...behind) < 60, `a dark page: ${behind}`);
  await readable(page);
  await accessible(page);
  await shot(page, "10-wide-dark");
  await page.emulateMedia({ colorScheme: "light" });
  await readable(page);
  await accessible(page);
  await page.close();
}

export async function reducedMotion(browser, url) {
  const page = await browser.open(url, { motion: "reduce" });
  await gatewayIs(page, "running");
  expect(await page.$eval(".message", (row) => getComputedStyle(row).animationName) === "none", "bubbles do not move in");
  // A growing text is shown at once, as far as it came.
  await page.fill("#composer-telegram", "Good day");
  await page.press("#composer-telegram", "Enter");
  const own = await until("the own message", async () => (await bubbles(page)).findLast((one) => one.mine && one.text === "Good day"));
  const { posts } = await whole(page, own.id);
  expect(posts.every((post) => post.text.length <= post.length), "no more than was said");
  await page.close();
}
