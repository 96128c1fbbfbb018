// Notes at the lower edge of the page, at a table in the place of the hint: there they hide nothing that
// can be tapped. It shows as many of its words as fit, and a tap shows them all. A note
// disappears by itself or with the next tap elsewhere; one that must be confirmed stays.

import { $, $$, made, target, the, words } from "./dom.js";

const TOAST_MS = 5000;
const READING_MS = 30; // for each character

/**
 * Shows a note. It goes by itself, unless somebody has to say that it is understood.
 * @param {string} text
 * @param {{
 *   bad?: boolean, lines?: string[], understood?: (() => void) | null, buttons?: HTMLElement[], beside?: boolean,
 *   untilTap?: boolean, yes?: (() => void) | null,
 * }} options `buttons` are others than the one for saying so; `beside` says that it stands elsewhere; `untilTap`
 *   that no time takes it away; `yes` is done where the note is a question and somebody taps it
 */
export function toast(
  text,
  {
    bad = false,
    lines = [],
    understood = null,
    buttons = [],
    beside = false,
    untilTap = false,
    yes = null,
  } = {},
) {
  const note = made("div", {
    className: `toast${bad ? " bad" : ""}${understood ? " conflict" : ""}${beside ? " beside" : ""}`,
  });
  const noted = made("div", { className: "noted" });
  noted.append(made("p", { textContent: text }));
  if (lines.length) {
    const list = made("ul");
    list.append(...lines.map((line) => made("li", { textContent: line })));
    noted.append(list);
  }
  note.append(noted);
  const close = () => note.remove();
  const answer = understood ?? yes;
  if (answer) {
    const [className, label] = understood ? ["understood", words("understood")] : ["yes", text];
    const button = made("button", { className, textContent: label });
    button.addEventListener("click", () => {
      answer();
      close();
    });
    note.append(button);
  }
  note.append(...buttons);
  if (!understood) {
    dropNotes();
    const time = TOAST_MS + text.length * READING_MS;
    if (!untilTap) setTimeout(() => note.matches(".unfolded") || close(), time);
  }
  // A modal dialog makes the rest inert, so notes go inside it; one that stays can wait.
  if (!understood) ($("dialog[open]") ?? document.body).append(the("#toasts"));
  the("#toasts").append(note);
  if (buttons.length || isCut(note)) fold(note);
  return note;
}

/** @param {HTMLElement} note whether the place of the words is too small for it */
function isCut(note) {
  const noted = the(".noted", note);
  return noted.scrollHeight > noted.clientHeight + 1;
}

/**
 * Leaves a note one button, which shows the whole note over the page.
 * @param {HTMLElement} note
 */
function fold(note) {
  if (note.matches(".folded, .unfolded, .beside")) return;
  const button = made("button", { className: "unfold", textContent: words("showAll") });
  button.addEventListener("click", () => {
    note.classList.replace("folded", "unfolded");
    button.remove();
    // Leaves out the button below: nobody has read the note yet.
    const noted = the(".noted", note);
    noted.tabIndex = -1;
    noted.focus();
  });
  note.classList.add("folded");
  note.append(button);
}

/** Folds the notes that their place has become too small for. */
export function foldNotes() {
  $$("#toasts .toast").filter(isCut).forEach(fold);
}

/** Has a tap anywhere take notes away, but the one whose button it hits. */
export function answerNotes() {
  document.addEventListener(
    "pointerdown",
    (event) => dropNotes(target(event, ".toast:has(button)")),
    true,
  );
}

/**
 * Removes all notes that nobody has to understand.
 * @param {Element | null} tapped one that stays
 */
export function dropNotes(tapped = null) {
  for (const old of $$("#toasts .toast:not(.conflict)")) if (old !== tapped) old.remove();
}

/** Removes the note about a refused tap once a later tap has been saved, or the text no longer applies. */
export function dropRefusals(text = "") {
  for (const old of $$("#toasts .toast.bad:not(.conflict)"))
    if (!text || the("p", old).textContent === text) old.remove();
}
