// Lit fields: all glow in step, and the sheet is scrolled to those that are out of view.

import { $, $$, the } from "../page/dom.js";
import { hand } from "./handing.js";

/** The lit fields when the sheet was scrolled last; people who scroll away are left alone. */
let seen = [""];

/**
 * The distance that a part has to scroll, so that all of a range is in view, or else its nearest end.
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

/**
 * The fields that are lit; before the parts are picked that light them, those that can be lit.
 * @param {HTMLElement} sheet
 */
function targets(sheet) {
  const lit = $$(".f.open", sheet);
  const sets = lit.length ? null : $("[data-sets]", sheet)?.dataset.sets;
  if (!sets || $(".f.pending", sheet)) return lit;
  /** @type {import("./sets.js").SetChoice[]} */
  const choices = JSON.parse(sets);
  const within = new Set(choices.flatMap((choice) => choice.sets.flat()));
  return $$("[data-f]", sheet).filter((field) => within.has(field.dataset.f ?? ""));
}

/** The player whose fields were lit last. */
let shown = "";

/**
 * Scrolls the sheet, and a tablet's sheets, when other fields than before are lit.
 * @param {boolean} isResized whether the window is another one since
 */
export function showLit(isResized = false) {
  const sheet = $(".player.selected");
  const lit = sheet ? targets(sheet) : [];
  const now = lit.map((field) => `${sheet?.dataset.player} ${field.dataset.f}`);
  const isSame = now.join() === seen.join();
  // Fields that are left of those before are under a finger: they move only where none is in view.
  const isFewer = now.every((field) => seen.includes(field));
  seen = now;
  if (!sheet || !lit.length || (isSame && !isResized)) return;
  const { player = "" } = sheet.dataset;
  const isOther = shown !== "" && shown !== player;
  shown = player;
  // Where several sheets are seen, the next one goes to the top, and the second tap of two must not meet it. Among
  // many it has a large place.
  const players = the(".players");
  const areSeveral = players.clientHeight > 0;
  const box = areSeveral ? players : $(".paper", sheet);
  const start = areSeveral ? sheet : box;
  if (!box || !start) return;
  const before = box.scrollTop;
  const { top, bottom } = box.getBoundingClientRect();
  const ranges = () =>
    lit.map((field) => {
      const { top: upper, bottom: lower } = ($(".hit", field) ?? field).getBoundingClientRect();
      return /** @type {[number, number]} */ ([upper, lower]);
    });
  const isAnyIn = ranges().some(([upper, lower]) => upper >= top && lower <= bottom);
  if ((isFewer && isAnyIn) || !shift([top, bottom], ranges())) return;
  box.scrollTop += start.getBoundingClientRect().top - top;
  box.scrollTop += shift([top, bottom], ranges());
  if (areSeveral && isOther && box.scrollTop !== before && !sheet.closest(".many"))
    hand(the(`[data-tab="${player}"]`));
}

/** Lets what glows follow the clock of the page, whenever it lights up. */
export function glowInStep() {
  /** @param {Animation[]} started */
  const follow = (started) => {
    for (const glow of started)
      if (glow.effect?.getTiming().iterations === Infinity) glow.startTime = 0;
  };
  document.addEventListener("animationstart", ({ target }) =>
    follow(/** @type {Element} */ (target).getAnimations()),
  );
  // What began to glow before this script ran
  follow(document.getAnimations());
}
