// The note that says that taps wait, or that there is no connection to the table.

import { the, words } from "../page/dom.js";

export class Connection {
  isReached = true;

  /** @param {() => import("./queue.js").Item[]} queued the taps that wait */
  constructor(queued) {
    this.queued = queued;
  }

  /** @param {boolean} isReached whether the server has answered */
  set(isReached) {
    if (isReached === this.isReached) return;
    this.isReached = isReached;
    this.show();
  }

  show() {
    const count = this.queued().filter((item) => item.late).length;
    const parts = [];
    if (!this.isReached || count) parts.push(words("offline"));
    if (count === 1) parts.push(words("waitingOne"));
    if (count > 1) parts.push(words("waiting", { count }));
    const note = the("#connection");
    note.textContent = parts.join(" ");
    note.hidden = !parts.length;
  }
}
