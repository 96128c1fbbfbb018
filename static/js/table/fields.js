// Fields of drawn sheets: the server changes them, and this device marks them until then.
//   data-was   the classes without this device's marks

import { $, $$ } from "../page/dom.js";

/**
 * The changes of a field; a missing key means no change.
 * @typedef {{ c?: string, l?: string, t?: string | null, m?: string }} Change
 *   class, label, tap (null for none), and the writing inside as SVG
 */

/**
 * @param {HTMLElement} field
 * @param {Change} change
 */
export function changeField(field, { c, l, t, m }) {
  if (c !== undefined) {
    setClasses(field, c);
    delete field.dataset.was;
  }
  if (l !== undefined) field.setAttribute("aria-label", l);
  if (t === null) delete field.dataset.tap;
  else if (t !== undefined) field.dataset.tap = t;
  const inside = m !== undefined && $(".m", field);
  if (inside) inside.innerHTML = m;
}

/** @param {HTMLElement} field @param {string} classes */
function setClasses(field, classes) {
  field.setAttribute("class", classes);
  showButton(field, field.matches(".open, .early, .costs, .choice"));
}

/** @param {HTMLElement} field @param {boolean} isButton whether a tap there does something */
export function showButton(field, isButton) {
  field.setAttribute("role", isButton ? "button" : "img");
  field.removeAttribute("aria-pressed");
  if (isButton) field.setAttribute("tabindex", "0");
  else field.removeAttribute("tabindex");
}

/**
 * Remembers a field as the server has drawn it, before this device marks it.
 * @param {HTMLElement} field
 */
export function remember(field) {
  field.dataset.was ??= field.getAttribute("class") ?? "";
}

/**
 * What a first act implies (data-first at the target, or in its player's place).
 * @param {HTMLElement} element that is tapped
 * @returns {import("./queue.js").Action | undefined}
 */
export function firstOf(element) {
  const player = element.closest("[data-player]");
  const first = element.dataset.first ?? (player && $("[data-first]", player)?.dataset.first);
  return first ? JSON.parse(first) : undefined;
}

/**
 * Marks a field whose tap waits to be saved.
 * @param {HTMLElement} field
 */
export function showPending(field) {
  remember(field);
  field.classList.remove("open", "costs", "choice");
  field.classList.add("pending");
}

/**
 * Whether an element is on a sheet that is read-only on this phone; see sheets.js.
 * @param {Element} element
 */
export const isReadOnly = (element) => element.closest(".read-only") !== null;

/**
 * Shows a field of a read-only sheet, without its tap.
 * @param {HTMLElement} field
 */
export function showPlain(field) {
  remember(field);
  const classes = (field.getAttribute("class") ?? "").split(" ");
  const kept = classes.filter((name) => !["open", "costs", "choice", "closed"].includes(name));
  setClasses(field, kept.join(" "));
}

/** Takes all marks of this device back. */
export function restoreFields() {
  for (const field of $$("[data-was]")) {
    setClasses(field, field.dataset.was ?? "");
    delete field.dataset.was;
  }
}

/**
 * The action that a tap on an element sends. A drawn field holds no name; the element around the sheet does.
 * @param {HTMLElement} element with `data-tap`
 * @returns {import("./queue.js").Action}
 */
export function actionOf(element) {
  return choicesOf(element)[0]?.[1] ?? {};
}

/**
 * The actions that a tap on an element offers, each with its text; only one if it leaves nothing open.
 * @param {HTMLElement} element with `data-tap`
 * @returns {[string, import("./queue.js").Action][]}
 */
export function choicesOf(element) {
  const { $: choices = [["", {}]], ...action } = JSON.parse(element.dataset.tap ?? "{}");
  const around = /** @type {HTMLElement | null} */ (element.closest("[data-by]"));
  if (action.by === "$by") action.by = around?.dataset.by ?? "";
  return choices.map((/** @type {[string, object]} */ [text, more]) => [
    text,
    { ...action, ...more },
  ]);
}

/**
 * The fields that an action is about: those whose taps send it, and those that it names.
 * @param {import("./queue.js").Action} action
 * @param {HTMLElement | undefined} sheet around the fields; the one of the action's player without it
 */
export function fieldsOf(
  action,
  sheet = $$("[data-player]").find((player) => player.dataset.by === action.by),
) {
  if (!action.by) return [];
  const named = Object.values(action).filter(Array.isArray).flat();
  return (sheet ? $$("[data-f]", sheet) : []).filter((field) => {
    const wanted = JSON.stringify(action);
    const isSame = choicesOf(field).some(([, one]) => JSON.stringify(one) === wanted);
    return isSame || named.includes(field.dataset.f);
  });
}
