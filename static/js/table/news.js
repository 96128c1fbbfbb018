// How near the end is, and what the last turn completed: a note for each new fact, one after the other. A
// note disappears when its fact is out of date.

import { $$ } from "../page/dom.js";
import { toast } from "../page/toasts.js";

const NEWS_MS = 4000;

/** @type {string[]} */
let known = [];

/** @type {Map<string, HTMLElement>} fact → its note */
const notes = new Map();

export function showNews() {
  const facts = $$("[data-drawn=news] li").map((line) => line.textContent ?? "");
  const fresh = facts.filter((fact) => !known.includes(fact));
  known = facts;
  for (const [fact, note] of notes) {
    if (known.includes(fact)) continue;
    note.remove();
    notes.delete(fact);
  }
  for (const [place, fact] of fresh.entries())
    setTimeout(() => known.includes(fact) && notes.set(fact, toast(fact)), place * NEWS_MS);
}
