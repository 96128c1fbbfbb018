// A button that goes on without somebody asks first, in its own place:
//   data-ask    the button; it makes way for "Skip …" and "Wait"
//   data-wait   takes that back
//   data-after  the seconds after which the choice is shown; then the version from which they count
// The question stays until the step is over, or the choice is hidden, even if the page is redrawn meanwhile.
//   data-alone  the entry after which the page taps the button itself, because nobody has a choice
//   data-read-first  the button that shows that nothing fits: the page waits until its player has had time to read it.
//     A touch, a key, or what is open stops it.

import { $, onTap, table, the, words } from "../page/dom.js";
import { store, stored } from "../page/store.js";
import { actionOf } from "./fields.js";
import { guard, moveFocus } from "./guard.js";

const READING_MS = 6000;
const SECOND_MS = 1000;

/** @type {string | undefined} the step in which it was asked */
let askedIn;

/** What the server said last about the time after which the choice is shown, and that time. */
const shown = { after: "", at: 0 };

export function answerClosing() {
  onTap("[data-ask]", () => ask(table().dataset.step, "[data-wait]"));
  onTap("[data-wait]", () => ask(undefined, "[data-ask]"));
  for (const type of ["pointerdown", "keydown"]) {
    document.addEventListener(type, () => stop(), { capture: true });
  }
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
  moveFocus($(next));
}

export function showClosing() {
  const choice = $(".closing-choice");
  if (choice?.dataset.after) choice.hidden = !isTime(choice.dataset.after);
  const isAsked = askedIn !== undefined && askedIn === table().dataset.step && !choice?.hidden;
  if (!isAsked) askedIn = undefined;
  choice?.classList.toggle("asked", isAsked);
}

/** @param {string} after */
function isTime(after) {
  if (after !== shown.after) {
    const pause = parseInt(after, 10) * SECOND_MS;
    Object.assign(shown, { after, at: performance.now() + pause });
    setTimeout(showClosing, pause);
  }
  return performance.now() >= shown.at;
}

/** What the page is about to do by itself, after which entry. */
let reading = { entry: "", timer: setTimeout(() => {}) };

/** Stops what the page was about to do, and leaves it to the player. */
function stop(entry = reading.entry) {
  clearTimeout(reading.timer);
  if (entry) store("closed-after", entry);
  reading.entry = "";
  $("[data-by-itself]")?.removeAttribute("data-by-itself");
}

/**
 * Passes, or closes the step, where nobody has a choice; once after an entry.
 * @param {import("./queue.js").Queue["add"]} send
 */
export function closeAlone(send) {
  const button = $("[data-alone]");
  const entry = button?.dataset.alone ?? "";
  if (entry !== reading.entry) stop("");
  if (!button || entry === stored("closed-after", "")) return;
  const { readFirst } = button.dataset;
  const act = () => {
    stop(entry);
    send({ action: actionOf(button), alone: true }, "");
  };
  if (readFirst === undefined) act();
  else if ($("dialog[open], .play details[open]")) stop(entry);
  else {
    if (!reading.entry) reading = { entry, timer: setTimeout(act, READING_MS) };
    const shown = $(readFirst);
    if (shown)
      shown.dataset.byItself = words(readFirst === "[data-ask]" ? "goesAlone" : "passesAlone");
  }
}
