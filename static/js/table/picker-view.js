// How a picker looks with what has been picked.

import { $, $$ } from "../page/dom.js";
import { remember, showButton } from "./fields.js";
import { isFull, isTwice, isTyped, matchesAll, matchesAny, nextOf, parsed } from "./picks.js";
import { isPossible, isWhole, waysOf } from "./sets.js";

/** @typedef {import("./picks.js").Picks} Picks */

/**
 * @param {HTMLElement} picker
 * @param {Picks} picks
 */
export function showPicks(picker, picks) {
  const { needs: needed = "", sets, once } = picker.dataset;
  const needs = needed.split(" ");
  const choices = sets ? JSON.parse(sets) : null;
  for (const button of $$("[data-part]", picker)) {
    const { part = "", value = "", any } = button.dataset;
    const is = parsed(value);
    button.setAttribute("aria-pressed", String(picks[part] === is));
    if (any) button.classList.toggle("matches", matchesAny(picks, JSON.parse(any)));
    // A dim button answers why; nothing is hidden, because dice do not change when others do.
    const isUseless = choices
      ? !isPossible(choices, picks, part, is)
      : isFull(picks, needs, part) || (once !== undefined && isTwice(picks, part, is));
    button.classList.toggle("dim", isUseless);
  }
  const slots = /** @type {HTMLButtonElement[]} */ ($$("[data-slot]", picker));
  for (const slot of slots) fill(slot, picker, picks);
  slots.find((slot) => slot.disabled)?.classList.add("awaited");
  for (const place of $$("[data-shows]", picker)) {
    place.textContent = String(picks[place.dataset.shows ?? ""] ?? "").replace("-", "−");
  }
  const enter = /** @type {HTMLButtonElement | null} */ ($("[data-enter]", picker));
  if (enter) enter.disabled = !isTyped(picks[picker.dataset.typed ?? ""]);
  for (const part of $$("[data-if]", picker)) {
    part.hidden = !matchesAll(picks, JSON.parse(part.dataset.if ?? ""));
  }
}

// A slot looks like the button that was tapped for it.
/**
 * @param {HTMLButtonElement} slot
 * @param {HTMLElement} picker
 * @param {Picks} picks
 */
function fill(slot, picker, picks) {
  const part = slot.dataset.slot ?? "";
  const button = $$("[data-part]", picker).find(
    ({ dataset }) =>
      (dataset.part === part || dataset.part === nextOf(part)) &&
      parsed(dataset.value ?? "") === picks[part],
  );
  slot.replaceChildren(...(button ? button.cloneNode(true).childNodes : []));
  const looks = button?.className.replace(/\bdim\b/, "");
  slot.className = button ? `slot full ${looks}` : "slot";
  slot.disabled = !button;
}

/**
 * Shows on the sheet which fields can be tapped next, and whether a whole set has been tapped.
 * @param {HTMLElement} picker
 * @param {HTMLElement} sheet
 * @param {import("./sets.js").SetChoice | null} choice
 * @param {string[]} tapped
 */
export function showSets(picker, sheet, choice, tapped) {
  const ways = waysOf(choice, tapped);
  const open = new Set(ways.flat());
  for (const field of $$("[data-f]", sheet)) {
    const id = field.dataset.f ?? "";
    const isPending = tapped.includes(id);
    remember(field);
    field.classList.toggle("open", open.has(id) && !isPending);
    field.classList.toggle("pending", isPending);
    field.classList.toggle("choosable", Boolean(choice));
    // A picked field keeps its place in the order of keys: without it the focus would be lost.
    showButton(field, open.has(id) || isPending);
    if (isPending) field.setAttribute("aria-pressed", "true");
  }
  const done = $("[data-done]", picker);
  if (done) done.hidden = !isWhole(ways, tapped);
}
