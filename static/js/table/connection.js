// The note that says that taps wait, that there is no connection to the table, or that it cannot save.

import { the, words } from "../page/dom.js";

export class Connection {
  isReached = true;

  saves = true;

  /** @param {() => import("./queue.js").Queue} queue the taps that wait */
  constructor(queue) {
    this.queue = queue;
  }

  /**
   * @param {boolean} isReached whether the server has answered
   * @param {boolean} saves whether it can save changes; without it, as it was
   */
  set(isReached, saves = this.saves) {
    if (isReached === this.isReached && saves === this.saves) return;
    Object.assign(this, { isReached, saves });
    this.show();
  }

  show() {
    const queue = this.queue();
    const count = queue.list().filter((item) => item.late).length;
    const parts = [];
    if (this.isReached && !this.saves) parts.push(words("unsaved"));
    else if (!this.isReached || count) parts.push(words(queue.hasRefused ? "stayOpen" : "offline"));
    if (count === 1) parts.push(words("waitingOne"));
    if (count > 1) parts.push(words("waiting", { count }));
    const note = the("#connection");
    note.textContent = parts.join(" ");
    note.hidden = !parts.length;
  }
}
