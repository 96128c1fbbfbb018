// A target that has just moved under a finger takes no taps yet, and no keys: they were meant for what was there before.
// A refused tap shakes what it met, and counts when it is repeated there. What a stray tap cannot spoil, such as an empty
// pad of keys, needs no guard. The page has the class `guarded` meanwhile.

import { $, $$, target } from "../page/dom.js";

const GUARDED_MS = 500;
const SHAKEN_MS = 300;
/** Less than half a field: by so much a sheet may move, and a finger still meets the same field. */
const STILL_PX = 8;

/** Time after the end of a guard, so that an early timer does not leave the page guarded. */
const LATER_MS = 10;

/** @type {Map<Element, number>} what takes no taps → until when, in the time of events */
const guarded = new Map();

/** What can be tapped. */
const TARGET = "button, a, summary, label, .f, [data-tap]";

/** Whether the finger that is down, or was last, came down too early. */
let isEarly = false;

/** @type {Element | null} what the last refused tap met */
let refused = null;

/** Whether the finger that is down, or was last, repeats a refused tap. */
let isRepeated = false;

/** @type {Map<Element, number[]> | null} player → where the sheet stood before the page changed */
let stood = null;

/** @param {Element} element whose content is new */
export function guard(element) {
  guarded.set(element, Number.POSITIVE_INFINITY);
  show();
  // It counts from when people see it: a loaded phone draws late.
  requestAnimationFrame(() =>
    setTimeout(() => {
      guarded.set(element, performance.now() + GUARDED_MS);
      setTimeout(show, GUARDED_MS + LATER_MS);
    }),
  );
}

function show() {
  for (const element of guarded.keys()) if (!element.isConnected) guarded.delete(element);
  const now = performance.now();
  const isGuarded = [...guarded.values()].some((until) => until > now);
  document.body.classList.toggle("guarded", isGuarded);
}

/**
 * Moves the keyboard's focus, and guards the new target against the next key.
 * @param {HTMLElement | null} element
 */
export function moveFocus(element) {
  if (!element) return;
  guard(element);
  element.focus({ preventScroll: true });
}

/**
 * Whether a tap or a key was meant for the former target there. Its own time counts: a loaded phone answers late.
 * @param {Event} event
 */
const isTooEarly = ({ target, timeStamp }) =>
  [...guarded].some(
    ([element, until]) => timeStamp < until && element.contains(/** @type {Node} */ (target)),
  );

/**
 * Shows that a tap was refused.
 * @param {Element | null} element that it met
 */
export function shake(element) {
  if (!element) return;
  element.classList.add("not-yet");
  setTimeout(() => element.classList.remove("not-yet"), SHAKEN_MS);
}

/** @param {Element | null} met by a tap that was meant for what stood there before */
function refuseAt(met) {
  refused = met;
  shake(met);
}

/** @param {(target: Element) => boolean} isForNow whether a tap there needs no guard */
export function answerGuard(isForNow = () => false) {
  /** @param {Event} event */
  const isMeantForOther = (event) =>
    isTooEarly(event) && !isForNow(/** @type {Element} */ (event.target));

  /** @param {Event} event */
  const stop = (event) => event.stopImmediatePropagation();

  document.addEventListener(
    "pointerdown",
    (event) => {
      const met = target(event, TARGET);
      isRepeated = met !== null && met === refused;
      isEarly = !isRepeated && isMeantForOther(event);
      refused = null;
      if (!isEarly) return;
      refuseAt(met);
      stop(event);
    },
    { capture: true },
  );
  document.addEventListener(
    "click",
    (event) => {
      // A finger that is lifted later is too early all the same. A key's click has no detail.
      const isTouch = event.detail > 0;
      const isLate = isTouch && isEarly;
      const counts = (isTouch && isRepeated) || !isMeantForOther(event);
      if (isTouch) isEarly = isRepeated = false;
      if (!isLate && counts) return;
      if (!isLate) refuseAt(target(event, TARGET));
      event.preventDefault();
      stop(event);
    },
    { capture: true },
  );
}

const places = () =>
  new Map(
    $$(".play .player").map((player) => {
      const { left, top, width } = ($(".board", player) ?? player).getBoundingClientRect();
      return [player, [left, top, width]];
    }),
  );

/** Notes the places of the sheets, before the first change of several. */
export function noteSheets() {
  stood ??= places();
}

/** Guards the sheets that have come to another place since, no matter who moved them. */
export function guardMoved() {
  for (const [player, now] of places()) {
    const before = stood?.get(player) ?? [];
    const isMoved = now.some((length, side) => Math.abs(length - (before[side] ?? 0)) > STILL_PX);
    if (now[2] && isMoved) guard(player);
  }
  stood = null;
}
