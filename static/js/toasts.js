// Notes at the lower edge of the page, at a table in the place of the hint: there they hide nothing that
// can be tapped. A note goes by itself, or by the next tap.

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
    dropNotes();
    setTimeout(close, TOAST_MS + text.length * READING_MS);
  }
  // A modal dialog makes the rest inert, so its notes stand inside it.
  ($("dialog[open]") ?? document.body).append(the("#toasts"));
  the("#toasts").append(note);
  return note;
}

/** Has each tap take the notes away that were there before it. */
export function answerNotes() {
  document.addEventListener("pointerdown", dropNotes, true);
}

/** Removes all notes that nobody has to understand. */
function dropNotes() {
  for (const old of $$("#toasts .toast:not(.conflict)")) old.remove();
}

/** Removes what was said about a refused tap, since a later tap has been saved. */
export function dropRefusals() {
  for (const old of $$("#toasts .toast.bad:not(.conflict)")) old.remove();
}
