// Dice that the app has rolled tumble, on every phone.
//   data-rolled   at the table: the number of the app's last roll, where it rolls
//   .tumbling     the page, for as long; how, and whether there is motion at all, is in the style sheet

import { table } from "../page/dom.js";

const TUMBLING_MS = 600;

/** @type {string | undefined} the last roll that was shown; undefined on a new page */
let shown;

export function showRoll() {
  const { rolled } = table().dataset;
  const isNew = shown !== undefined && rolled !== undefined && rolled !== shown;
  shown = rolled ?? "0";
  if (!isNew) return;
  document.body.classList.add("tumbling");
  setTimeout(() => document.body.classList.remove("tumbling"), TUMBLING_MS);
}
