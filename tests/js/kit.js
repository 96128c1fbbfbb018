// A page without a browser: the parts that modules use, with answers and timers that a test controls.

import { webcrypto } from "node:crypto";
import { parseHTML } from "linkedom";

// Node.js 18 has none of its own.
globalThis.crypto ??= webcrypto;
globalThis.addEventListener ??= () => {};
globalThis.requestAnimationFrame ??= (run) => run();

/** A browser's storage for a site, in memory. */
class Memory {
  #items = new Map();

  getItem(key) {
    return this.#items.get(key) ?? null;
  }

  setItem(key, text) {
    this.#items.set(key, text);
  }
}

const WORDS = { conflict: "Not saved:", understood: "Understood", offline: "Offline." };

/**
 * Shows a new page, in place of the last one, on a device that remembers nothing.
 * @param {string} content of the table
 * @param {Record<string, string>} data what the server knows about the table
 * @param {string} rest of the page
 */
export function showPage(content = "", data = {}, rest = "") {
  const { document } = parseHTML(`<!doctype html><html><body>
    <div id="table">${content}</div>
    <div id="connection" hidden></div><div id="toasts"></div>
    <template id="words"></template>${rest}</body></html>`);
  Object.assign(document.querySelector("#table").dataset, { table: "t1", moment: "m1", ...data });
  Object.assign(document.querySelector("#words").dataset, WORDS);
  Object.assign(globalThis, {
    document,
    MouseEvent: document.defaultView.Event,
    location: { href: "http://table.test/t/t1/" },
    localStorage: new Memory(),
    sessionStorage: new Memory(),
  });
  return document;
}

/** Puts a finger on the first element that matches, or a part of it: `pointerdown`; returns the event. */
export function tap(selector, type = "click", at = performance.now()) {
  const element = document.querySelector(selector);
  if (!element) throw new Error(`there is no ${selector}`);
  const event = new document.defaultView.Event(type, { bubbles: true, cancelable: true });
  // A finger's click has a detail, a key's has none.
  element.dispatchEvent(Object.assign(event, { timeStamp: at, detail: type === "click" ? 1 : 0 }));
  return event;
}

export const texts = (selector) =>
  [...document.querySelectorAll(selector)].map((element) => element.textContent);

/**
 * The server: answers requests with what a test hands in, and notes what was asked. An answer is
 * `[status, body]`, or null if the network fails. A request without one stays open.
 */
export function serve(...answers) {
  const asked = [];
  globalThis.fetch = async (address, { body } = {}) => {
    asked.push(body === undefined ? String(address) : JSON.parse(body));
    if (!answers.length) return new Promise(() => {});
    const answer = answers.shift();
    if (!answer) throw new TypeError("no network");
    const [status, content] = answer;
    return {
      status,
      ok: status < 400,
      json: async () => {
        if (content === undefined) throw new SyntaxError("no JSON");
        return content;
      },
    };
  };
  return asked;
}

/** Replaces the clock: timers run when a test says so. */
export function holdTimers(context) {
  const timers = [];
  const held = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };
  globalThis.setTimeout = (run, pause = 0) => timers.push({ run, pause });
  globalThis.clearTimeout = (number) => {
    if (number) timers[number - 1] = null;
  };
  context.after(() => Object.assign(globalThis, held));
  return {
    get pauses() {
      return timers.filter(Boolean).map(({ pause }) => pause);
    },
    run() {
      for (const timer of timers.splice(0)) timer?.run();
    },
  };
}

/** Runs everything that waits for no timer and no answer. */
export const settled = () => new Promise((done) => setImmediate(done));
