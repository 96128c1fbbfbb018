// The note that says that taps wait, or that there is no connection to the table.

import { the, words } from "../page/dom.js";

export class Connection {
  isReached = true;

  /** @param {() => import("./queue.js").Queue} queue the taps that wait */
  constructor(queue) {
    this.queue = queue;
  }

  /** @param {boolean} isReached whether the server has answered */
  set(isReached) {
    if (isReached === this.isReached) return;
    this.isReached = isReached;
    this.show();
  }

  show() {
    const queue = this.queue();
    const count = queue.list().filter((item) => item.late).length;
    const parts = [];
    if (!this.isReached || count) parts.push(words(queue.hasRefused ? "stayOpen" : "offline"));
    if (count === 1) parts.push(words("waitingOne"));
    if (count > 1) parts.push(words("waiting", { count }));
    const note = the("#connection");
    note.textContent = parts.join(" ");
    note.hidden = !parts.length;
  }
}
