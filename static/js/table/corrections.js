// Correcting an earlier entry: what would change is shown before anything is changed.

import { $, $$ } from "../page/dom.js";
import { fieldsOf } from "./fields.js";

/**
 * @param {string} path of the entry
 * @param {import("./queue.js").Action} action what it would become
 */
export async function preview(path, action) {
  const values = { action: JSON.stringify(action) };
  await htmx.ajax("POST", path, { target: "#preview", swap: "innerHTML", values });
  const board = $(".editor > .board");
  if (!board) return;
  for (const field of $$(".new", board)) field.classList.remove("new");
  for (const field of fieldsOf(action, board)) field.classList.add("new");
}

/**
 * Opens the dialog for an entry, with an action that was refused as what it would become.
 * @param {string} entry
 * @param {import("./queue.js").Action | null} action
 * @param {string} late the seat for which the action comes before the entry instead
 */
export async function openEditor(entry, action = null, late = "") {
  const path = `turns/${entry}${late && `?late=${late}`}`;
  await htmx.ajax("GET", path, { target: "#dialog-content", swap: "innerHTML" });
  if (action) preview(`turns/${entry}${late && "?insert=1"}`, action);
}
