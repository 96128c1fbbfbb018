// The note that says that taps wait, that there is no connection to the table, or that it cannot save.

import { the, words } from "../page/dom.js";

export class Connection {
  /** @type {boolean | string} */
  isReached = true;

  /** @param {() => import("./queue.js").Queue} queue the taps that wait */
  constructor(queue) {
    this.queue = queue;
  }

  /** @param {boolean | string} isReached whether the server has answered, or what it says if it cannot save */
  set(isReached) {
    if (isReached === this.isReached) return;
    this.isReached = isReached;
    this.show();
  }

  show() {
    const queue = this.queue();
    const count = queue.list().filter((item) => item.late).length;
    const parts = [];
    if (typeof this.isReached === "string") parts.push(this.isReached);
    else if (!this.isReached || count) parts.push(words(queue.hasRefused ? "stayOpen" : "offline"));
    if (count === 1) parts.push(words("waitingOne"));
    if (count > 1) parts.push(words("waiting", { count }));
    const note = the("#connection");
    note.textContent = parts.join(" ");
    note.hidden = !parts.length;
  }
}
