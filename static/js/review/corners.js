// The corners of a sheet in a photo: the nearest one follows the finger; arrow keys move one, too.
//   data-corners  the drawing, with a circle for each corner and polygons through them
// The field `#corners` has them for the server.

import { $, $$, target } from "../page/dom.js";

const STEP = 1 / 200; // of the photo's longer side, for an arrow key

/** The corner that the finger moves. @type {HTMLElement | null} */
let held = null;

/** @param {HTMLElement} corner */
const place = (corner) => ({
  x: Number(corner.getAttribute("cx")),
  y: Number(corner.getAttribute("cy")),
});

/**
 * Moves a corner, within the photo.
 * @param {HTMLElement} corner
 * @param {number} x
 * @param {number} y
 */
function move(corner, x, y) {
  const drawing = /** @type {SVGSVGElement} */ (/** @type {unknown} */ (corner.closest("svg")));
  const { width, height } = drawing.viewBox.baseVal;
  corner.setAttribute("cx", Math.min(Math.max(x, 0), width).toFixed(1));
  corner.setAttribute("cy", Math.min(Math.max(y, 0), height).toFixed(1));
  const points = $$("circle", drawing)
    .map((corner) => `${corner.getAttribute("cx")},${corner.getAttribute("cy")}`)
    .join(" ");
  for (const outline of $$("polygon", drawing)) outline.setAttribute("points", points);
  $("#corners")?.setAttribute("value", points);
}

/**
 * The point of the photo under the finger.
 * @param {PointerEvent} event
 * @param {HTMLElement} drawing
 */
function under(event, drawing) {
  const svg = /** @type {SVGSVGElement} */ (/** @type {unknown} */ (drawing));
  const point = new DOMPoint(event.clientX, event.clientY);
  return point.matrixTransform(svg.getScreenCTM()?.inverse());
}

document.addEventListener("pointerdown", (event) => {
  const drawing = target(event, "[data-corners]");
  if (!drawing) return;
  event.preventDefault();
  const { x, y } = under(event, drawing);
  const far = (/** @type {HTMLElement} */ corner) =>
    Math.hypot(place(corner).x - x, place(corner).y - y);
  held = $$("circle", drawing).reduce((near, other) => (far(other) < far(near) ? other : near));
  held.focus();
  move(held, x, y);
});

document.addEventListener("pointermove", (event) => {
  const drawing = held?.closest("[data-corners]");
  if (!held || !drawing) return;
  const { x, y } = under(event, /** @type {HTMLElement} */ (drawing));
  move(held, x, y);
});

for (const end of ["pointerup", "pointercancel"])
  document.addEventListener(end, () => {
    held = null;
  });

document.addEventListener("keydown", (event) => {
  const corner = target(event, "[data-corners] circle");
  const right = Number(event.key === "ArrowRight") - Number(event.key === "ArrowLeft");
  const down = Number(event.key === "ArrowDown") - Number(event.key === "ArrowUp");
  if (!corner || !(right || down)) return;
  event.preventDefault();
  const { width, height } = /** @type {SVGSVGElement} */ (
    /** @type {unknown} */ (corner.closest("svg"))
  ).viewBox.baseVal;
  const { x, y } = place(corner);
  const step = Math.max(width, height) * STEP;
  move(corner, x + right * step, y + down * step);
});
