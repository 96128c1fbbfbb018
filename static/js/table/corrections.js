// Correcting an earlier entry: what would change is shown before anything is changed.

import { $ } from "../page/dom.js";

/**
 * @param {string} path of the entry
 * @param {object} action what it would become
 */
export async function preview(path, action) {
  const values = { action: JSON.stringify(action) };
  await htmx.ajax("POST", path, { target: "#preview", swap: "innerHTML", values });
  $("#preview")?.scrollIntoView({ block: "nearest" });
}

/**
 * Opens the dialog for an entry, with an action that was refused as what it would become.
 * @param {string} entry
 * @param {object | null} action
 * @param {string} late the seat for which the action comes before the entry instead
 */
export async function openEditor(entry, action = null, late = "") {
  const path = `turns/${entry}${late && `?late=${late}`}`;
  await htmx.ajax("GET", path, { target: "#dialog-content", swap: "innerHTML" });
  if (action) preview(`turns/${entry}${late && "?insert=1"}`, action);
}
