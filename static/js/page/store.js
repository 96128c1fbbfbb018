// The memory of this device and of this tab. A private window may forbid it; then nothing is kept.

/**
 * @template T
 * @param {() => Storage} area
 * @param {string} key
 * @param {T} fallback
 * @returns {T}
 */
function read(area, key, fallback) {
  try {
    return JSON.parse(area().getItem(key) ?? "null") ?? fallback;
  } catch {
    return fallback;
  }
}

/**
 * @param {() => Storage} area
 * @param {string} key
 * @param {unknown} value
 */
function write(area, key, value) {
  try {
    area().setItem(key, JSON.stringify(value));
  } catch {
    // A private window, or no room left.
  }
}

/**
 * A value that this device remembers.
 * @template T
 * @param {string} key
 * @param {T} fallback
 */
export const stored = (key, fallback) => read(() => localStorage, key, fallback);

/**
 * @param {string} key
 * @param {unknown} value
 */
export const store = (key, value) => write(() => localStorage, key, value);

/**
 * A value that this tab remembers; a reload does not forget it, closing the tab does.
 * @template T
 * @param {string} key
 * @param {T} fallback
 */
export const kept = (key, fallback) => read(() => sessionStorage, key, fallback);

/**
 * @param {string} key
 * @param {unknown} value
 */
export const keep = (key, value) => write(() => sessionStorage, key, value);
