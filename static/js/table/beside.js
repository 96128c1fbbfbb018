// Words beside what was tapped: a note with a tip that points there. It lets taps through, covers as little
// as can be of what can be tapped, and goes by the next tap as all notes do.
//   data-side   the note's side: below, above, right or left; --tip is the place of its tip

import { $, $$, made } from "../page/dom.js";
import { toast } from "../page/toasts.js";

/** @typedef {{ left: number, top: number, right: number, bottom: number }} Box */
/** @typedef {{ width: number, height: number }} Size */
/** @typedef {{ side: "below" | "above" | "right" | "left", left: number, top: number, tip: number }} Place */

const GAP = 9; // CSS pixels between the note and what it belongs to; the tip is as long
const EDGE = 6; // to the edge of the window
const CORNER = 14; // of the note, without room for a tip
const WIDTHS = ["min(230px, 62vw)", "min(180px, 50vw)", "min(145px, 40vw)", "min-content"];
const WIDE = ["min(330px, 92vw)", "min(230px, 62vw)"]; // of a question
const FIELD_WEIGHT = 4; // of a covered field, compared with a covered button

/** @param {number} value @param {number} low @param {number} high */
const within = (value, low, high) => Math.max(low, Math.min(value, high));

/**
 * The area that two boxes have in common.
 * @param {Box} one
 * @param {Box} other
 */
function shared(one, other) {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  return width > 0 && height > 0 ? width * height : 0;
}

/**
 * The places beside a box that are in the window, the best side first.
 * @param {Box} box
 * @param {Size} size
 * @param {Size} screen
 * @returns {Place[]}
 */
function places(box, { width, height }, screen) {
  const middle = { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 };
  const last = { x: screen.width - EDGE - width, y: screen.height - EDGE - height };
  /** @type {Place[]} */
  const found = [];
  for (const share of [0.5, 0.15, 0.85]) {
    const left = within(middle.x - share * width, EDGE, last.x);
    const top = within(middle.y - share * height, EDGE, last.y);
    const tipX = within(middle.x - left, CORNER, width - CORNER);
    const tipY = within(middle.y - top, CORNER, height - CORNER);
    found.push(
      { side: "below", left, top: box.bottom + GAP, tip: tipX },
      { side: "above", left, top: box.top - GAP - height, tip: tipX },
      { side: "right", left: box.right + GAP, top, tip: tipY },
      { side: "left", left: box.left - GAP - width, top, tip: tipY },
    );
  }
  return found.filter(
    ({ left, top }) => left >= EDGE && left <= last.x && top >= EDGE && top <= last.y,
  );
}

/**
 * The place beside a box where a note covers least; undefined without room.
 * @param {Box} box
 * @param {Size[]} sizes of the note in different widths, the best one first
 * @param {Size} screen
 * @param {{ box: Box, weight: number }[]} others what should not be covered
 */
export function placeBeside(box, sizes, screen, others) {
  const rated = sizes.flatMap((size) =>
    places(box, size, screen).map((place) => {
      const { left, top } = place;
      const here = { left, top, right: left + size.width, bottom: top + size.height };
      const cost = others.reduce((sum, { box, weight }) => sum + weight * shared(here, box), 0);
      return { ...place, size, cost };
    }),
  );
  const least = Math.min(...rated.map(({ cost }) => cost));
  return rated.find(({ cost }) => cost === least);
}

/** @param {Element} element */
const boxOf = (element) => ($(".hit", element) ?? element).getBoundingClientRect?.();

/** What can be tapped, and what is pointed at. */
function targets() {
  return $$(".f.open, .f.choosable, [data-pointed], button:not(:disabled)")
    .filter((element) => element.checkVisibility({ visibilityProperty: true }))
    .map((element) => ({
      box: /** @type {Box} */ (boxOf(element)),
      weight: element.matches(".f") ? FIELD_WEIGHT : 1,
    }));
}

/**
 * Refuses a tap in words.
 * @param {string} text
 * @param {Element | null | undefined} tapped
 */
export const refuse = (text, tapped) => showBeside(text, tapped, { bad: true });

/**
 * Asks beside what was tapped for one of several values; a tap elsewhere is no answer.
 * @template T
 * @param {string} text
 * @param {Element} tapped
 * @param {[string, T][]} values each with its text
 * @param {(value: T) => void} chosen
 */
export function askBeside(text, tapped, values, chosen) {
  const buttons = values.map(([label, value]) => {
    const button = made("button", { className: "value", textContent: label });
    button.addEventListener("click", () => {
      note.remove();
      chosen(value);
    });
    return button;
  });
  const note = showBeside(text, tapped, { buttons });
  note.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") note.remove();
  });
  buttons[0]?.focus({ preventScroll: true });
}

/**
 * Shows a text beside what was tapped, as long as that is in view.
 * @param {string} text
 * @param {Element | null | undefined} tapped
 */
export function showBeside(
  text,
  tapped,
  { bad = false, buttons = /** @type {HTMLElement[]} */ ([]) } = {},
) {
  const box = tapped && boxOf(tapped);
  const asks = buttons.length > 0;
  const note = toast(text, { bad, buttons, untilTap: asks, beside: asks || Boolean(box?.width) });
  if (!box?.width) return note;
  const screen = { width: innerWidth, height: innerHeight };
  const widths = asks ? WIDE : WIDTHS;
  const sizes = widths.map((widest) => {
    note.style.maxWidth = widest;
    const { width, height } = note.getBoundingClientRect();
    return { width, height };
  });
  const place = placeBeside(box, sizes, screen, targets());
  // What it points at may move: then it goes where other notes are.
  const leave = () => {
    note.classList.remove("beside");
    note.removeAttribute("style");
    if (asks) note.classList.add("unfolded");
  };
  if (!place) {
    leave();
    return note;
  }
  note.dataset.side = place.side;
  note.style.maxWidth = widths[sizes.indexOf(place.size)] ?? "";
  note.style.left = `${place.left}px`;
  note.style.top = `${place.top}px`;
  note.style.setProperty("--tip", `${place.tip}px`);
  for (const moved of ["scroll", "resize"])
    addEventListener(moved, leave, { capture: true, once: true });
  return note;
}
