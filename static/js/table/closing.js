// The button that goes on without those who have not acted asks first, in its own place:
//   data-ask    the button; it makes way for "Skip …" and "Wait"
//   data-wait   takes that back
// The question stands until the step is over, whatever is drawn meanwhile.
//   data-alone  the button is tapped by the page, because all that are left can only pass: the entry after
//               which it is so

import { $, onTap, table, the } from "../page/dom.js";
import { store, stored } from "../page/store.js";
import { actionOf } from "./fields.js";
import { guard } from "./guard.js";

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
  // The second tap of a quick double tap skips nobody.
  guard(the(".closing-choice"));
  $(next)?.focus({ preventScroll: true });
}

export function showClosing() {
  const choice = $(".closing-choice");
  const isAsked = askedIn !== undefined && askedIn === table().dataset.step;
  if (!isAsked) askedIn = undefined;
  choice?.classList.toggle("asked", isAsked);
}

/**
 * Closes a step that asks nobody for a choice, once after an entry: undo opens it again.
 * @param {import("./queue.js").Queue["add"]} send
 */
export function closeAlone(send) {
  const button = $("[data-alone]");
  const entry = button?.dataset.alone;
  if (!button || entry === stored("closed-after", "")) return;
  store("closed-after", entry);
  send({ action: actionOf(button) }, "");
}
