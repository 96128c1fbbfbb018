// Typing a sheet in: a number goes into the field that is marked, and the next one is marked.
//   data-keypad   the keys; data-highest is the highest number that is typed digit by digit, and
//                 data-player the player whose sheet it is
//   data-key      a number, a digit, "clear" or "forward"
//   data-typed    a field for a number, with the numbers that would break a rule there
// Without this script a tap on a field leads to a page for it.

import { $, $$, onTap, the } from "../page/dom.js";

const SVG = "http://www.w3.org/2000/svg";

/** The field that the next key is for, by sheet. @type {Map<string, string>} */
const marked = new Map();

/** Typed texts that are not acknowledged: a field's address → the text. @type {Map<string, string>} */
const waiting = new Map();

/** The digits of a number that is not finished. */
let digits = "";

/** The field's text before those digits. */
let before = "";

const pad = () => $("[data-keypad]");
const fields = () => $$(".reading a[data-typed]");
const sheet = () => pad()?.id ?? "";

/** @param {HTMLElement} field */
const address = (field) => field.getAttribute("href") ?? "";

/** @param {HTMLElement} field */
const text = (field) =>
  waiting.get(address(field)) ?? $("text.typed", field)?.textContent?.trim() ?? "";

/** The field that is marked: the first empty one at the beginning. */
function now() {
  const all = fields();
  const known = all.find((field) => field.dataset.field === marked.get(sheet()));
  const field = known ?? all.find((other) => !text(other)) ?? all[0];
  if (field) marked.set(sheet(), field.dataset.field ?? "");
  return field;
}

/**
 * Shows a text in a field before the server has drawn it.
 * @param {HTMLElement} field
 * @param {string} content
 */
function draw(field, content) {
  const inside = /** @type {Element} */ (field.querySelector("g"));
  let drawn = $("text.typed", field);
  if (!drawn) {
    drawn = /** @type {any} */ (document.createElementNS(SVG, "text"));
    drawn?.setAttribute("class", "typed");
    drawn?.setAttribute("dy", ".36em");
    if (drawn) inside.append(drawn);
  }
  if (drawn) drawn.textContent = content;
}

/** Draws the mark, what waits, and the keys; after each redraw of the page, too. */
export function show() {
  const keypad = pad();
  if (!keypad) return;
  const field = now();
  for (const other of fields()) {
    other.classList.toggle("now", other === field);
    const unsent = waiting.get(address(other));
    if (unsent !== undefined) draw(other, unsent);
  }
  if (!field) return;
  if (digits) draw(field, digits);
  const [name = ""] = (field.getAttribute("aria-label") ?? "").split(/: /);
  const said = [keypad.dataset.player, name, digits || text(field)];
  the("[data-keypad-field]", keypad).textContent = said.filter(Boolean).join(": ");
  const impossible = (field.dataset.typed ?? "").split(" ");
  const highest = Number(keypad.dataset.highest);
  for (const key of $$("[data-key]", keypad)) {
    const { key: value = "" } = key.dataset;
    const isTooHigh = highest > 0 && Number(`${digits}${value}`) > highest;
    key.classList.toggle("dim", impossible.includes(value) || isTooHigh);
  }
}

/**
 * Sends a field's text. Answers come in the order of the taps; see `hx-sync` of the review.
 * @param {HTMLElement} field
 * @param {string} value
 */
function send(field, value) {
  waiting.set(address(field), value);
  const shown = /** @type {HTMLInputElement | null} */ ($("#review [name=shown]"))?.value ?? "";
  const values = { value, shown };
  // The source outlives each redraw: htmx drops the waiting requests of an element that is gone.
  htmx.ajax("POST", address(field), {
    source: the("#review"),
    target: "#review",
    swap: "morph:outerHTML",
    values,
  });
}

/** @param {HTMLElement | undefined} field */
function mark(field) {
  digits = "";
  if (field) {
    marked.set(sheet(), field.dataset.field ?? "");
    field.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
  show();
}

/** @param {number} step */
function move(step) {
  const all = fields();
  mark(all[Math.min(Math.max(all.indexOf(/** @type {any} */ (now())) + step, 0), all.length - 1)]);
}

/** @param {HTMLElement} field */
function finish(field) {
  if (/\d/.test(digits)) send(field, String(Number(digits)));
  move(1);
}

/**
 * Goes on to the next field, and from the last one to the next sheet.
 * @param {HTMLElement} field
 */
function forward(field) {
  const next = $(".sheet-tab[aria-current] + .sheet-tab");
  const isLast = field === fields().at(-1);
  finish(field);
  if (isLast) next?.click();
}

onTap("[data-key]", (key) => {
  const field = now();
  if (!field) return;
  const { key: value = "" } = key.dataset;
  const highest = Number(pad()?.dataset.highest);
  if (value === "forward") forward(field);
  else if (value === "clear" && digits) {
    digits = digits.slice(0, -1);
    if (!digits) draw(field, before);
    show();
  } else if (value === "±") {
    if (!digits) before = text(field);
    digits = digits.startsWith("-") ? digits.slice(1) : `-${digits}`;
    show();
  } else if (value === "clear" && text(field)) {
    send(field, "");
    mark(field);
  } else if (value === "clear") move(-1);
  else if (!highest) {
    send(field, value);
    move(1);
  } else if (Math.abs(Number(`${digits}${value}`)) <= highest) {
    if (!digits) before = text(field);
    digits += value;
    // Another digit would make it too high, or there is none after a zero.
    if (digits === "0" || Math.abs(Number(`${digits}0`)) > highest) finish(field);
    else show();
  }
});

/**
 * Marks a field that was tapped; false if it is not for the keypad.
 * @param {HTMLElement} field
 */
export function chosen(field) {
  if (field.dataset.typed === undefined || !pad()) return false;
  mark(field);
  return true;
}

document.addEventListener("htmx:afterRequest", ({ detail }) => {
  const path = detail.requestConfig?.path ?? "";
  const sent = detail.requestConfig?.parameters?.value;
  if (waiting.get(path) === sent) waiting.delete(path);
});
document.addEventListener("htmx:afterSwap", show);
show();
