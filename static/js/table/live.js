// Live updates: a stream that carries what changes, and polling where there is none.

import { inTime } from "../page/net.js";

const ASLEEP_MS = 25000; // a stream that has been silent for so long is not trusted

const OPEN = 1;
const CLOSED = 2;

/**
 * @typedef {object} Hearing
 * @property {() => number} known the newest version that the page knows of
 * @property {(version: unknown, unsaved?: string) => void} heard the server has this version; what it says if it cannot save
 * @property {(values: any[]) => void} changed parts of the page have changed; see parts.js
 * @property {() => void} opened the stream has opened
 * @property {() => void} missed the server does not answer
 * @property {() => void} gone there is no such table any more, or not for this phone
 */

export class Live {
  /** @type {EventSource | null} */
  stream = null;

  /** The time of the stream's last message. */
  lastSign = 0;

  /**
   * @param {() => DOMStringMap} page the data-* attributes of the table that is shown
   * @param {Hearing} hearing
   */
  constructor(page, hearing) {
    this.page = page;
    this.hearing = hearing;
  }

  /** Reopens the stream. */
  listen() {
    this.leave();
    if (document.hidden || !globalThis.EventSource) return;
    const stream = new EventSource(this.page().live ?? "");
    // The version, and behind it what the server says if it cannot save.
    stream.addEventListener("message", (event) =>
      this.heard(.../** @type {[string]} */ (event.data.split("|"))),
    );
    stream.addEventListener("parts", (event) => {
      this.lastSign = Date.now();
      /** @type {string[]} */
      const lines = event.data.split("\n");
      this.hearing.changed(lines.map((line) => JSON.parse(line)));
    });
    stream.addEventListener("open", () => {
      this.lastSign = Date.now();
      this.hearing.opened();
    });
    stream.addEventListener("error", () => {
      this.lastSign = 0;
    });
    this.stream = stream;
  }

  leave() {
    this.stream?.close();
    this.stream = null;
  }

  /** Stops trusting the stream, because the phone may have slept. */
  wake() {
    this.lastSign = 0;
    this.listen();
    this.poll();
  }

  /** Asks for the version, unless the stream is alive. */
  async poll() {
    if (!document.hidden && !this.isTrusted) await this.ask();
  }

  /** Asks for the version. */
  async ask() {
    let isMute = false;
    try {
      const response = await fetch("version", inTime());
      const body = await response.json().catch(() => null);
      // A router may cut a stream without a word; then it says that it is open, and nothing else.
      isMute = this.isOpen && !this.isTrusted && body?.version > this.hearing.known();
      if (Number.isInteger(body?.version)) {
        this.heard(body.version);
        this.hearing.opened();
      } else if (response.status === 403 || response.status === 404) this.hearing.gone();
      else this.hearing.missed();
    } catch {
      this.hearing.missed();
    }
    if (isMute || this.stream?.readyState === CLOSED) this.listen();
  }

  /** Whether the stream is alive, and so brings the changes. */
  get isTrusted() {
    return this.isOpen && Date.now() - this.lastSign < ASLEEP_MS;
  }

  get isOpen() {
    return this.stream?.readyState === OPEN;
  }

  /**
   * @param {unknown} version
   * @param {string} [unsaved]
   */
  heard(version, unsaved) {
    this.lastSign = Date.now();
    this.hearing.heard(version, unsaved);
  }
}
