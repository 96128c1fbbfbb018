// The queue of taps: kept on this device until the server says that they are saved; on a device that stores nothing,
// until the page is closed.

import { inTime, newId } from "../page/net.js";
import { store, stored } from "../page/store.js";

const RETRY_MS = [500, 1000, 2000, 4000];

/**
 * @typedef {{ by?: string, [name: string]: unknown }} Action an entry of the game's record
 * @typedef {{ id: string, moment?: string, action?: Action, first?: Action, replaces?: string, final?: string, anew?: string, undo?: string,
 *   on?: boolean, alone?: boolean, dice?: Record<string, unknown> }} Tap what is sent; `moment` is what the person saw
 * @typedef {{ picker: string, picks: import("./picks.js").Picks }} Picked
 *   a picker's id, and the picks to go on with if the tap is refused
 * @typedef {{ tap: Tap, what: string, from: Picked | null, late?: boolean }} Item
 *   `what` is the tap in words, empty for one that the page made; `late` says that it had to wait for the network
 * @typedef {{ code: string, message: string, fields?: string[], entry?: string }} Refusal
 *   `fields` are those of the sheet that are in the way; the tap may still come before `entry`
 */

/**
 * The page, as far as the queue informs it of taps.
 * @typedef {object} Listener
 * @property {() => void} changed another tap waits, or no longer waits
 * @property {() => void} unstored a closed page would lose the taps that wait; said once
 * @property {(version: number, id: string, moment: string) => void} saved
 *   the table's version and moment with a tap that has been saved
 * @property {(item: Item, refusal: Refusal, late: boolean) => void} refused
 */

/**
 * @param {Tap} tap
 * @param {Tap} other
 */
const isSame = (tap, other) =>
  JSON.stringify({ ...tap, id: 0 }) === JSON.stringify({ ...other, id: 0 });

export class Queue {
  isSending = false;

  /** Whether this device has ever refused to store taps. */
  hasRefused = false;

  /** Whether a closed page would lose taps. */
  isAtRisk = false;

  /**
   * The tap that was saved last, which the page might not show yet.
   * @type {{ tap: Tap, version: number } | null}
   */
  saved = null;

  /**
   * @param {() => DOMStringMap} page the data-* attributes of the table that is shown
   * @param {Listener} listener
   */
  constructor(page, listener) {
    this.page = page;
    this.listener = listener;
  }

  get key() {
    return `taps:${this.page().table}`;
  }

  /** @returns {Item[]} */
  list() {
    return stored(this.key, []);
  }

  /** @param {Item[]} list */
  save(list) {
    const isStored = store(this.key, list);
    this.isAtRisk = !isStored && list.length > 0;
    if (this.isAtRisk && !this.hasRefused) this.listener.unstored();
    this.hasRefused ||= this.isAtRisk;
    this.listener.changed();
  }

  /**
   * Adds a tap and sends it as soon as possible.
   * @param {Omit<Tap, "id">} asked
   * @param {string} what the tap in words
   * @param {Picked | null} from
   * @returns {string} the id of the tap, or of the one that it repeats
   */
  add(asked, what, from = null) {
    const tap = { id: newId(), moment: this.page().moment, ...asked };
    // Two taps on one target before the first one is answered and drawn are one tap.
    const list = this.list();
    const last = list.at(-1);
    if (last && isSame(last.tap, tap)) return last.tap.id;
    if (!last && this.saved && this.isAhead) {
      const before = this.saved.tap;
      if (isSame(before, { ...tap, moment: before.moment })) return before.id;
    }
    // Waiting dice are replaced by those that come after them.
    const left = list.filter((item, at) => !item.tap.dice || (this.isSending && at === 0));
    this.save([...left, { tap, what, from }]);
    this.send();
    return tap.id;
  }

  /** Whether the page still lacks what was saved last. */
  get isAhead() {
    return this.saved !== null && Number(this.page().version) < this.saved.version;
  }

  /**
   * Whether a tap waits to be saved, or to be shown.
   * @param {string | undefined} id
   */
  isWaiting(id) {
    return this.isAhead || this.list().some(({ tap }) => tap.id === id);
  }

  /** Sends the first tap, then the next one, until all are answered. */
  async send(attempt = 0) {
    if (this.isSending) return;
    const list = this.list();
    const [item] = list;
    if (!item) return;
    this.isSending = true;
    const late = attempt > 0 || list.some((waiting) => waiting.late);
    const answer = await this.post(item.tap);
    this.isSending = false;
    if (!answer) {
      this.save(this.list().map((waiting) => ({ ...waiting, late: true })));
      const pause = RETRY_MS[Math.min(attempt, RETRY_MS.length - 1)];
      setTimeout(() => this.send(attempt + 1), pause);
      return;
    }
    if (answer.refused) this.refuse(item, answer.refused, late);
    else this.accept(item, answer);
    if (this.list().length) this.send();
  }

  /**
   * The table's answer, or null: then the tap stays, and is sent again.
   * @param {Tap} tap
   * @returns {Promise<{ version: number, moment: string, refused?: Refusal } | null>}
   */
  async post(tap) {
    try {
      const response = await fetch("taps", {
        ...inTime(),
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(tap),
      });
      const body = await response.json();
      // Only the table's own answer counts: a hotel's log-in page sends 200 as well.
      if (response.ok) return Number.isInteger(body?.version) ? body : null;
      return response.status < 500 && body?.refused ? body : null;
    } catch {
      return null;
    }
  }

  /**
   * @param {Item} item
   * @param {{ version: number, moment: string }} answer
   */
  accept({ tap }, { version, moment }) {
    this.saved = { tap, version };
    // The taps after it were meant for the table as this tap has made it.
    const rest = this.without(tap).map((waiting) =>
      waiting.tap.moment === tap.moment ? { ...waiting, tap: { ...waiting.tap, moment } } : waiting,
    );
    this.save(rest);
    const page = this.page();
    if (page.moment === tap.moment) page.moment = moment;
    this.listener.saved(version, tap.id, moment);
  }

  /**
   * @param {Item} item
   * @param {Refusal} refusal
   * @param {boolean} late
   */
  refuse(item, refusal, late) {
    this.save(this.without(item.tap));
    this.listener.refused(item, refusal, late);
  }

  /** @param {Tap} tap */
  without(tap) {
    return this.list().filter((waiting) => waiting.tap.id !== tap.id);
  }
}
