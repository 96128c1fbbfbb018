// A tap on a field of the turn's next step is held on this phone, and sent when that step has come. Another tap
// on it takes it back.

import { table, words } from "../page/dom.js";
import { keep, kept } from "../page/store.js";
import { showBeside } from "./beside.js";
import { actionOf, fieldsOf, showPending } from "./fields.js";

/**
 * @typedef {{ action: import("./queue.js").Action, what: string, step: string | undefined, match: string }} Held
 *   `step` and `match` are those in which the field was tapped
 */

/** The number of the match that the page shows. */
const match = () => (table().dataset.moment ?? "").split(":")[0] ?? "";

const key = () => `held:${table().dataset.table}`;

/** @returns {Held | null} */
const held = () => kept(key(), null);

/**
 * @param {HTMLElement} field
 * @param {string} what the tap in words
 */
export function hold(field, what) {
  const action = actionOf(field);
  const isHeld = JSON.stringify(held()?.action) === JSON.stringify(action);
  keep(key(), isHeld ? null : { action, what, step: table().dataset.step, match: match() });
  if (!isHeld) showBeside(words("held"), field);
}

/**
 * Marks the field, or sends its tap once the step is over.
 * @param {import("./queue.js").Queue["add"]} send
 */
export function showHeld(send) {
  const now = held();
  if (!now) return;
  const early = fieldsOf(now.action).filter((field) => field.matches(".early"));
  if (early.length) {
    early.forEach(showPending);
    return;
  }
  keep(key(), null);
  const isNext = Number(table().dataset.step) === Number(now.step) + 1;
  if (isNext && now.match === match()) send({ action: now.action }, now.what);
}
