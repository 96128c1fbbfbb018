// Shows the player of this phone what others entered, corrected or went on without. The server says it
// in a part that is not shown; here it becomes a note, the newest line first, which stays until somebody
// has understood it.
//   data-seq    the version of the table that a line belongs to
//   data-passing  the line goes with the next tap
// A line's button goes into its note.

import { $, $$, table } from "../page/dom.js";
import { store, stored } from "../page/store.js";
import { toast } from "../page/toasts.js";

const MOST_LINES = 4;

// The name under which phones have stored it.
const key = () => `told:${table().dataset.table}`;

/** Shows the notes that nobody has confirmed yet. */
export function showNotes() {
  const all = $$("[data-drawn=notes] li");
  const version = Number(table().dataset.version);
  // Changes made before this phone looked, or had a player, are not shown.
  const known = stored(key(), all.length ? 0 : version) || version;
  const last = all.length ? known : version;
  if (last !== stored(key(), 0)) store(key(), last);
  const lines = all.filter((line) => Number(line.dataset.seq) > last);
  show(lines.slice(-MOST_LINES));
}

/** @param {HTMLElement[]} lines */
function show(lines) {
  const texts = lines.map((line) => line.firstChild?.textContent?.trim() ?? "");
  const shown = JSON.stringify(lines.map((line) => line.outerHTML));
  const old = $("#toasts .by-others");
  if ((old?.dataset.lines ?? "[]") === shown) return;
  old?.remove();
  const newest = lines.at(-1);
  if (!newest) return;
  const [text = "", ...more] = [...texts].reverse();
  const understood = () => store(key(), Number(newest.dataset.seq));
  if (lines.every((line) => "passing" in line.dataset)) {
    understood();
    toast(text, { lines: more, untilTap: true });
    return;
  }
  const buttons = $$("button", newest).map((button) => ownButton(button, understood));
  const note = toast(text, { lines: more, understood, buttons });
  note.classList.add("by-others");
  htmx.process(note);
  note.dataset.lines = shown;
}

/**
 * A line's button for its note.
 * @param {HTMLElement} drawn
 * @param {() => void} understood
 */
function ownButton(drawn, understood) {
  const button = /** @type {HTMLElement} */ (drawn.cloneNode(true));
  button.addEventListener("click", () => {
    understood();
    // The tap is answered further up in the page, which needs the button to be there.
    setTimeout(() => button.closest(".toast")?.remove());
  });
  return button;
}
