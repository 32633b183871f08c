// Text with entities (Bot API: MessageEntity) as DOM nodes. Offsets are UTF-16 units, as strings
// count here.

import { el, icon } from "./dom.js";

const LINK_SCHEMES = ["http:", "https:", "tg:", "mailto:"];
const BLOCKS = new Set(["pre", "blockquote", "expandable_blockquote"]);

/** The nodes of `text`, as far as `shown` units; entities are cut there. */
export function textNodes({ text, entities }, shown = text.length) {
  const list = entities
    .map((entity) => ({ ...entity, end: Math.min(entity.offset + entity.length, shown) }))
    .filter((entity) => entity.offset >= 0 && entity.end > entity.offset)
    .sort((a, b) => a.offset - b.offset || b.end - a.end);
  return build(text, 0, shown, list);
}

function build(text, start, end, list) {
  const nodes = [];
  let at = start;
  let index = 0;
  const plain = (to) => {
    // The line break that ends a block is the block's own.
    const from = afterBlock(nodes) && text[at] === "\n" ? at + 1 : at;
    if (to > from) nodes.push(document.createTextNode(text.slice(from, to)));
    at = to;
  };
  while (index < list.length) {
    const entity = list[index];
    const from = Math.max(entity.offset, at);
    const to = Math.min(entity.end, end);
    index += 1;
    if (to <= from) continue;
    plain(from);
    const inner = [];
    while (index < list.length && list[index].offset < to) {
      inner.push({ ...list[index], end: Math.min(list[index].end, to) });
      index += 1;
    }
    nodes.push(wrap(entity, text.slice(from, to), build(text, from, to, inner)));
    at = to;
  }
  plain(end);
  return nodes;
}

function afterBlock(nodes) {
  return nodes.length > 0 && nodes[nodes.length - 1].dataset?.block === "";
}

const WRAPPERS = {
  bold: (_, __, inner) => el("strong", {}, ...inner),
  italic: (_, __, inner) => el("em", {}, ...inner),
  underline: (_, __, inner) => el("u", {}, ...inner),
  strikethrough: (_, __, inner) => el("s", {}, ...inner),
  code: (_, __, inner) => el("code", {}, ...inner),
  pre: codeBlock,
  blockquote: (_, __, inner) => el("blockquote", { "data-block": "" }, ...inner),
  expandable_blockquote: (_, __, inner) =>
    el("blockquote", { "data-block": "", class: "expandable", "data-action": "expand" }, ...inner),
  spoiler: (_, __, inner) =>
    el("span", { class: "spoiler", "data-action": "reveal", role: "button", tabindex: 0, "aria-label": "Hidden text: press to show" }, el("span", {}, ...inner)),
  text_link: (entity, _, inner) => link(entity.url ?? "", inner),
  url: (_, content, inner) => link(/^[a-z][a-z0-9+.-]*:/i.test(content) ? content : `https://${content}`, inner),
  email: (_, content, inner) => link(`mailto:${content}`, inner),
  bot_command: (_, content, inner) =>
    el("a", { class: "tap", role: "button", tabindex: 0, "data-action": "command", "data-command": content }, ...inner),
  mention: (_, __, inner) => el("span", { class: "tap" }, ...inner),
  text_mention: (_, __, inner) => el("span", { class: "tap" }, ...inner),
  hashtag: (_, __, inner) => el("span", { class: "tap" }, ...inner),
  cashtag: (_, __, inner) => el("span", { class: "tap" }, ...inner),
};

function wrap(entity, content, inner) {
  const wrapper = Object.hasOwn(WRAPPERS, entity.type) ? WRAPPERS[entity.type] : null;
  return wrapper ? wrapper(entity, content, inner) : el("span", {}, ...inner);
}

function codeBlock(entity, _content, inner) {
  return el(
    "div",
    { class: "code", "data-block": "" },
    el(
      "div",
      { class: "code-head" },
      el("span", { class: "code-language" }, entity.language || "code"),
      el("button", { type: "button", class: "code-copy", "data-action": "copy", "aria-label": "Copy the code" }, icon("copy"), el("span", { class: "code-copied" }, "Copy")),
    ),
    el("pre", { tabindex: 0 }, el("code", {}, ...inner)),
  );
}

/** A link where the address may be followed; otherwise its text. */
export function link(address, inner, extra = {}) {
  let scheme = "";
  try {
    scheme = new URL(address).protocol;
  } catch {
    // Not an address: shown as text.
  }
  if (!LINK_SCHEMES.includes(scheme)) return el("span", {}, ...inner);
  return el("a", { ...extra, href: address, target: "_blank", rel: "noopener noreferrer" }, ...inner);
}

/** Whether the text ends in a block, so that the time needs a line of its own. */
export function endsInBlock({ text, entities }) {
  return entities.some((entity) => BLOCKS.has(entity.type) && entity.offset + entity.length >= text.trimEnd().length);
}
