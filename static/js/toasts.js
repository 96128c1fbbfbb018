// Notes at the lower edge of the page.

import { $, $$, made, the, words } from "./dom.js";

const TOAST_MS = 5000;
const READING_MS = 30; // for each character

/**
 * Shows a note. It goes by itself, unless somebody has to say that it is understood.
 * @param {string} text
 * @param {{ bad?: boolean, lines?: string[], understood?: (() => void) | null }} options
 */
export function toast(text, { bad = false, lines = [], understood = null } = {}) {
  const note = made("div", {
    className: `toast${bad ? " bad" : ""}${understood ? " conflict" : ""}`,
  });
  note.append(made("p", { textContent: text }));
  if (lines.length) {
    const list = made("ul");
    list.append(...lines.map((line) => made("li", { textContent: line })));
    note.append(list);
  }
  const close = () => note.remove();
  if (understood) {
    const button = made("button", { textContent: words("understood") });
    button.addEventListener("click", () => {
      understood();
      close();
    });
    note.append(button);
  } else {
    for (const old of $$("#toasts .toast:not(:has(button))")) old.remove();
    setTimeout(close, TOAST_MS + text.length * READING_MS);
    note.addEventListener("click", close);
  }
  // A modal dialog makes the rest inert, so its notes stand inside it.
  ($("dialog[open]") ?? document.body).append(the("#toasts"));
  the("#toasts").append(note);
}

/** Removes what was said about a refused tap, since a later tap has been saved. */
export function dropRefusals() {
  for (const old of $$("#toasts .toast.bad:not(.conflict)")) old.remove();
}
