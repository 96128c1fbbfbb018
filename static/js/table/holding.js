// Dice that a player holds before the next roll: this phone remembers which, even if the page is redrawn meanwhile.

import { $, $$, table, target } from "../page/dom.js";
import { keep, kept } from "../page/store.js";

/** @typedef {{ moment: string, dice: string[] }} Holding `moment` is the roll after which they are held */

const key = () => `holding:${table().dataset.table}`;
const boxes = () => /** @type {HTMLInputElement[]} */ ($$(".hold input"));
const moment = () => /** @type {HTMLInputElement | null} */ ($("#roller [name=moment]"))?.value;

export function answerHolding() {
  document.addEventListener("change", (event) => {
    if (!target(event, ".hold")) return;
    const held = boxes().filter((box) => box.checked);
    keep(key(), { moment: moment(), dice: held.map((box) => box.value) });
  });
}

export function showHolding() {
  const holding = kept(key(), /** @type {Holding | null} */ (null));
  if (!holding || holding.moment !== moment()) return;
  for (const box of boxes()) box.checked = holding.dice.includes(box.value);
}
