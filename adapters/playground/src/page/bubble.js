// One message bubble. A text that grows is revealed smoothly towards what the server last said.

import { calm, clock, el, icon, patch } from "./dom.js";
import { endsInBlock, link, textNodes } from "./text.js";

// The part that is not shown yet shrinks to a third in this time.
const CATCH_UP_MS = 160;

export class Bubble {
  /** `resize` is called whenever the bubble's height may have changed. */
  constructor(skin, resize) {
    this.skin = skin;
    this.resize = resize;
    this.message = null;
    this.shown = 0;
    this.frame = 0;
    this.text = el("div", { class: "text", dir: "auto" });
    this.meta = el("div", { class: "meta" });
    this.quote = el("div", { class: "reply" });
    this.who = el("span", { class: "unseen" });
    this.box = el("div", { class: "bubble" }, this.who, this.quote, this.text, this.meta);
    this.buttons = el("div", { class: "buttons" });
    this.element = el("li", { class: "message" }, el("div", { class: "stack" }, this.box, this.buttons));
  }

  /** Takes the message as it is now. `quoted` is the message that it answers, if shown. */
  update(message, { author, quoted, first }) {
    const before = this.message;
    this.message = message;
    const grows = !message.mine && !first && !calm.matches && !document.hidden &&
      message.text.length > this.shown && (!before || message.text.startsWith(before.text.slice(0, this.shown)));
    if (!grows) this.shown = message.text.length;
    this.element.dataset.id = message.id;
    this.element.dataset.length = message.text.length;
    this.element.classList.toggle("mine", message.mine);
    this.who.textContent = `${message.mine ? "You" : author}: `;
    this.showQuote(quoted);
    this.showMeta();
    this.showButtons();
    this.showText();
    if (grows && !this.frame) this.animate(performance.now());
  }

  /** Goes on from where another bubble was (a draft that became a message). */
  continueFrom(other) {
    if (other.message && this.message === null) this.shown = other.shown;
  }

  remove() {
    cancelAnimationFrame(this.frame);
    this.element.remove();
  }

  animate(last) {
    this.frame = requestAnimationFrame((now) => {
      this.frame = 0;
      const left = this.message.text.length - this.shown;
      if (left <= 0) return;
      const step = Math.ceil(left * (1 - Math.exp(-(now - last) / CATCH_UP_MS)));
      this.shown = whole(this.message.text, this.shown + Math.max(step, 1));
      if (document.hidden || calm.matches) this.shown = this.message.text.length;
      this.showText();
      if (this.shown < this.message.text.length) this.animate(now);
    });
  }

  showText() {
    const nodes = textNodes(this.message, this.shown);
    // Room for the time at the end of the last line; the words stand in an attribute, so that the
    // text of the bubble stays the text of the message.
    if (!endsInBlock(this.message)) nodes.push(el("span", { class: "meta-room", "aria-hidden": "true", "data-words": this.meta.textContent }));
    patch(this.text, nodes);
    this.resize();
  }

  showMeta() {
    const { mine, fetched, sent_ms: sent } = this.message;
    const parts = [];
    if (this.skin.editedMark(this.message)) parts.push(el("span", { class: "edited" }, "edited"));
    parts.push(el("time", { datetime: new Date(sent).toISOString() }, clock(sent)));
    if (mine) {
      const words = fetched ? "taken by the gateway" : "waits for the gateway";
      parts.push(el("span", { class: "ticks", role: "img", "aria-label": words, title: words }, icon(fetched ? "ticks" : "tick")));
    }
    this.meta.replaceChildren(...parts);
  }

  showQuote(quoted) {
    this.quote.hidden = !quoted;
    if (!quoted) return;
    patch(this.quote, [
      el("strong", {}, quoted.mine ? "You" : "Talaria"),
      el("span", {}, quoted.text.slice(0, 120)),
    ]);
  }

  showButtons() {
    this.buttons.hidden = this.message.buttons.length === 0;
    const rows = this.message.buttons.map((row, r) =>
      el("div", { class: "row" }, ...row.map((button, c) => buttonNode(button, r, c))));
    patch(this.buttons, rows);
  }
}

function buttonNode(button, row, column) {
  if (button.url) return link(button.url, [button.text, icon("out")], { class: "inline-button" });
  const place = { "data-action": "press", "data-row": row, "data-column": column };
  return el("button", { type: "button", class: "inline-button", disabled: !button.press, ...place }, button.text);
}

/** Not inside a surrogate pair. */
function whole(text, at) {
  const unit = text.charCodeAt(at - 1);
  return Math.min(text.length, unit >= 0xd800 && unit < 0xdc00 ? at + 1 : at);
}
