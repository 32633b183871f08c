// Small helpers over the DOM. Text from chats enters the page only as text nodes.

/** Makes an element. Properties that start with "on" are listeners; null and false are left out. */
export function el(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "class") element.className = value;
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

const ICONS = {
  send: ["0 0 24 24", "M3.4 20.4 21 12 3.4 3.6l-.1 6.5L15.5 12 3.3 13.9z"],
  menu: ["0 0 24 24", "M4 6.5h16v2H4zm0 4.7h16v2H4zm0 4.7h16v2H4z"],
  close: ["0 0 24 24", "m6.4 5 5.6 5.6L17.6 5 19 6.4 13.4 12l5.6 5.6-1.4 1.4-5.6-5.6L6.4 19 5 17.6l5.6-5.6L5 6.4z"],
  down: ["0 0 24 24", "M6 8.6 12 14.6 18 8.6 19.4 10 12 17.4 4.6 10z"],
  copy: ["0 0 24 24", "M8 3h10a2 2 0 0 1 2 2v11h-2V5H8zM6 7h8a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2V9a2 2 0 0 1 2-2m0 2v10h8V9z"],
  check: ["0 0 24 24", "m9.3 16.6-4-4L4 13.9l5.3 5.3L20.4 8.1 19 6.7z"],
  out: ["0 0 24 24", "M14 4h6v6h-2V7.4l-7.3 7.3-1.4-1.4L16.6 6H14zM5 6h5v2H6v10h10v-4h2v5a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V7a1 1 0 0 1 1-1"],
  tick: ["0 0 16 11", "M14.1.9 15.2 2 7 10.4 3.2 6.6 4.3 5.5 7 8.2z"],
  ticks: ["0 0 20 11", "M12.1.9 13.2 2 5 10.4 1.2 6.6l1.1-1.1L5 8.2zM18.6.9 19.7 2l-8.2 8.4-1.6-1.6 1.1-1.1.5.5z"],
};

/** A drawing that says nothing to a screen reader. */
export function icon(name) {
  const [box, path] = ICONS[name];
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", box);
  svg.setAttribute("class", `icon icon-${name}`);
  svg.setAttribute("aria-hidden", "true");
  const drawn = document.createElementNS(SVG, "path");
  drawn.setAttribute("d", path);
  svg.append(drawn);
  return svg;
}

/**
 * Makes the children of `parent` equal to `wanted` and keeps what is equal already, so that a
 * growing text grows: nothing before its end is touched, selections and focus stay.
 */
export function patch(parent, wanted) {
  for (let index = 0; index < wanted.length; index += 1) {
    const have = parent.childNodes[index];
    const want = wanted[index];
    if (!have) parent.append(want);
    else if (!same(have, want)) parent.replaceChild(want, have);
    else if (have.nodeType === Node.TEXT_NODE) patchText(have, want.data);
    else {
      patchAttributes(have, want);
      patch(have, [...want.childNodes]);
    }
  }
  while (parent.childNodes.length > wanted.length) parent.lastChild.remove();
}

function same(have, want) {
  return have.nodeType === want.nodeType && have.nodeName === want.nodeName;
}

function patchText(node, text) {
  if (node.data === text) return;
  if (text.startsWith(node.data)) node.appendData(text.slice(node.data.length));
  else node.data = text;
}

function patchAttributes(have, want) {
  for (const { name } of [...have.attributes]) {
    if (!want.hasAttribute(name)) have.removeAttribute(name);
  }
  for (const { name, value } of want.attributes) {
    if (have.getAttribute(name) !== value) have.setAttribute(name, value);
  }
}

/** "14:05" in the reader's own form. */
export function clock(ms) {
  return new Date(ms).toLocaleTimeString([], { hour: "numeric", minute: "2-digit" });
}

/** "0:42", "12:05", "1:02:03". */
export function duration(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (n) => String(n).padStart(2, "0");
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

export const calm = matchMedia("(prefers-reduced-motion: reduce)");

let announced = 0;

/** Says `text` to a screen reader when it has finished what it is saying. */
export function announce(text) {
  const place = document.getElementById("announce");
  // The same text twice is said twice only if the node is new.
  place.replaceChildren(el("p", { "data-n": (announced += 1) }, text));
}
