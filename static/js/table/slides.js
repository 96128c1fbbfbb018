// A finger that goes down on a button of a picker opens what the button opens, slides to a key of it and is lifted there:
// one touch instead of two taps. The key under the finger is drawn above it, with its words.
//   data-slide   the button; the keys are other parts of its picker
// Lifted beside every key, nothing is chosen. A finger that rests on a key that leaves a choice, such as a card that fits
// two rows, chooses it, and slides on to one of the lit buttons. Taps, mice and keys of a keyboard do the same one after
// another.

import { $, $$, made, target } from "../page/dom.js";

const ABOVE_PX = 72;
/** Anything shorter is a tap, which leaves the keys open. */
const SLIDE_PX = 12;
/** Distance from a chosen key beyond which the finger means what is under it now. */
const ON_PX = 24;
const REST_MS = 400;

/**
 * @typedef {object} Slide
 * @property {HTMLElement} button
 * @property {number} x where the finger went down, or where it has chosen a key
 * @property {number} y
 * @property {HTMLElement | null} key under the finger
 * @property {boolean} isSlid
 * @property {boolean} isOn whether a key is chosen, and the finger goes on to what is lit
 */

/**
 * The key of the same picker under a finger.
 * @param {Slide} slide
 * @param {PointerEvent} event
 */
function keyAt({ button, isOn }, { clientX, clientY }) {
  const key = document.elementFromPoint(clientX, clientY)?.closest("[data-part]");
  const isOurs = key && key !== button && button.closest("[data-picker]")?.contains(key);
  const isMeant = !isOn || key?.matches(".matches, [data-slide]");
  return isOurs && isMeant ? /** @type {HTMLElement} */ (key) : null;
}

/**
 * Draws the key above the finger.
 * @param {HTMLElement | null} key
 * @param {PointerEvent} event
 */
function show(key, { clientX, clientY }) {
  $(".lens")?.remove();
  for (const before of $$(".under")) before.classList.remove("under");
  if (key?.matches(".matches")) key.classList.add("under");
  if (!key || key.matches(".matches")) return;
  const lens = made("div", { className: "lens" });
  const drawn = /** @type {HTMLElement} */ (key.cloneNode(true));
  drawn.removeAttribute("data-part");
  lens.append(drawn, made("b", { textContent: key.getAttribute("aria-label") ?? "" }));
  lens.style.setProperty("--x", `${clientX}px`);
  lens.style.setProperty("--y", `${clientY - ABOVE_PX}px`);
  lens.setAttribute("aria-hidden", "true");
  // Outside the page's grid: nothing may move under the finger.
  document.body.append(lens);
}

/**
 * @param {(button: HTMLElement) => void} tap a part of a picker
 * @param {(button: HTMLElement) => boolean} leavesChoice whether more has to be chosen after a part
 */
export function answerSlides(tap, leavesChoice) {
  /** @type {Slide | null} */
  let slide = null;
  let isOver = false;
  let resting = setTimeout(() => {});

  /** @param {PointerEvent} event */
  const rest = (event) => {
    const key = slide?.key;
    if (!slide || !key || !leavesChoice(key)) return;
    tap(key);
    Object.assign(slide, {
      x: event.clientX,
      y: event.clientY,
      key: null,
      isSlid: false,
      isOn: true,
    });
  };

  /** @param {PointerEvent | null} event */
  const end = (event) => {
    clearTimeout(resting);
    slide = null;
    if (event) show(null, event);
  };

  document.addEventListener("pointerdown", (event) => {
    isOver = false;
    const pressed = event.isPrimary ? target(event, "[data-slide]") : null;
    const opens = pressed?.getAttribute("aria-pressed") === "false";
    if (!pressed || !opens || event.pointerType === "mouse") return;
    const { clientX: x, clientY: y } = event;
    slide = { button: pressed, x, y, key: null, isSlid: false, isOn: false };
    tap(pressed);
  });
  document.addEventListener("pointermove", (event) => {
    if (!slide || !event.isPrimary) return;
    const way = Math.hypot(event.clientX - slide.x, event.clientY - slide.y);
    slide.isSlid ||= way > (slide.isOn ? ON_PX : SLIDE_PX);
    if (!slide.isSlid) return;
    const key = keyAt(slide, event);
    if (key && "slide" in key.dataset) {
      // The finger meant another key.
      Object.assign(slide, { button: key, key: null, isOn: false });
      tap(key);
    } else if (key !== slide.key) {
      clearTimeout(resting);
      slide.key = key;
      if (!slide.isOn) resting = setTimeout(rest, REST_MS, event);
    }
    show(slide.key, event);
  });
  document.addEventListener("pointerup", (event) => {
    if (!slide) return;
    const { button, key, isSlid, isOn } = slide;
    isOver = true;
    end(event);
    if (key) tap(key);
    else if (isSlid && !isOn) tap(button);
  });
  document.addEventListener("pointercancel", end);
  // The click after a slide is ignored. A key's click has no detail.
  document.addEventListener(
    "click",
    (event) => {
      if (!isOver || !event.detail || !target(event, "[data-picker]")) return;
      isOver = false;
      event.stopImmediatePropagation();
    },
    { capture: true },
  );
}
