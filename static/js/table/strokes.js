// Strokes: a finger that is drawn over fields that go together taps them all, and is done when it is lifted.
// A stroke that cannot begin where it does is answered as a tap there.

import { $, $$, target } from "../page/dom.js";

/** @typedef {(field: HTMLElement, isFirst: boolean) => void} Draw */

/** @typedef {{ x: number, y: number }} Point in CSS pixels of the window */
/** @typedef {{ first: HTMLElement, under: HTMLElement | null, at: Point }} Stroke
 *   its first field, what was under the finger when it went down, and where the finger is */

const OPEN = ".f.choosable.open, .f.choosable.pending";
const TAP_PX = 15;
const STEP_PX = 6; // between two points at which a stroke is looked at; a box is 18 or more

/** @param {PointerEvent} event @returns {Point} */
const pointOf = ({ clientX: x, clientY: y }) => ({ x, y });

/**
 * The field of the same sheet under a point.
 * @param {Point} at
 * @param {Element | null} sheet
 */
function fieldAt({ x, y }, sheet) {
  const field = document.elementFromPoint(x, y)?.closest(".f.choosable");
  return field && sheet?.contains(field) ? /** @type {HTMLElement} */ (field) : null;
}

/**
 * The nearest field of a sheet that can be tapped, no further away than half of itself.
 * @param {Point} at
 * @param {Element | null} sheet
 * @returns {HTMLElement | null}
 */
function nearest({ x, y }, sheet) {
  let [least, found] = [0.5, /** @type {HTMLElement | null} */ (null)];
  for (const field of sheet ? $$(OPEN, sheet) : []) {
    const { left, right, top, bottom } = ($(".hit", field) ?? field).getBoundingClientRect();
    const aside = Math.max(left - x, x - right) / (right - left);
    const above = Math.max(top - y, y - bottom) / (bottom - top);
    const away = Math.max(aside, above);
    if (away <= least) [least, found] = [away, field];
  }
  return found;
}

/**
 * A stroke begins at a field that can be tapped, as soon as the finger comes to another one. Until then
 * it is a tap.
 * @param {Draw} draw
 * @param {(first: HTMLElement) => void} lift
 * @param {(field: HTMLElement) => void} tap
 */
export function answerStrokes(draw, lift, tap) {
  /** @type {{ field: HTMLElement, at: Point } | null} where a finger went down that cannot begin there */
  let missed = null;
  /** @type {Stroke | null} */
  let stroke = null;
  let isDrawn = false;
  document.addEventListener("pointerdown", (event) => {
    const at = pointOf(event);
    const sheet = event.isPrimary ? target(event, ".sheet") : null;
    const first = nearest(at, sheet);
    stroke = first && { first, under: fieldAt(at, sheet), at };
    isDrawn = false;
    const field = first ? null : sheet && target(event, ".f");
    missed = field && { field, at };
  });
  document.addEventListener("pointermove", (event) => {
    if (!stroke || !event.isPrimary) return;
    const { first, under, at } = stroke;
    const to = pointOf(event);
    stroke.at = to;
    // A browser reports few points: the fields between two of them count, too.
    const steps = Math.ceil(Math.hypot(to.x - at.x, to.y - at.y) / STEP_PX);
    for (let step = 1; step <= steps; step += 1) {
      const [x, y] = [at.x + ((to.x - at.x) * step) / steps, at.y + ((to.y - at.y) * step) / steps];
      const field = fieldAt({ x, y }, first.closest(".sheet"));
      if (!field || (field === under && !isDrawn)) continue;
      if (!isDrawn) draw(first, true);
      isDrawn = true;
      draw(field, false);
    }
  });
  document.addEventListener("pointerup", (event) => {
    if (stroke && isDrawn) lift(stroke.first);
    stroke = null;
    const { x, y } = pointOf(event);
    // Nearer, the click answers.
    if (missed && Math.hypot(x - missed.at.x, y - missed.at.y) > TAP_PX) tap(missed.field);
    missed = null;
  });
  document.addEventListener("pointercancel", () => {
    stroke = null;
    missed = null;
  });
  // It scrolls nothing. Chromium ignores `touch-action` inside an SVG.
  document.addEventListener(
    "touchmove",
    (event) => stroke && event.cancelable && event.preventDefault(),
    {
      passive: false,
    },
  );
  // A stroke that ends where it began is not a tap.
  document.addEventListener(
    "click",
    (event) => {
      // A key's click has no detail.
      if (isDrawn && event.detail && target(event, ".f")) event.stopPropagation();
    },
    { capture: true },
  );
}
