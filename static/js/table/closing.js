// The button that goes on without those who have not acted asks first, in its own place:
//   data-ask    the button; it makes way for "Skip …" and "Wait"
//   data-wait   takes that back
// The question stands until the step is over, whatever is drawn meanwhile.

import { $, onTap, table } from "../page/dom.js";

/** @type {string | undefined} the step in which it was asked */
let askedIn;

export function answerClosing() {
  onTap("[data-ask]", () => ask(table().dataset.step, "[data-wait]"));
  onTap("[data-wait]", () => ask(undefined, "[data-ask]"));
}

/**
 * @param {string | undefined} step
 * @param {string} next what the keyboard goes on with
 */
function ask(step, next) {
  askedIn = step;
  showClosing();
  $(next)?.focus({ preventScroll: true });
}

export function showClosing() {
  const choice = $(".closing-choice");
  const isAsked = askedIn !== undefined && askedIn === table().dataset.step;
  if (!isAsked) askedIn = undefined;
  choice?.classList.toggle("asked", isAsked);
}
