// One chat column: header, messages, composer.

import { announce, el, icon } from "./dom.js";
import { Bubble } from "./bubble.js";
import { Composer } from "./composer.js";
import { SKINS } from "./skins.js";
import { ask } from "./server.js";

// An answer that has not changed for so long is read out as finished.
const SETTLED_MS = 1500;
// Closer to the end than this counts as at the end.
const NEAR_END_PX = 60;
const DRAFT = "draft";

export class Chat {
  constructor(head) {
    this.id = head.id;
    this.skin = SKINS[head.skin];
    this.messages = new Map();
    this.bubbles = new Map();
    this.toastSeq = 0;
    this.unread = 0;
    this.settle = new Map();
    this.atEnd = true;
    this.build(head);
  }

  build(head) {
    const send = (text) => {
      this.atEnd = true;
      return ask(`/api/chats/${this.id}/send`, { text });
    };
    this.title = el("h2", {}, head.title);
    this.about = el("p", { class: "about" }, this.skin.about);
    this.list = el("ol", { class: "messages" });
    this.empty = el("p", { class: "empty" }, "Nothing here yet. Try one of the suggestions below.");
    this.scroller = el("div", { class: "scroller", tabindex: 0, role: "log", "aria-live": "off", "aria-label": `Messages with ${head.title} on ${this.skin.name}` }, this.empty, this.list);
    this.count = el("span", { class: "unread", hidden: true });
    this.down = el("button", { type: "button", class: "down", "aria-label": "To the newest message", hidden: true }, icon("down"), this.count);
    this.notice = el("p", { class: "notice", hidden: true });
    this.toast = el("p", { class: "toast", role: "status", hidden: true });
    this.composer = new Composer(this.id, this.skin, send);
    this.element = el("section", { class: `chat skin-${head.skin}`, "aria-label": `${this.skin.name} chat`, id: `chat-${this.id}` },
      el("header", { class: "chat-head" }, el("span", { class: "avatar", "aria-hidden": "true" }, "T"),
        el("div", {}, this.title, this.about), el("span", { class: "skin-name" }, this.skin.name)),
      el("div", { class: "room" }, this.scroller, this.down, this.toast), this.notice, this.composer.element);
    this.listen();
  }

  listen() {
    this.scroller.addEventListener("scroll", () => {
      const { scrollTop, scrollHeight, clientHeight } = this.scroller;
      this.atEnd = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
      if (this.atEnd) this.unread = 0;
      this.showDown();
    });
    this.down.addEventListener("click", () => {
      this.atEnd = true;
      this.follow();
    });
    new ResizeObserver(() => this.follow()).observe(this.scroller);
    this.list.addEventListener("click", (event) => this.act(event.target));
    this.list.addEventListener("keydown", (event) => {
      const target = event.target.closest("[role=button]");
      if (!target || (event.key !== "Enter" && event.key !== " ")) return;
      event.preventDefault();
      this.act(target);
    });
  }

  /** Takes a change of this chat; with `reset`, everything anew. */
  apply(delta, reset) {
    const had = new Set(this.messages.keys());
    if (reset) {
      const kept = new Set((delta.messages ?? []).map(({ id }) => id));
      for (const id of had) if (!kept.has(id)) this.drop(id);
    }
    for (const id of delta.removed ?? []) this.drop(id);
    const fresh = reset && had.size === 0;
    for (const message of delta.messages ?? []) this.take(message, fresh);
    if (delta.head) this.takeHead(delta.head, fresh);
    this.group();
    this.follow();
  }

  take(message, fresh) {
    const isNew = !this.messages.has(message.id);
    this.messages.set(message.id, message);
    const bubble = this.bubble(message.id);
    if (isNew && !message.mine && this.bubbles.has(DRAFT)) bubble.continueFrom(this.bubbles.get(DRAFT));
    const quoted = message.reply_to === null ? null : this.messages.get(message.reply_to);
    bubble.update(message, { author: "Talaria", quoted, first: fresh });
    if (fresh || message.mine) return;
    if (isNew && !this.atEnd) this.unread += 1;
    clearTimeout(this.settle.get(message.id));
    this.settle.set(message.id, setTimeout(() => this.settled(message.id), SETTLED_MS));
  }

  takeHead(head, fresh) {
    this.title.textContent = head.title;
    const dots = () => el("span", { class: "dots", "aria-hidden": "true" }, el("i"), el("i"), el("i"));
    if (this.about.classList.contains("typing") !== head.typing) {
      this.about.classList.toggle("typing", head.typing);
      this.about.replaceChildren(...(head.typing ? ["typing", el("span", { class: "unseen" }, "…"), dots()] : [this.skin.about]));
    }
    this.composer.setCommands(head.commands);
    this.takeDraft(head.draft, fresh);
    if (head.toast && head.toast.seq !== this.toastSeq) {
      this.toastSeq = head.toast.seq;
      if (!fresh) this.showToast(head.toast);
    }
  }

