// A button that swaps two pickers, such as the one for a second roll of the same dice.
//   data-swap      the ids of the picker that is shown and of the one that takes its place
//   data-anew      the entry whose call is made anew meanwhile, which is said to the others
//   data-swap-lost what is said when the second one is gone before it was used
// The swap holds for the moment in which it was made, also after a redraw or a reload, and for the one that this
// phone's earlier taps make of it.

import { $, table } from "../page/dom.js";
import { keep, kept } from "../page/store.js";
import { toast } from "../page/toasts.js";
import { guard } from "./guard.js";

/**
 * @typedef {{ moment: string | undefined, first: string, second: string, lost: string, after?: string }} Made
 *   `after` is the tap that says so to the others
 */

export class Swap {
  /** @type {Made | null} the swap that holds now */
  made = null;

  /** @type {Made | null} the swap that was lost, until that is understood */
  lost = null;

  /** @type {HTMLElement | undefined} what says so */
  note;

  /**
   * @param {import("./pickers.js").Pickers} pickers
   * @param {import("./queue.js").Queue["add"]} send
   * @param {import("./queue.js").Queue["isWaiting"]} isWaiting
   */
  constructor(pickers, send, isWaiting) {
    this.pickers = pickers;
    this.send = send;
    this.isWaiting = isWaiting;
  }

  get key() {
    return `swap:${table().dataset.table}`;
  }

  /** Takes up the swap that was made before this tab was reloaded. */
  restore() {
    this.made = kept(this.key, /** @type {Made | null} */ (null));
  }

  /** @param {Made | null} made */
  change(made) {
    this.made = made;
    keep(this.key, made);
  }

  /** @param {HTMLElement} button */
  tap(button) {
    guard(button);
    const { anew } = button.dataset;
    const on = button.getAttribute("aria-pressed") === "false";
    const what = button.textContent?.trim() ?? "";
    this.swap(button, anew && this.send({ anew, on, moment: undefined }, what));
  }

  /** Notifies the others that the caller is still tapping, which they cannot see otherwise. */
  keepOpen() {
    const entry = $(".final")?.dataset.final;
    if (entry) this.send({ anew: entry, on: this.made !== null, moment: undefined }, "");
  }

  /**
   * @param {string} id of a tap that has been saved
   * @param {string} moment that it has made
   */
  follow(id, moment) {
    if (this.made?.after === id) this.change({ ...this.made, moment });
  }

  /**
   * @param {HTMLElement} button
   * @param {string | undefined} after
   */
  swap(button, after) {
    const { swap = "", swapLost: lost = "" } = button.dataset;
    const [first = "", second = ""] = swap.split(" ");
    const isSecond = button.getAttribute("aria-pressed") === "false";
    for (const [id, isShown] of /** @type {const} */ ([
      [first, !isSecond],
      [second, isSecond],
    ])) {
      const picker = document.getElementById(id);
      if (picker) picker.hidden = !isShown;
    }
    button.setAttribute("aria-pressed", String(isSecond));
    this.mark(isSecond);
    const { moment } = table().dataset;
    this.change(isSecond ? { moment, first, second, lost, after } : null);
    this.pickers.show();
  }

  /**
   * Shows at the call that it does not hold any more.
   * @param {boolean} isAnew
   */
  mark(isAnew) {
    $(".play .call")?.classList.toggle("anew", isAnew);
  }

  show() {
    const { moment } = table().dataset;
    const button = $("[data-swap]");
    const holds = this.made?.moment === moment || this.isWaiting(this.made?.after);
    const made = holds ? this.made : null;
    if (made && button) {
      if (button.getAttribute("aria-pressed") === "false") this.swap(button, made.after);
    } else if (made) {
      this.lose(made);
    }
    this.mark(Boolean(made && button));
    // The first picker takes the second one's place: no tap meant for that one may change it.
    const lost = this.lost;
    const first = lost && document.getElementById(lost.first);
    if (first) first.inert = lost.moment === moment;
    if (lost && lost.moment !== moment) this.note?.remove();
  }

  /** @param {Made} made */
  lose(made) {
    this.lost = made;
    this.change(null);
    this.pickers.forget(made.second);
    const understood = () => {
      const first = document.getElementById(made.first);
      if (first) first.inert = false;
      this.lost = null;
    };
    this.note = toast(made.lost, { bad: true, understood });
  }
}
