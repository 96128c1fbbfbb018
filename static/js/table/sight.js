// Lit fields: all glow in step, and the sheet is scrolled to those that are out of view. A box that scrolls says where
// there is more of it.
//   data-more         while not all of it is in view
//   --above, --below  how deep it fades at either end: never deeper than what is out of view there

import { $, $$, the } from "../page/dom.js";

/** The deepest fade at an end of a box that scrolls, in CSS pixels. */
const FADE = 28;

/** The lit fields when the sheet was scrolled last; people who scroll away are left alone. */
let seen = [""];

/**
 * The distance that a part has to scroll, so that all of a range is in view, or else its nearest end.
 * @param {[number, number]} view upper and lower edge of what is in view
 * @param {[number, number][]} ranges upper and lower edges of what is lit
 * @param {number} fade depth at both ends that is kept clear where there is room for it
 */
export function shift([top, bottom], ranges, fade = 0) {
  const first = Math.min(...ranges.map(([upper]) => upper));
  const last = Math.max(...ranges.map(([, lower]) => lower));
  if (fade && last - first <= bottom - top - 2 * fade)
    return shift([top + fade, bottom - fade], ranges);
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

/**
 * Scrolls the sheet when other fields than before are lit.
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
  const box = the(".paper", sheet);
  const { top, bottom } = box.getBoundingClientRect();
  const ranges = () =>
    lit.map((field) => {
      const { top: upper, bottom: lower } = ($(".hit", field) ?? field).getBoundingClientRect();
      return /** @type {[number, number]} */ ([upper, lower]);
    });
  const isAnyIn = ranges().some(([upper, lower]) => upper >= top && lower <= bottom);
  if (isFewer && isAnyIn) return;
  box.scrollTop += shift([top, bottom], ranges(), FADE);
}

/** The boxes of the page that may scroll. */
const SCROLLERS = ".own .paper, .play .pad, .acts, #rows";

/** Says at each box that scrolls where there is more of it. */
export function showMore() {
  // All are measured before one is changed: the page is laid out once.
  const measured = $$(SCROLLERS).map((box) => {
    const above = box.scrollTop;
    return { box, above, rest: box.scrollHeight - box.clientHeight - above };
  });
  for (const { box, above, rest } of measured) {
    box.toggleAttribute("data-more", above > 1 || rest > 1);
    box.style.setProperty("--above", `${Math.min(above, FADE)}px`);
    box.style.setProperty("--below", `${Math.min(rest, FADE)}px`);
  }
}

/** Makes all glowing fields follow the page's clock, whenever they light up. */
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
