// How near the end is, and what the last turn completed: a note for each new fact, one after the other.

import { $$ } from "../page/dom.js";
import { toast } from "../page/toasts.js";

const NEWS_MS = 4000;

/** @type {string[]} */
let known = [];

export function showNews() {
  const facts = $$("[data-drawn=news] li").map((line) => line.textContent ?? "");
  const fresh = facts.filter((fact) => !known.includes(fact));
  known = facts;
  for (const [place, fact] of fresh.entries())
    setTimeout(() => known.includes(fact) && toast(fact), place * NEWS_MS);
}
