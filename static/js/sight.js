// Lit fields of the selected sheet that are out of view: the sheet is scrolled to them.

import { $, $$ } from "./dom.js";

/** What was lit when the sheet was scrolled last; people who scroll away are left alone. */
let seen = "";

/**
 * How far a part that scrolls has to move, so that all of a range is in view, or else its nearest end.
 * @param {[number, number]} view upper and lower edge of what is in view
 * @param {[number, number][]} ranges upper and lower edges of what is lit
 */
export function shift([top, bottom], ranges) {
  const first = Math.min(...ranges.map(([upper]) => upper));
  const last = Math.max(...ranges.map(([, lower]) => lower));
  if (first >= top && last <= bottom) return 0;
  if (last - first <= bottom - top) return first < top ? first - top : last - bottom;
  if (ranges.some(([upper, lower]) => upper >= top && lower <= bottom)) return 0;
  const moves = ranges.map(([upper, lower]) => (upper < top ? upper - top : lower - bottom));
  return moves.reduce((one, other) => (Math.abs(other) < Math.abs(one) ? other : one));
}

/** Scrolls the sheet when other fields than before are lit. */
export function showLit() {
  const sheet = $(".player.selected");
  const lit = sheet ? $$(".f.open", sheet) : [];
  const key = [sheet?.dataset.player, ...lit.map((field) => field.dataset.f)].join(" ");
  if (key === seen) return;
  seen = key;
  const paper = sheet && $(".paper", sheet);
  if (!paper || !lit.length) return;
  const { top, bottom } = paper.getBoundingClientRect();
  const ranges = lit.map((field) => {
    const box = ($(".hit", field) ?? field).getBoundingClientRect();
    return /** @type {[number, number]} */ ([box.top, box.bottom]);
  });
  paper.scrollTop += shift([top, bottom], ranges);
}
