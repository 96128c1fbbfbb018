// Requests with a time limit, and unique ids.

const TIMEOUT_MS = 10000;

/** Options for `fetch`: no answer in time counts as no answer. */
export const inTime = () =>
  // Not every browser has such a signal.
  "AbortSignal" in globalThis && "timeout" in AbortSignal
    ? { signal: AbortSignal.timeout(TIMEOUT_MS) }
    : {};

/** A random id. A plain http address has no `crypto.randomUUID`. */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
