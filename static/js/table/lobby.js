// The lobby: seats and their order, colors, people of earlier evenings, and who has joined so far.

import { $, $$, made, onTap, table, target, the } from "../page/dom.js";
import { keepInView } from "../page/keyboard.js";
import { store, stored } from "../page/store.js";
import { showLot } from "./lot.js";

const TYPED = ".choice.typed input";
const REMEMBERED = 24;
const OFFERED = 8;

/** @typedef {{ name: string, color: string }} Person */

/** @returns {Person[]} the last one first */
const people = () => stored("people", []);

export function answerLobby() {
  // An option that is being typed is not the server's to redraw until it has been sent.
  document.addEventListener("input", (event) => {
    const input = target(event, TYPED);
    if (input) input.dataset.keep = "";
  });
  document.addEventListener("htmx:beforeSend", (event) => {
    if (event.detail.elt.matches(TYPED)) event.detail.elt.removeAttribute("data-keep");
  });
  onTap("[data-move]", (button) => {
    const seat = /** @type {HTMLElement} */ (button.closest("[data-seat]"));
    const list = /** @type {HTMLElement} */ (seat.parentElement);
    list.insertBefore(seat, seat.previousElementSibling);
    sendOrder(list);
  });
  onTap("[data-person]", (button) => add(JSON.parse(button.dataset.person ?? "")));
  onTap("[data-fold]", (button) => fold(button, button.getAttribute("aria-expanded") === "true"));
  document.addEventListener("change", (event) => {
    const swatch = target(event, "[data-add-seat] [name=color]");
    if (swatch) choose(/** @type {HTMLInputElement} */ (swatch).value);
    // The choice is made; while others are seated or join, it stays open.
    const choice = target(event, "details[data-stays-open]");
    if (choice) /** @type {HTMLDetailsElement} */ (choice).open = false;
  });
}

/**
 * Empties the field for a name once it has been added.
 * @param {HtmxDetail["requestConfig"]} request
 */
export function clearAdded({ elt, parameters }) {
  const input = /** @type {HTMLInputElement | null} */ ($("#new-name"));
  // The answer may come when the next name is being typed already.
  if (input && elt.matches("[data-add-seat]") && input.value === parameters.name) input.value = "";
}

/**
 * Shows or hides the colors that belong to a button.
 * @param {HTMLElement} button
 * @param {boolean} isHidden
 */
function fold(button, isHidden) {
  const colors = document.getElementById(button.dataset.fold ?? "");
  if (colors) colors.hidden = isHidden;
  button.setAttribute("aria-expanded", String(!isHidden));
}

/**
 * Takes a color for the next seat.
 * @param {string} color
 */
function choose(color) {
  const form = the("[data-add-seat]");
  const button = $("[data-fold]", form);
  if (!button) return;
  the(".dot", button).className = `dot ${color}`;
  fold(button, true);
}

/** @param {HTMLElement} list */
function sendOrder(list) {
  const order = $$("[data-seat]", list)
    .map((seat) => seat.dataset.seat)
    .join(",");
  htmx.ajax("POST", list.dataset.sort ?? "", {
    target: "#table",
    swap: "morph:outerHTML",
    values: { order },
  });
}

export function showLobby() {
  showGuests();
  showLot();
  keepInView();
  const list = $("[data-sort]");
  if (list) makeSortable(list);
  if (!$(".seating")) return;
  // Those who typed their own names on their own phones are offered next time, too.
  const seated = $$(".seat").map((seat) => ({
    name: the(".name", seat).textContent ?? "",
    color: the(".dot", seat).className.replace("dot ", ""),
  }));
  const others = people().filter((person) => seated.every(({ name }) => name !== person.name));
  store("people", [...seated, ...others].slice(0, REMEMBERED));
  $("[data-people]")?.replaceChildren(...others.slice(0, OFFERED).map(buttonOf));
}

/** Refreshes the dialog's list of who is here, if somebody has come since. */
function showGuests() {
  const version = Number(table().dataset.version);
  for (const part of $$("#guests, #links")) {
    if (Number(part.dataset.version) < version) htmx.trigger(part, "guests");
  }
}

// Only the host needs the library, and only in the lobby, so it is fetched there.
/** @param {HTMLElement} list */
function makeSortable(list) {
  if (globalThis.Sortable) {
    if (Sortable.get(list)) return;
    Sortable.create(list, {
      handle: ".handle",
      animation: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 150,
      forceFallback: true,
      onEnd: () => sendOrder(list),
    });
  } else if (!$("script[data-late]")) {
    const script = made("script", { src: list.dataset.sortable, onload: showLobby });
    script.dataset.late = "";
    document.head.append(script);
  }
}

/** @param {Person} person */
function buttonOf(person) {
  const button = made("button", { type: "button" });
  button.dataset.person = JSON.stringify(person);
  const dot = made("span", { className: `dot ${person.color}` });
  button.append(dot, made("bdi", { textContent: person.name }));
  return button;
}

/** @param {Person} person */
function add({ name, color }) {
  const form = /** @type {HTMLFormElement} */ (the("[data-add-seat]"));
  const swatch = /** @type {HTMLInputElement | null} */ ($(`input[value="${color}"]`, form));
  /** @type {HTMLInputElement} */ (the("input[name=name]", form)).value = name;
  // Somebody else may have the color of the last time.
  if (swatch && !swatch.disabled) {
    swatch.checked = true;
    choose(color);
  }
  form.requestSubmit();
}
