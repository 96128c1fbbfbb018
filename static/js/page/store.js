// The memory of this device and of this tab. Where the browser forbids storage or has no room left, it lasts
// as long as the page.

class Memory {
  /** What could not be stored, as JSON. @type {Map<string, string>} */
  unstored = new Map();

  /** @param {() => Storage} area which a browser may refuse to name */
  constructor(area) {
    this.area = area;
  }

  /**
   * @template T
   * @param {string} key
   * @param {T} fallback
   * @returns {T}
   */
  read(key, fallback) {
    try {
      return JSON.parse(this.unstored.get(key) ?? this.area().getItem(key) ?? "null") ?? fallback;
    } catch {
      return fallback;
    }
  }

  /**
   * @param {string} key
   * @param {unknown} value
   * @returns whether it is stored
   */
  write(key, value) {
    const text = JSON.stringify(value);
    try {
      this.area().setItem(key, text);
      this.unstored.delete(key);
    } catch {
      this.unstored.set(key, text);
    }
    return !this.unstored.has(key);
  }
}

const device = new Memory(() => localStorage);
const tab = new Memory(() => sessionStorage);

/**
 * A value that this device remembers.
 * @template T
 * @param {string} key
 * @param {T} fallback
 */
export const stored = (key, fallback) => device.read(key, fallback);

/**
 * @param {string} key
 * @param {unknown} value
 */
export const store = (key, value) => device.write(key, value);

/**
 * A value that this tab remembers; a reload does not forget it, closing the tab does.
 * @template T
 * @param {string} key
 * @param {T} fallback
 */
export const kept = (key, fallback) => tab.read(key, fallback);

/**
 * @param {string} key
 * @param {unknown} value
 */
export const keep = (key, value) => tab.write(key, value);
