// The service worker: static files from the cache, an offline page, and never an old table.
// `APP` stands above: the shell's addresses, the languages, and a version made of all that.
/* global APP */

const CACHE = `companion-${APP.version}`;
const MOST_FILES = 80;

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(APP.shell)));
  self.skipWaiting();
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => names.filter((name) => name.startsWith("companion-") && name !== CACHE))
      .then((old) => Promise.all(old.map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const address = new URL(request.url);
  if (request.method !== "GET" || address.origin !== self.location.origin) return;
  if (request.mode === "navigate") {
    event.respondWith(fetch(request).catch(offline));
  } else if (address.pathname.startsWith("/static/") && address.searchParams.has("v")) {
    event.respondWith(kept(request));
  }
});

/** The offline page in the phone's language. */
async function offline() {
  const wanted = (navigator.languages ?? [navigator.language]).map((tag) => tag.slice(0, 2));
  const language = wanted.find((code) => APP.languages.includes(code)) ?? APP.languages[0];
  return (await caches.match(`/offline/${language}`)) ?? Response.error();
}

/**
 * A file whose address has its hash never goes stale. A phone without room, or that stores
 * nothing, fetches it each time.
 * @param {Request} request
 */
async function kept(request) {
  const cache = await caches.open(CACHE).catch(() => null);
  const known = await cache?.match(request);
  if (known) return known;
  const answer = await fetch(request);
  if (cache && answer.status === 200) await keep(cache, request, answer.clone()).catch(() => {});
  return answer;
}

/**
 * @param {Cache} cache
 * @param {Request} request
 * @param {Response} answer
 */
async function keep(cache, request, answer) {
  await cache.put(request, answer);
  const files = await cache.keys();
  const extra = files.slice(APP.shell.length, Math.max(APP.shell.length, files.length - MOST_FILES));
  await Promise.all(extra.map((file) => cache.delete(file)));
}
