// Taps that could not be saved: shown until somebody confirms, even after a reload.

import { table, words } from "../page/dom.js";
import { store, stored } from "../page/store.js";
import { toast } from "../page/toasts.js";

const key = () => `conflicts:${table().dataset.table}`;

/** @type {HTMLElement | undefined} */
let note;

/** @returns {string[]} */
const lines = () => stored(key(), []);

/** @param {string} line what was tapped, and why it was refused */
export function addConflict(line) {
  store(key(), [...lines(), line]);
  showConflicts();
}

export function showConflicts() {
  note?.remove();
  if (!lines().length) return;
  note = toast(words("conflict"), {
    bad: true,
    lines: lines(),
    understood: () => store(key(), []),
  });
}
