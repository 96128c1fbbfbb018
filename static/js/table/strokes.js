// Strokes: a finger that is drawn over fields that go together taps them all, and is done when it is lifted.

import { target } from "../page/dom.js";

/** @typedef {(field: HTMLElement, isFirst: boolean) => void} Draw */

/**
 * The field of the same sheet under a point.
 * @param {PointerEvent} at
 * @param {Element | null} sheet
 */
function fieldAt({ clientX, clientY }, sheet) {
  const field = document.elementFromPoint(clientX, clientY)?.closest(".f.choosable");
  return field && sheet?.contains(field) ? /** @type {HTMLElement} */ (field) : null;
}

/**
 * A stroke begins at a field that can be tapped, as soon as the finger comes to another one. Until then
 * it is a tap.
 * @param {Draw} draw
 * @param {(first: HTMLElement) => void} lift
 */
export function answerStrokes(draw, lift) {
  /** @type {HTMLElement | null} */
  let first = null;
  let isDrawn = false;
  document.addEventListener("pointerdown", (event) => {
    first = event.isPrimary ? target(event, ".f.choosable.open, .f.choosable.pending") : null;
    isDrawn = false;
  });
  document.addEventListener("pointermove", (event) => {
    if (!first || !event.isPrimary) return;
    const sheet = first.closest(".sheet");
    for (const at of event.getCoalescedEvents?.() ?? [event]) {
      const field = fieldAt(at, sheet);
      if (!field || (field === first && !isDrawn)) continue;
      if (!isDrawn) draw(first, true);
      isDrawn = true;
      draw(field, false);
    }
  });
  document.addEventListener("pointerup", () => {
    if (first && isDrawn) lift(first);
    first = null;
  });
  document.addEventListener("pointercancel", () => {
    first = null;
  });
  // It scrolls nothing. Chromium knows no `touch-action` of what is inside an SVG.
  document.addEventListener(
    "touchmove",
    (event) => first && event.cancelable && event.preventDefault(),
    {
      passive: false,
    },
  );
  // A stroke that ends where it began is no tap.
  document.addEventListener(
    "click",
    (event) => {
      // A key's click has no detail.
      if (isDrawn && event.detail && target(event, ".f")) event.stopPropagation();
    },
    { capture: true },
  );
}
