// The message field with its command menu and suggestions.

import { el, icon } from "./dom.js";

export class Composer {
  /** `send` takes a text and answers null or why it was refused. */
  constructor(id, skin, send) {
    this.id = id;
    this.skin = skin;
    this.send = send;
    this.commands = [];
    this.found = [];
    this.chosen = 0;
    this.list = el("ul", { class: "commands", id: `commands-${id}`, role: "listbox", "aria-label": "Commands", hidden: true });
    this.menu = el("button", { type: "button", class: "menu", "aria-expanded": "false", "aria-controls": `commands-${id}`, "aria-label": "Menu: commands", hidden: true }, icon("menu"), el("span", {}, "Menu"));
    this.field = el("textarea", {
      id: `composer-${id}`, rows: 1, placeholder: skin.placeholder, "aria-label": `Message to Talaria on ${skin.name}`,
      maxlength: skin.longest, autocomplete: "off", "aria-haspopup": "listbox",
      "aria-controls": `commands-${id}`, "aria-autocomplete": "list", enterkeyhint: "send",
    });
    this.button = el("button", { type: "button", class: "send", "aria-label": "Send", disabled: true }, icon("send"));
    this.error = el("p", { class: "composer-error", role: "alert", hidden: true });
    this.chips = el("div", { class: "chips", role: "group", "aria-label": "Things to try" },
      ...skin.chips.map(([label, text]) =>
        el("button", { type: "button", class: "chip", title: text, onclick: () => this.submit(text) }, label)));
    this.element = el("div", { class: "composer" }, this.chips, this.error, this.list,
      el("div", { class: "composer-row" }, this.menu, el("div", { class: "field" }, this.field), this.button));
    this.listen();
  }

  focus() {
    this.field.focus();
  }

  setCommands(commands) {
    this.commands = commands;
    this.menu.hidden = commands.length === 0;
    this.look();
  }

  listen() {
    this.field.addEventListener("input", () => {
      this.fit();
      this.look();
    });
    this.field.addEventListener("keydown", (event) => this.key(event));
    this.field.addEventListener("blur", () => this.hide());
    this.button.addEventListener("click", () => this.submit(this.field.value, true));
    // The list and the menu button do not take the focus away from the field.
    for (const part of [this.list, this.menu]) part.addEventListener("mousedown", (event) => event.preventDefault());
    this.menu.addEventListener("click", () => {
      this.field.focus();
      if (this.list.hidden) this.show(this.commands);
      else this.hide();
    });
    this.list.addEventListener("click", (event) => {
      const row = event.target.closest("[role=option]");
      if (row) this.submit(`/${row.dataset.command}`, true);
    });
  }

  key(event) {
    if (event.isComposing) return;
    const open = !this.list.hidden;
    if (open && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      const step = event.key === "ArrowDown" ? 1 : -1;
      this.choose((this.chosen + step + this.found.length) % this.found.length);
    } else if (open && event.key === "Tab" && !event.shiftKey) {
      this.write(`/${this.found[this.chosen].command} `);
    } else if (open && event.key === "Escape") {
      this.hide();
    } else if (event.key === "Enter" && !event.shiftKey) {
      this.submit(open ? `/${this.found[this.chosen].command}` : this.field.value, true);
    } else {
      return;
    }
    event.preventDefault();
  }

  /** Shows the commands that the field's beginning may become. */
  look() {
    this.button.disabled = this.field.value.trim() === "";
    const typed = /^\/([a-z0-9_]*)$/i.exec(this.field.value);
    const found = typed && document.activeElement === this.field
      ? this.commands.filter(({ command }) => command.startsWith(typed[1].toLowerCase()))
      : [];
    if (found.length > 0) this.show(found);
    else this.hide();
  }

  show(found) {
    this.found = found;
    this.list.replaceChildren(...found.map(({ command, description }, index) =>
      el("li", { role: "option", id: `command-${this.id}-${index}`, "data-command": command },
        el("span", { class: "command-name" }, `/${command}`), el("span", { class: "command-about" }, description))));
    this.list.hidden = false;
    this.expanded(true);
    this.choose(0);
  }

  hide() {
    this.list.hidden = true;
    this.expanded(false);
    this.field.removeAttribute("aria-activedescendant");
  }

  expanded(open) {
    this.menu.setAttribute("aria-expanded", String(open));
  }

  choose(index) {
    this.chosen = index;
    [...this.list.children].forEach((row, at) => row.setAttribute("aria-selected", String(at === index)));
    const row = this.list.children[index];
    row.scrollIntoView({ block: "nearest" });
    this.field.setAttribute("aria-activedescendant", row.id);
  }

  write(text) {
    this.field.value = text;
    this.fit();
    this.look();
  }

  fit() {
    this.field.style.height = "auto";
    this.field.style.height = `${Math.min(this.field.scrollHeight, 160)}px`;
  }

  /** Sends; a typed text is taken back into the field if it was refused. */
  async submit(text, typed = false) {
    if (text.trim() === "") return;
    if (typed) this.write("");
    this.hide();
    const refused = await this.send(text);
    this.error.hidden = refused === null;
    this.error.textContent = refused ?? "";
    if (refused !== null && typed && this.field.value === "") this.write(text);
  }
}
