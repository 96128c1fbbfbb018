// The parts of the table's page, which are drawn anew each on its own.
//   data-drawn   the part's name
//   data-v      the hash of what it shows
// and at the table's element
//   data-shape  the hash of everything around the parts, which changes only with the whole page
//
// An update names the hashes of all parts. It is shown only where the page then shows just that; a
// page that has missed something fetches the parts that it lacks.

import { $$, table } from "../page/dom.js";
import { changeField } from "./fields.js";

/**
 * @typedef {object} Change
 * @property {string} part its name
 * @property {string} v the hash of what it then shows
 * @property {string} [from] the hash of what the fields are changed from
 * @property {string} [html] all that it shows
 * @property {Record<string, import("./fields.js").Change>} [fields] the fields that change
 */

/**
 * The server's description of the table at one version.
 * @typedef {object} Update
 * @property {string} shape
 * @property {Record<string, string>} facts the data-* attributes of the table's element
 * @property {Record<string, string>} parts name → hash, of all parts
 * @property {Change[]} changes
 * @property {string} [live] the address of the stream
 */

/** @typedef {"shown" | "old" | "gap" | "whole"} Outcome `whole` asks for a whole new page */

/**
 * The update in an answer or a message, whose values come in any order.
 * @param {any[]} values
 * @returns {Update}
 */
export function updateOf(values) {
  const update = Object.assign({}, ...values.filter((value) => !value.part));
  return { ...update, changes: values.filter((value) => value.part) };
}

const places = () =>
  new Map($$("[data-drawn]", table()).map((place) => [place.dataset.drawn ?? "", place]));

/** The hashes of all parts that are shown. */
export const shownHashes = () => [...places().values()].map((place) => place.dataset.v ?? "");

/**
 * Shows an update, all of it or nothing.
 * @param {Update} update
 * @returns {Outcome}
 */
export function showUpdate(update) {
  const root = table();
  if (Number(update.facts.version) < Number(root.dataset.version)) return "old";
  if (update.shape !== root.dataset.shape) return "whole";
  const changes = new Map(update.changes.map((change) => [change.part, change]));
  const here = places();
  /** @type {[HTMLElement, Change][]} */
  const wanted = [];
  for (const [name, hash] of Object.entries(update.parts)) {
    const place = here.get(name);
    if (!place) return "whole";
    if (place.dataset.v === hash) continue;
    const change = changes.get(name);
    const fits = change?.v === hash && (!change.from || change.from === place.dataset.v);
    if (!fits) return "gap";
    wanted.push([place, change]);
  }
  for (const [place, change] of wanted) showPart(place, change);
  Object.assign(root.dataset, update.facts);
  return "shown";
}

/**
 * @param {HTMLElement} place
 * @param {Change} change
 */
function showPart(place, { v, html, fields }) {
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
  place.dataset.v = v;
}
