// The parts of the table's page, each of which is redrawn on its own.
//   data-drawn   the part's name
// and at the table's element
//   data-version  the version of the table that all parts show
//   data-shape    the hash of everything around the parts, which changes only with the whole page
//
// An update says from which version it leads to which. It is shown only on a page that shows the first
// one; a page that has missed something fetches the whole table.

import { $$, table } from "../page/dom.js";
import { changeField } from "./fields.js";

/**
 * @typedef {object} Change
 * @property {string} part its name
 * @property {string} [html] all that it shows
 * @property {Record<string, import("./fields.js").Change>} [fields] the fields that change
 */

/**
 * The server's description of the table at one version.
 * @typedef {object} Update
 * @property {number} from the version from which the changes lead to this one
 * @property {string} shape
 * @property {Record<string, string>} facts the data-* attributes of the table's element
 * @property {Change[]} changes
 */

/** @typedef {"shown" | "old" | "gap"} Outcome `gap` asks for the whole table */

/**
 * The update in a message, whose values come in any order.
 * @param {any[]} values
 * @returns {Update}
 */
export function updateOf(values) {
  const update = Object.assign({}, ...values.filter((value) => !value.part));
  return { ...update, changes: values.filter((value) => value.part) };
}

/**
 * Shows an update, all of it or nothing.
 * @param {Update} update
 * @returns {Outcome}
 */
export function showUpdate({ from, shape, facts, changes }) {
  const root = table();
  const shown = Number(root.dataset.version);
  const version = Number(facts.version);
  if (version < shown) return "old";
  if (shape !== root.dataset.shape) return "gap";
  if (version === shown) return "old";
  const places = new Map($$("[data-drawn]", root).map((place) => [place.dataset.drawn, place]));
  if (from !== shown || changes.some(({ part }) => !places.has(part))) return "gap";
  for (const change of changes)
    showPart(/** @type {HTMLElement} */ (places.get(change.part)), change);
  Object.assign(root.dataset, facts);
  return "shown";
}

/**
 * @param {HTMLElement} place
 * @param {Change} change
 */
function showPart(place, { html, fields }) {
  if (fields) {
    for (const field of $$("[data-f]", place)) {
      const change = fields[field.dataset.f ?? ""];
      if (change) changeField(field, change);
    }
  } else {
    // A morph keeps the button that is under a finger, and what has the focus.
    Idiomorph.morph(place, html ?? "", { morphStyle: "innerHTML" });
    htmx.process(place);
  }
}
