// Tells the player of this phone what others entered, corrected or went on without. The server says it
// in a part that is not shown; here it becomes a note, the newest line first, which stays until somebody
// has understood it.
//   data-seq    the version of the table that a line belongs to
//   data-undo   the event that the player may undo
//   data-role-lost  whether this phone may be the host again, by the page's form `#role`

import { $, $$, made, table, words } from "../page/dom.js";
import { store, stored } from "../page/store.js";
import { toast } from "../page/toasts.js";

const MOST_LINES = 4;

const key = () => `told:${table().dataset.table}`;

/** Shows what has not been understood yet. */
export function showNotes() {
  const all = $$("[data-drawn=notes] li");
  const version = Number(table().dataset.version);
  // Changes from before this phone looked, or had a player, are no news.
  const known = stored(key(), all.length ? 0 : version) || version;
  const last = all.length ? known : version;
  if (last !== stored(key(), 0)) store(key(), last);
  const lines = all.filter((line) => Number(line.dataset.seq) > last);
  show(lines.slice(-MOST_LINES));
}

/** @param {HTMLElement[]} lines */
function show(lines) {
  const texts = lines.map((line) => line.textContent?.trim() ?? "");
  const shown = JSON.stringify(lines.map((line) => line.outerHTML));
  const old = $("#toasts .told");
  if ((old?.dataset.told ?? "[]") === shown) return;
  old?.remove();
  const newest = lines.at(-1);
  if (!newest) return;
  const [text = "", ...more] = [...texts].reverse();
  const understood = () => store(key(), Number(newest.dataset.seq));
  const { undo } = newest.dataset;
  const role = newest.dataset.roleLost === undefined ? null : $("#role");
  const buttons = [
    ...(undo ? [undoButton(undo, understood)] : []),
    ...(role ? [roleButton(role, understood)] : []),
  ];
  const note = toast(text, { lines: more, understood, buttons });
  note.classList.add("told");
  note.dataset.told = shown;
}

/**
 * @param {string} undo
 * @param {() => void} understood
 */
function undoButton(undo, understood) {
  const button = made("button", { textContent: words("undo") });
  button.dataset.send = JSON.stringify({ undo });
  button.addEventListener("click", () => {
    understood();
    // The tap is answered further up in the page, which needs the button to be there.
    setTimeout(() => button.closest(".toast")?.remove());
  });
  return button;
}

/**
 * @param {HTMLElement} form
 * @param {() => void} understood
 */
function roleButton(form, understood) {
  const button = made("button", { textContent: form.textContent?.trim() ?? "" });
  button.setAttribute("form", form.id);
  button.addEventListener("click", () => {
    understood();
    // The form is sent only after the click, which needs the button to be there.
    setTimeout(() => button.closest(".toast")?.remove());
  });
  return button;
}
