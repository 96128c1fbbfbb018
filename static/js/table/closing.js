// The button that goes on without those who have not acted asks first, in its own place:
//   data-ask    the button; it makes way for "Skip …" and "Wait"
//   data-wait   takes that back
// The question stands until the step is over, whatever is drawn meanwhile.
//   data-alone  the button is tapped by the page, because nobody has a choice: the entry after which it is so
//   data-read-first  it is tapped once its player has had the time to read that nothing fits

import { $, onTap, table, the } from "../page/dom.js";
import { store, stored } from "../page/store.js";
import { actionOf } from "./fields.js";
import { guard } from "./guard.js";

const READING_MS = 2500;

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
 * Passes, or closes the step, where nobody has a choice; once after an entry, so that undo opens it again.
 * @param {import("./queue.js").Queue["add"]} send
 * @param {string} read the entry after which its player has read that nothing fits
 */
export function closeAlone(send, read = "") {
  const button = $("[data-alone]");
  const entry = button?.dataset.alone;
  if (!button || entry === stored("closed-after", "")) return;
  if (read !== entry && "readFirst" in button.dataset) {
    setTimeout(() => closeAlone(send, entry), READING_MS);
    return;
  }
  store("closed-after", entry);
  send({ action: actionOf(button) }, "");
}
