// Which version of the table is known, which one is shown, and when to fetch the table anew.

export class Redraw {
  /** The newest version that this page has heard of. */
  known = 0;

  /** Whether the table is being fetched. Changes meanwhile are fetched after it. */
  isFetching = false;

  /**
   * @param {() => number} shown the version that the page shows
   * @param {() => void} fetch fetches the table and draws it
   */
  constructor(shown, fetch) {
    this.shown = shown;
    this.fetch = fetch;
  }

  get isBehind() {
    return this.shown() < this.known;
  }

  refresh() {
    if (!this.isFetching) this.fetch();
  }

  /** @param {unknown} version one that the page should show */
  want(version) {
    this.known = Math.max(this.known, Number(version) || 0);
    if (this.isBehind) this.refresh();
  }

  /** Fetches what is still missing, once the present event has been dealt with. */
  catchUp() {
    if (this.isBehind) setTimeout(() => this.refresh());
  }

  /** @param {boolean} successful */
  fetched(successful) {
    this.isFetching = false;
    if (successful) this.catchUp();
  }

  /**
   * Whether an answer may be drawn. Answers may overtake each other.
   * @param {number} version of the answer
   * @param {boolean} isAsked whether the element that asked is still on the page
   */
  admits(version, isAsked) {
    if (isAsked && version >= this.shown()) return true;
    this.known = Math.max(this.known, version);
    if (!this.isFetching) this.catchUp();
    return false;
  }
}
