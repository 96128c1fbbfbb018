// Points at what is in the way: the fields that block a tap, or the button to be tapped before it.
//   data-pointed   while it is pointed at; the style sheet makes it flash

import { $$ } from "../page/dom.js";

const SHOWN_MS = 2400;

/** @param {Element} element */
export function point(element) {
  element.removeAttribute("data-pointed");
  // Its style is worked out without the mark, so that a second refusal flashes again.
  element.getBoundingClientRect?.();
  element.setAttribute("data-pointed", "");
  setTimeout(() => element.removeAttribute("data-pointed"), SHOWN_MS);
}

/**
 * Points at fields of a player's sheet.
 * @param {string | undefined} player
 * @param {string[]} fields
 */
export function pointAt(player, fields) {
  const sheet = $$("[data-player]").find(({ dataset }) => dataset.by === player);
  for (const field of sheet ? $$("[data-f]", sheet) : []) {
    if (fields.includes(field.dataset.f ?? "")) point(field);
  }
}
