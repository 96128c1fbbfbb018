// The known version of the table, the shown one, and when to refetch the table.

import { showUpdate, updateOf } from "./parts.js";

const GRACE_MS = 400; // for the stream to bring what a tap of this phone has changed
const RETRY_MS = 1000; // before the first repetition of a failed fetch; the next one waits twice as long
const LONGEST_RETRY_MS = 8000;

/**
 * The page, as far as redrawing needs it.
 * @typedef {object} Drawn
 * @property {() => number} shown the version that the page shows
 * @property {() => void} fetch fetches the table and draws it
 * @property {() => void} before parts of the page are about to change
 * @property {() => void} after parts of the page have changed
 */

export class Redraw {
  /** The newest version that this page knows of. */
  known = 0;

  /** Whether the table is being fetched. Changes meanwhile are fetched after it. */
  isFetching = false;

  /** The pause before a failed fetch is repeated. */
  retryPause = RETRY_MS;

  /** @param {Drawn} page */
  constructor(page) {
    this.page = page;
  }

  get isBehind() {
    return this.page.shown() < this.known;
  }

  /** Fetches the table. */
  refresh() {
    if (!this.isFetching) this.page.fetch();
  }

  /** @param {unknown} version one that the page should show */
  want(version) {
    this.known = Math.max(this.known, Number(version) || 0);
    if (this.isBehind) this.refresh();
  }

  /**
   * Waits for a version that the stream brings, but not for long.
   * @param {number} version
   */
  expect(version) {
    this.known = Math.max(this.known, version);
    this.catchUp(GRACE_MS);
  }

  /**
   * Shows what the stream has brought.
   * @param {any[]} values
   */
  push(values) {
    const update = updateOf(values);
    this.known = Math.max(this.known, Number(update.facts.version));
    this.page.before();
    const outcome = showUpdate(update);
    if (outcome === "shown") this.page.after();
    if (outcome === "gap") this.refresh();
  }

  /** Fetches what is still missing, once the present event has been dealt with. */
  catchUp(pause = 0) {
    if (this.isBehind) setTimeout(() => this.isBehind && this.refresh(), pause);
  }

  /**
   * Repeats a failed fetch later: a quiet stream says nothing for 20 seconds. A hidden tab
   * fetches nothing until it is visible again.
   */
  retry() {
    if (document.hidden) return;
    this.catchUp(this.retryPause);
    this.retryPause = Math.min(2 * this.retryPause, LONGEST_RETRY_MS);
  }

  /**
   * The table has been fetched.
   * @param {boolean} successful
   */
  fetched(successful) {
    this.isFetching = false;
    if (successful) {
      this.retryPause = RETRY_MS;
      this.catchUp();
    } else this.retry();
  }

  /**
   * Whether an answer may be drawn. Answers may overtake each other.
   * @param {number} version of the answer
   * @param {boolean} isAsked whether the element that asked is still on the page
   */
  admits(version, isAsked) {
    if (isAsked && version >= this.page.shown()) return true;
    this.known = Math.max(this.known, version);
    if (!this.isFetching) this.catchUp();
    return false;
  }
}
