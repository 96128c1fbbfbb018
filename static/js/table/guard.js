// What has just come under a finger takes no taps yet, and no keys: they were meant for what stood there before.
// The page has the class `guarded` meanwhile.

import { $, $$ } from "../page/dom.js";

const GUARDED_MS = 500;
/** Less than half a field: by so much a sheet may move, and a finger still meets the same field. */
const STILL_PX = 8;

/** @type {Map<Element, ReturnType<typeof setTimeout>>} what takes no taps → the timer that ends it */
const guarded = new Map();

/** @type {Map<Element, number[]> | null} player → where the sheet stood before the page changed */
let stood = null;

/** @param {Element} element whose content is new */
export function guard(element) {
  clearTimeout(guarded.get(element));
  const release = () => {
    guarded.delete(element);
    document.body.classList.toggle("guarded", guarded.size > 0);
  };
  guarded.set(element, setTimeout(release, GUARDED_MS));
  document.body.classList.add("guarded");
}

export function answerGuard() {
  for (const type of ["pointerdown", "click"]) {
    document.addEventListener(
      type,
      (event) => {
        const under = /** @type {Node} */ (event.target);
        if (![...guarded.keys()].some((element) => element.contains(under))) return;
        event.stopImmediatePropagation();
        if (type === "click") event.preventDefault();
      },
      { capture: true },
    );
  }
}

const places = () =>
  new Map(
    $$(".play .player").map((player) => {
      const { left, top, width } = ($(".board", player) ?? player).getBoundingClientRect();
      return [player, [left, top, width]];
    }),
  );

/** Notes where the sheets stand, before the first change of several. */
export function noteSheets() {
  stood ??= places();
}

/** Guards the sheets that have come to another place since, whoever caused it. */
export function guardMoved() {
  for (const [player, now] of places()) {
    const before = stood?.get(player) ?? [];
    const isMoved = now.some((length, side) => Math.abs(length - (before[side] ?? 0)) > STILL_PX);
    if (now[2] && isMoved) guard(player);
  }
  stood = null;
}
