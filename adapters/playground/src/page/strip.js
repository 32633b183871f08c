// The gateway's process, the ledger's figures and the log.

import { announce, clock, duration, el, patch } from "./dom.js";
import { ask } from "./server.js";

const FIGURES = [
  ["accepted", "Accepted", "Messages taken in and kept durably"],
  ["running", "Running", "Answers being written now"],
  ["owed", "Owed", "Posts that must still reach the chat"],
  ["delivered", "Delivered", "Posts that the chat has, complete"],
  ["refused", "Refused", "Messages outside the access rules"],
];

const STATES = { starting: "starting", running: "running", killed: "killed", exited: "ended" };

const MAX_LOG_ROWS = 400;

export class Strip {
  constructor() {
    this.gateway = null;
    this.ledger = null;
    this.clockSkew = 0;
    this.box = document.querySelector(".gateway");
    this.killKey = document.getElementById("kill");
    this.startKey = document.getElementById("start");
    this.killKey.addEventListener("click", () => this.kill());
    this.startKey.addEventListener("click", () => this.start());
    this.buildFigures();
    setInterval(() => this.showSince(), 1000);
  }

  buildFigures() {
    const rows = FIGURES.map(([key, label, about]) =>
      el("div", { class: "figure", "data-key": key, title: about }, el("dt", {}, label), el("dd", {}, "–")));
    document.getElementById("figures").append(...rows);
  }

  async kill() {
    if (this.killKey.disabled) return;
    this.failed(await ask("/api/gateway/kill"));
  }

  async start() {
    if (this.startKey.disabled) return;
    this.failed(await ask("/api/gateway/start"));
  }

  failed(why) {
    if (why !== null) announce(why);
  }

  setGateway(gateway) {
    const before = this.gateway;
    this.gateway = gateway;
    const alive = gateway.pid !== null;
    this.box.dataset.state = gateway.state;
    document.getElementById("gateway-state").textContent = STATES[gateway.state] ?? gateway.state;
    this.showSince();
    // The key that becomes useless hands the focus to the one that is useful now.
    const [use, rest] = alive ? [this.killKey, this.startKey] : [this.startKey, this.killKey];
    const hadFocus = document.activeElement === rest;
    use.disabled = false;
    rest.disabled = true;
    if (hadFocus) use.focus();
    if (before && before.state !== gateway.state) announce(this.words());
  }

  words() {
    const { state, pid, ended } = this.gateway;
    if (state === "running") return `Gateway running, process ${pid}.`;
    if (state === "starting") return "Gateway starting.";
    return state === "killed" ? "Gateway killed. Press Start to go on." : `Gateway ended: ${ended}. Press Start to go on.`;
  }

  showSince() {
    if (!this.gateway) return;
    const { state, pid, since_ms: since, ended, last_line: line } = this.gateway;
    const age = duration(Date.now() + this.clockSkew - since);
    const detail = document.getElementById("gateway-detail");
    if (pid !== null) detail.textContent = `pid ${pid} · ${age}`;
    else if (state === "killed") detail.textContent = `${age} ago`;
    else detail.textContent = `${ended}${line ? `: ${withoutTime(line)}` : ""}`;
    detail.title = detail.textContent;
  }

  setLedger(ledger) {
    this.ledger = ledger;
    for (const [key] of FIGURES) {
      const figure = document.querySelector(`.figure[data-key="${key}"]`);
      const shown = ledger.known ? String(ledger[key]) : "–";
      const number = figure.querySelector("dd");
      if (number.textContent !== shown) number.textContent = shown;
      figure.classList.toggle("lively", ledger.up && ledger[key] > 0 && (key === "running" || key === "owed"));
    }
    document.getElementById("figures").classList.toggle("stale", !ledger.up);
    patch(document.getElementById("recent"), ledger.recent.map(recentRow));
  }

  /** What stands beside the figures: how fresh they are, and what waits outside. */
  setNote(waiting) {
    const { ledger, gateway } = this;
    const parts = [];
    if (gateway && gateway.pid === null) parts.push(ledger?.known ? "as last told" : "gateway is down");
    else if (ledger && !ledger.up) parts.push("waiting for the gateway");
    if (waiting > 0) parts.push(`${waiting} ${waiting === 1 ? "message waits" : "messages wait"} outside`);
    const note = document.getElementById("ledger-note");
    const text = parts.join(" · ");
    if (note.textContent !== text) note.textContent = text;
  }

  addLog(lines, reset) {
    const box = document.getElementById("log");
    const atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 40;
    if (reset) box.replaceChildren();
    box.append(...lines.map(({ text }) => {
      const level = /\b(ERROR|WARN)\b/.exec(text)?.[1] ?? (text.startsWith("playground:") ? "own" : "");
      return el("p", { class: level.toLowerCase() || null }, text);
    }));
    while (box.childElementCount > MAX_LOG_ROWS) box.firstChild.remove();
    if (lines.length > 0) document.getElementById("log-last").textContent = withoutTime(lines[lines.length - 1].text);
    if (atEnd) box.scrollTop = box.scrollHeight;
  }
}

const withoutTime = (line) => line.replace(/^\d{4}-\S+Z\s+/, "");

function recentRow({ kind, id, state, at_ms: at, title }) {
  return el("li", { "data-kind": kind, "data-state": state },
    el("span", { class: "kind" }, kind), el("span", { class: "record", title: id }, title || id),
    el("span", { class: "state" }, state), at > 0 ? el("time", {}, clock(at)) : el("time"));
}
