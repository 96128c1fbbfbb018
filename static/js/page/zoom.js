// A photo in a box of its own, made larger by two fingers, or by the wheel with Ctrl.
//   data-zoom  the box that scrolls; the picture is its only element
// Without this script the buttons above it do the same in steps.

import { $, $$, target } from "./dom.js";

const MOST = 8; // times the width of the box

/** @typedef {{ distance: number, times: number }} Pinch */

/** @type {Pinch | null} */
let pinch = null;

/** @param {HTMLElement} box */
const picture = (box) => /** @type {HTMLElement} */ ($("img", box));

/** @param {HTMLElement} box */
const times = (box) => picture(box).offsetWidth / box.clientWidth;

/**
 * Makes the picture `wanted` times as wide as its box; the point under the fingers stays there.
 * @param {HTMLElement} box
 * @param {number} wanted
 * @param {number} x of that point, in the window
 * @param {number} y
 */
function zoom(box, wanted, x, y) {
  const frame = box.getBoundingClientRect();
  const [left, top] = [x - frame.left, y - frame.top];
  const before = times(box);
  const now = Math.min(Math.max(wanted, 1), MOST);
  picture(box).style.width = `${100 * now}%`;
  box.scrollLeft = ((box.scrollLeft + left) * now) / before - left;
  box.scrollTop = ((box.scrollTop + top) * now) / before - top;
}

/** @param {TouchList} touches */
function spread(touches) {
  const [one, other] = /** @type {[Touch, Touch]} */ ([touches[0], touches[1]]);
  const x = (one.clientX + other.clientX) / 2;
  const y = (one.clientY + other.clientY) / 2;
  return { distance: Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY), x, y };
}

/** @param {HTMLElement} box */
function watch(box) {
  box.addEventListener("touchstart", ({ touches }) => {
    pinch = touches.length === 2 ? { distance: spread(touches).distance, times: times(box) } : null;
  });
  // Not of the whole page: it would scroll less smoothly.
  box.addEventListener(
    "touchmove",
    (event) => {
      if (!pinch || event.touches.length !== 2) return;
      event.preventDefault();
      const { distance, x, y } = spread(event.touches);
      zoom(box, (pinch.times * distance) / pinch.distance, x, y);
    },
    { passive: false },
  );
  box.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      zoom(box, times(box) * 2 ** (-event.deltaY / 200), event.clientX, event.clientY);
    },
    { passive: false },
  );
}

/** @type {WeakSet<HTMLElement>} */
const watched = new WeakSet();

function watchAll() {
  for (const box of $$("[data-zoom]")) {
    if (!watched.has(box)) watch(box);
    watched.add(box);
  }
}

watchAll();
document.addEventListener("htmx:afterSwap", watchAll);

// From here on the buttons set the width again.
document.addEventListener("change", (event) => {
  const button = target(event, ".zoom input");
  const box = button && $("[data-zoom]", /** @type {HTMLElement} */ (button.closest("details")));
  if (box) picture(box).style.width = "";
});
