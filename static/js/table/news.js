// How near the end of the game is, and what the last turn completed: a note for each fact that was not there
// before, one after the other, the newest first.

import { $$ } from "../page/dom.js";
import { toast } from "../page/toasts.js";

const NEWS_MS = 4000;

/** @type {string[]} */
let known = [];
/** @type {string[]} */
let untold = [];
let isTelling = false;

/** Tells what has become known since the page was drawn before. */
export function showNews() {
  const facts = $$("[data-drawn=news] li").map((line) => line.textContent ?? "");
  const fresh = facts.filter((fact) => !known.includes(fact));
  untold = [...fresh, ...untold].filter((fact) => facts.includes(fact));
  known = facts;
  if (!isTelling) tell();
}

function tell() {
  const fact = untold.shift();
  isTelling = fact !== undefined;
  if (fact === undefined) return;
  toast(fact);
  setTimeout(tell, NEWS_MS);
}
