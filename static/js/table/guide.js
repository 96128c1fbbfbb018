// The guide of a first game: a line beside the hint that says how the present step is done. A phone shows
// it until it has seen a game of this kind to its end, or as its owner has switched it:
//   data-guide   the switch in the menu
//   .guided      the page, while the line is shown
//   data-fit     how both are made to fit into the hint's place: 0 as they are, 1 in smaller letters, 2 without
//                the guide's line, 3 in the smallest letters, also without who is next and whom else the table waits for

import { $, $$, table, target } from "../page/dom.js";
import { store, stored } from "../page/store.js";
import { foldNotes } from "../page/toasts.js";

const LAST_FIT = 3;

/** @returns {string[]} the games that this phone has seen to their end */
const ended = () => stored("ended", []);

const isGuided = () => stored("guide", !ended().includes(table().dataset.game ?? ""));

export function answerGuide() {
  document.addEventListener("change", (event) => {
    const box = /** @type {HTMLInputElement | null} */ (target(event, "[data-guide]"));
    if (!box) return;
    store("guide", box.checked);
    showGuide();
  });
  addEventListener("resize", fit);
  document.fonts?.ready.then(fit);
}

export function showGuide() {
  const { game = "", phase } = table().dataset;
  if (phase === "over" && !ended().includes(game)) store("ended", [...ended(), game]);
  document.body.classList.toggle("guided", isGuided());
  const box = /** @type {HTMLInputElement | null} */ ($("[data-guide]"));
  if (box) box.checked = isGuided();
  fit();
}

/** Leaves out of the hint what its place has no room for, and folds notes, whose place is as high as the hint. */
function fit() {
  for (const place of $$(".says.hint")) {
    for (let step = 0; step <= LAST_FIT; step += 1) {
      place.dataset.fit = `${step}`;
      if (!(place.scrollHeight > place.clientHeight + 1)) break;
    }
  }
  foldNotes();
}
