// A button that lights up fields of a drawing: the parts of a total, or of a fault.

import { $, $$ } from "./dom.js";

/**
 * Switches a button's light; only one of a drawing is on.
 * @param {HTMLElement} button
 * @param {string[]} fields that it lights up
 * @param {{ around: string, buttons: string, drawing: string, field: string }} where
 *   selectors of what holds the drawing and its buttons, of those, of the drawing, and the
 *   data-* attribute that names a field
 * @returns {HTMLElement | undefined} the first field that is lit
 */
export function light(button, fields, { around, buttons, drawing, field }) {
  const place = /** @type {HTMLElement} */ (button.closest(around));
  const isOn = button.getAttribute("aria-pressed") !== "true";
  for (const other of $$(buttons, place)) other.setAttribute("aria-pressed", "false");
  button.setAttribute("aria-pressed", String(isOn));
  $(drawing, place)?.classList.toggle("has-lit", isOn);
  const drawn = $$(`[data-${field}]`, place);
  const isLit = (/** @type {HTMLElement} */ shape) =>
    isOn && fields.includes(shape.dataset[field] ?? "");
  for (const shape of drawn) shape.classList.toggle("lit", isLit(shape));
  return drawn.find(isLit);
}
