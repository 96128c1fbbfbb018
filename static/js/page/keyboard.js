// The keyboard of a phone covers the lower part of the page: fields that are typed in stay in view,
// and what is at the lower edge moves above it.

import { $ } from "./dom.js";

/** Least room that a keyboard leaves for the page for anything to be lifted above it. */
const LEAST = 300;
/** Between the field and what covers the page. */
const MARGIN = 12;

/** Follows the visible part of the page. */
export function watchKeyboard() {
  const view = globalThis.visualViewport;
  if (!view) return;
  view.addEventListener("resize", () => fit(view));
  view.addEventListener("scroll", () => lift(view));
  document.addEventListener("focusin", () => showField(view));
}

/** Brings the field that is typed in back into view, after the page above it has grown. */
export function keepInView() {
  if (globalThis.visualViewport) showField(globalThis.visualViewport);
}

/** @param {VisualViewport} view */
function fit(view) {
  lift(view);
  showField(view);
}

/** @param {VisualViewport} view */
function lift(view) {
  const covered = Math.round(innerHeight - view.height - view.offsetTop);
  // A page that is zoomed in shows a part of itself without any keyboard.
  const isLifted = view.scale === 1 && covered > 0 && view.height >= LEAST;
  document.documentElement.style.setProperty("--keyboard", `${isLifted ? covered : 0}px`);
}

/** @param {VisualViewport} view */
function showField(view) {
  const field = $("[data-in-view]:focus");
  if (!field) return;
  const box = field.getBoundingClientRect();
  const bar = $(".bar")?.getBoundingClientRect().bottom ?? 0;
  const go = $(".go")?.getBoundingClientRect();
  const end = view.offsetTop + view.height;
  const bottom = (go && go.top < end ? go.top : end) - MARGIN;
  const top = Math.max(bar, view.offsetTop) + MARGIN;
  if (box.bottom > bottom) scrollBy(0, box.bottom - bottom);
  else if (box.top < top) scrollBy(0, box.top - top);
}
