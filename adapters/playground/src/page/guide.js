// Three steps to an answer that survives a kill, followed by what really happens.

import { announce, el, icon, patch } from "./dom.js";
import { PROMPTS } from "./skins.js";

// A question counts as the story's when its answer takes longer than this; the suggested slow and
// long ones count at once.
const LONG_MS = 2500;
// Without figures from the ledger, an answer that stands still this long counts as finished.
const STILL_MS = 3000;

const STEPS = [
  { title: "Ask for a slow answer", words: "It grows in the chat for twenty seconds.", label: "Ask", action: "ask" },
  { title: "Kill the gateway while it grows", words: "SIGKILL: no warning, nothing is saved on the way out.", label: "Kill", action: "kill" },
  { title: "Start it again", words: "It picks up where its ledger stands and finishes the same message.", label: "Start", action: "start" },
];

export class Guide {
  /** `actions` has `ask(text)`, `kill()` and `start()`; `modelAnswers()` says what the model said. */
  constructor(actions) {
    this.actions = actions;
    this.box = document.getElementById("guide");
    this.story = { step: 0, mine: 0, cut: 0, kills: 0, hint: "" };
    this.seen = null;
    this.primed = false;
    this.asked = { id: 0, since: 0 };
    this.still = { text: "", since: performance.now() };
    this.box.addEventListener("click", (event) => this.act(event.target.closest("[data-guide]")?.dataset.guide));
    setInterval(() => this.seen && this.update(this.seen), 500);
    this.show();
  }

  act(action) {
    if (action === "ask") this.actions.ask(PROMPTS.slow);
    else if (action === "kill") this.actions.kill();
    else if (action === "start") this.actions.start();
    else if (action === "again") {
      const mine = this.story.mine;
      this.story = { step: 0, mine, cut: 0, kills: 0, hint: "" };
      this.show();
      this.actions.ask(PROMPTS.slow);
    }
  }

  /** Takes the state as it is: gateway, ledger and the messages of the first chat. */
  update(seen) {
    this.seen = seen;
    const { gateway, ledger, messages } = seen;
    if (!gateway || !ledger) return;
    // The story's own question; before the story begins, the newest one.
    const newest = messages.filter((m) => m.mine).at(-1)?.id ?? 0;
    const mine = this.story.step === 0 ? newest : this.story.mine;
    const next = messages.find((m) => m.mine && m.id > mine)?.id ?? Infinity;
    const posts = messages.filter((m) => !m.mine && m.id > mine && m.id < next);
    const text = posts.map((m) => m.text).join("\n");
    if (text !== this.still.text) this.still = { text, since: performance.now() };
    const still = performance.now() - this.still.since > STILL_MS;
    const busy = ledger.known ? ledger.running + ledger.owed > 0 : !still;
    if (!this.primed) {
      // What was there before the page opened is no part of the story.
      this.primed = true;
      if (!ledger.known || !busy) this.story.mine = mine;
    }
    if (mine !== this.asked.id) this.asked = { id: mine, since: performance.now() };
    const question = messages.find((m) => m.id === mine)?.text;
    const lasting = [PROMPTS.slow, PROMPTS.long].includes(question) || performance.now() - this.asked.since > LONG_MS;
    this.advance({ gateway, ledger, mine, posts, text, busy, still, lasting });
  }

  advance({ gateway, ledger, mine, posts, text, busy, still, lasting }) {
    const { story } = this;
    const before = JSON.stringify(story);
    const down = gateway.pid === null;
    const finished = !busy && text !== "" && gateway.state === "running" && (ledger.up || still);
    if (story.step === 0 && mine > story.mine && lasting && (busy || text !== "") && !finished) {
      Object.assign(story, { step: 1, mine, hint: "" });
    } else if (story.step === 1 && down) {
      if (busy || text === "") Object.assign(story, { step: 2, cut: text.length, kills: 1, hint: "" });
      else Object.assign(story, { step: 0, hint: "It was finished already. Press Start, ask again, and kill it sooner." });
    } else if (story.step === 1 && finished && still) {
      Object.assign(story, { step: 0, hint: "That one was faster than you. Ask again, then press Kill while it grows." });
    } else if (story.step === 2 && !down) {
      story.step = 3;
    } else if (story.step === 3 && down) {
      Object.assign(story, { step: 2, cut: text.length, kills: story.kills + 1 });
    } else if (story.step === 3 && finished && (text.length > story.cut || still)) {
      story.step = 4;
      this.finish(posts, text);
    }
    if (JSON.stringify(story) !== before) this.show();
  }

  async finish(posts, text) {
    const { story } = this;
    const count = (n) => `${n.toLocaleString()} characters`;
    const kills = story.kills === 1 ? "the kill" : `${story.kills} kills`;
    story.result = `${count(text.length)} in ${posts.length === 1 ? "one message" : `${posts.length} messages`}; ${story.cut.toLocaleString()} of them stood before ${kills}.`;
    const plain = (words) => words.replace(/[^\p{L}\p{N}]/gu, "");
    const answers = await this.actions.modelAnswers();
    if (answers.some((answer) => plain(answer) === plain(text))) story.result += " Word for word what the model said.";
    this.show();
    announce(`The answer survived: ${story.result}`);
  }

  show() {
    const { step, hint, result } = this.story;
    this.box.dataset.step = String(step);
    const done = step >= 4;
    patch(this.box, [
      el("h2", { id: "guide-title" }, done ? "It survived" : "Break it in a minute"),
      el("ol", { class: "steps" }, ...STEPS.map((one, index) => this.row(one, index))),
      el("p", { class: "guide-words", hidden: !(hint || step >= 3) }, done ? result ?? "" : step === 3 ? "Finishing the same message…" : hint),
      el("button", { type: "button", class: "key", "data-guide": "again", hidden: !done }, "Do it again"),
    ]);
  }

  row({ title, words, label, action }, index) {
    const { step } = this.story;
    const state = index < step ? "done" : index === step ? "now" : "later";
    return el("li", { class: state, "aria-current": state === "now" ? "step" : null },
      el("span", { class: "mark" }, state === "done" ? icon("check") : String(index + 1)),
      el("span", { class: "step-words" }, el("strong", {}, title), el("span", {}, words)),
      el("button", { type: "button", class: "key small", "data-guide": action, hidden: state !== "now" }, label));
  }
}
