// The screen stays awake while a game is running, where the browser allows it.

import { $, table, words } from "./dom.js";
import { store, stored } from "./store.js";
import { toast } from "./toasts.js";

/** @type {WakeLockSentinel | null} */
let lock = null;

export async function stayAwake() {
  if (table().dataset.phase !== "playing" || document.hidden || lock) return;
  try {
    lock = await navigator.wakeLock.request("screen");
    lock.addEventListener("release", () => {
      lock = null;
    });
  } catch {
    // The menu says it, too, so a note once on this device is enough.
    if (!stored("awake-told", false)) toast(words("awake"));
    store("awake-told", true);
  }
}

/** Says in the menu that the screen may go dark. */
export function showAwake() {
  const note = $("[data-awake]");
  if (note) note.hidden = Boolean(lock);
}