  /** A draft is a bubble that may vanish. */
  takeDraft(draft, fresh) {
    if (!draft) {
      this.drop(DRAFT);
      return;
    }
    const message = { id: DRAFT, mine: false, text: draft.text || "Thinking…", entities: draft.entities, sent_ms: Date.now(), edited: false, fetched: false, reply_to: null, buttons: [] };
    const bubble = this.bubble(DRAFT);
    bubble.element.classList.add("draft");
    bubble.update(message, { author: "Talaria", quoted: null, first: fresh });
  }

  bubble(id) {
    let bubble = this.bubbles.get(id);
    if (bubble) return bubble;
    bubble = new Bubble(this.skin, () => this.follow());
    this.bubbles.set(id, bubble);
    // Ids grow with time; a draft stands last.
    const order = (key) => (key === DRAFT ? Infinity : Number(key));
    const next = [...this.list.children].find((row) => row.dataset.id && order(row.dataset.id) > order(id));
    this.list.insertBefore(bubble.element, next ?? null);
    return bubble;
  }

  drop(id) {
    this.messages.delete(id);
    this.bubbles.get(id)?.remove();
    this.bubbles.delete(id);
  }

  /** Messages of one side in a row stand together; a new day has its date. */
  group() {
    this.empty.hidden = this.bubbles.size > 0;
    let side = null;
    let day = "";
    let previous = null;
    for (const row of this.list.querySelectorAll(".day")) row.remove();
    for (const row of [...this.list.children]) {
      const message = this.bubbles.get(row.dataset.id === DRAFT ? DRAFT : Number(row.dataset.id)).message;
      const date = new Date(message.sent_ms).toDateString();
      const joined = side === message.mine && day === date;
      row.classList.toggle("joined", joined);
      previous?.classList.toggle("last", !joined);
      if (day !== date) this.list.insertBefore(el("li", { class: "day" }, el("span", {}, dayWords(message.sent_ms))), row);
      [side, day, previous] = [message.mine, date, row];
    }
    previous?.classList.add("last");
  }

  follow() {
    if (this.atEnd) this.scroller.scrollTop = this.scroller.scrollHeight;
    this.showDown();
  }

  showDown() {
    this.down.hidden = this.atEnd;
    this.count.hidden = this.unread === 0;
    this.count.textContent = String(this.unread);
  }

  settled(id) {
    const message = this.messages.get(id);
    if (message && !this.about.classList.contains("typing")) announce(`Talaria: ${message.text}`);
  }

  showToast({ text, alert }) {
    if (alert) {
      const box = el("dialog", { class: "alert", "aria-label": "Message of the bot" }, el("p", {}, text), el("form", { method: "dialog" }, el("button", { class: "key" }, "OK")));
      box.addEventListener("close", () => box.remove());
      document.body.append(box);
      box.showModal();
      return;
    }
    this.toast.textContent = text;
    this.toast.hidden = false;
    clearTimeout(this.toastTimer);
    this.toastTimer = setTimeout(() => { this.toast.hidden = true; }, 4000);
  }

  /** The playground's own word in this chat ("the gateway is down"); empty: none. */
  setNotice(text) {
    this.notice.hidden = text === "";
    if (this.notice.textContent !== text) this.notice.textContent = text;
    this.follow();
  }

  /** Own messages that the bot has not fetched. */
  waiting() {
    return [...this.messages.values()].filter((message) => message.mine && !message.fetched).length;
  }

  async act(target) {
    const part = target.closest("[data-action]");
    if (!part) return;
    const { action } = part.dataset;
    if (action === "copy") await copyCode(part);
    else if (action === "command") this.composer.submit(part.dataset.command);
    else if (action === "reveal") part.classList.add("open");
    else if (action === "expand") part.classList.toggle("open");
    else if (action === "press") {
      const message = Number(part.closest(".message").dataset.id);
      const refused = await ask(`/api/chats/${this.id}/press`, { message, row: Number(part.dataset.row), column: Number(part.dataset.column) });
      if (refused !== null) this.showToast({ text: refused, alert: false });
    }
  }
}

async function copyCode(button) {
  const words = button.querySelector(".code-copied");
  try {
    await navigator.clipboard.writeText(button.closest(".code").querySelector("pre").textContent);
    words.textContent = "Copied";
    announce("Copied");
  } catch {
    words.textContent = "Not allowed";
  }
  setTimeout(() => { words.textContent = "Copy"; }, 1500);
}

function dayWords(ms) {
  const day = new Date(ms);
  if (day.toDateString() === new Date().toDateString()) return "Today";
  return day.toLocaleDateString([], { month: "long", day: "numeric" });
}
