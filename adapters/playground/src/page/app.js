// The page: takes the server's changes, keeps the state, hands the parts out.

import { Chat } from "./chat.js";
import { announce, el } from "./dom.js";
import { Guide } from "./guide.js";
import { follow } from "./server.js";
import { Strip } from "./strip.js";

const chats = new Map();
const strip = new Strip();
const guide = new Guide({
  ask: (text) => {
    const chat = firstChat();
    if (!chat) return;
    show(chat.id);
    chat.composer.submit(text);
  },
  kill: () => strip.kill(),
  start: () => strip.start(),
  modelAnswers: async () => {
    try {
      const response = await fetch("/api/debug/model-answers");
      return (await response.json()).answers.map((answer) => answer.text);
    } catch {
      return [];
    }
  },
});

function firstChat() {
  return chats.values().next().value;
}

function take(delta) {
  strip.clockSkew = delta.now_ms - Date.now();
  for (const change of delta.chats ?? []) {
    if (!chats.has(change.id)) addChat(change.head);
    chats.get(change.id).apply(change, delta.reset);
  }
  if (delta.gateway) strip.setGateway(delta.gateway);
  if (delta.ledger) strip.setLedger(delta.ledger);
  if (delta.log || delta.reset) strip.addLog(delta.log ?? [], delta.reset);
  const waiting = [...chats.values()].reduce((sum, chat) => sum + chat.waiting(), 0);
  strip.setNote(waiting);
  for (const chat of chats.values()) chat.setNotice(noticeFor(chat));
  guide.update({
    gateway: strip.gateway,
    ledger: strip.ledger,
    messages: firstChat() ? [...firstChat().messages.values()].sort((a, b) => a.id - b.id) : [],
  });
}

function noticeFor(chat) {
  if (!strip.gateway || strip.gateway.pid !== null) return "";
  const waiting = chat.waiting();
  const rest = waiting === 0 ? "What you send waits for it." : `${waiting} ${waiting === 1 ? "message waits" : "messages wait"} for it.`;
  return `The gateway is down. ${rest}`;
}

function addChat(head) {
  const chat = new Chat(head);
  chats.set(head.id, chat);
  document.getElementById("chats").append(chat.element);
  showTabs();
  if (chats.size === 1) {
    show(head.id);
    // On a phone the focus would open the keyboard over the page.
    if (matchMedia("(pointer: fine)").matches) chat.composer.focus();
  }
}

// Narrow screens show one chat or the inside at a time.
function show(view) {
  document.body.dataset.view = view === "inside" ? "inside" : "chats";
  for (const chat of chats.values()) chat.element.classList.toggle("shown", chat.id === view);
  for (const tab of document.querySelectorAll("#tabs button")) {
    if (tab.dataset.view === view) tab.setAttribute("aria-current", "true");
    else tab.removeAttribute("aria-current");
  }
  chats.get(view)?.follow();
}

function showTabs() {
  const views = [...[...chats.values()].map((chat) => [chat.id, chat.skin.name]), ["inside", "Inside"]];
  document.getElementById("tabs").replaceChildren(...views.map(([view, words]) =>
    el("button", { type: "button", "data-view": view, onclick: () => show(view) }, words)));
}

let linked = null;
function link(alive) {
  if (linked === alive) return;
  const lost = document.getElementById("lost");
  if (!alive) lost.textContent = "The playground does not answer. Is it still running in its terminal? Trying again…";
  else if (linked === false) announce("The playground answers again.");
  lost.hidden = alive;
  document.body.classList.toggle("is-lost", !alive);
  linked = alive;
}

function shortcut(event) {
  if (event.altKey && !event.ctrlKey && !event.metaKey) {
    // By place on the keyboard: with Alt some layouts type other characters.
    if (event.code === "KeyK") strip.kill();
    else if (event.code === "KeyS") strip.start();
    else if (event.code === "KeyL") toggleLog();
    else if (/^Digit[1-9]$/.test(event.code)) {
      const chat = [...chats.values()][Number(event.code.slice(5)) - 1];
      if (!chat) return;
      show(chat.id);
      chat.composer.focus();
    } else return;
    event.preventDefault();
  } else if (event.key === "/" && !event.ctrlKey && !event.metaKey && !event.target.closest("input, textarea")) {
    event.preventDefault();
    const chat = firstChat();
    if (!chat) return;
    show(chat.id);
    chat.composer.focus();
    chat.composer.write("/");
  }
}

function toggleLog() {
  const card = document.getElementById("log-card");
  card.open = !card.open;
  if (!card.open) return;
  show(document.body.dataset.view === "inside" || getComputedStyle(document.getElementById("tabs")).display !== "none" ? "inside" : firstChat()?.id);
  card.querySelector("#log").focus();
}

document.addEventListener("keydown", shortcut);
follow(take, link);
