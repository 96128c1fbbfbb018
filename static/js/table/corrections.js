// Correcting an earlier entry: what would change is shown before anything is changed.

import { $, $$ } from "../page/dom.js";
import { fieldsOf } from "./fields.js";

/** The action that was shown last, or is about to be shown, as it is sent. */
let asked = "";

/**
 * @param {string} path of the entry
 * @param {import("./queue.js").Action} action what it would become
 */
export async function preview(path, action) {
  asked = JSON.stringify(action);
  const answer = $("#preview");
  if (!answer) return;
  // The dialog shows the answer to another action: a quick finger must not send it.
  for (const button of $$("button", answer)) button.setAttribute("disabled", "");
  const values = { action: asked };
  await htmx.ajax("POST", path, { source: answer, target: "#preview", swap: "innerHTML", values });
  const board = $(".editor > .board");
  if (!board) return;
  for (const field of $$(".new", board)) field.classList.remove("new");
  for (const field of fieldsOf(action, board)) field.classList.add("new");
}

/**
 * Whether an answer is to the last action, or takes the entry back.
 * @param {any} request of the answer
 */
export function answersLast(request) {
  const { action } = request.parameters;
  return action === "null" || action === asked;
}

/**
 * Opens the dialog for an entry, with a refused action as its correction.
 * @param {string} entry
 * @param {import("./queue.js").Action | null} action
 * @param {string} late the seat for which the action comes before the entry instead
 */
export async function openEditor(entry, action = null, late = "") {
  const path = `turns/${entry}${late && `?late=${late}`}`;
  await htmx.ajax("GET", path, { target: "#dialog-content", swap: "innerHTML" });
  if (action) preview(`turns/${entry}${late && "?insert=1"}`, action);
}
