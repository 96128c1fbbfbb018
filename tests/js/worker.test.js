// The service worker: no page and no stream from the cache, static files with a hash at once.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import vm from "node:vm";

const SOURCE = readFileSync(new URL("../../static/worker.js", import.meta.url), "utf-8");
const APP = { shell: ["/offline/en", "/offline/de"], languages: ["en", "de"], version: "2" };
const AT = "https://table.test";

/** A worker with caches in memory, one method of which is refused, and a network that answers as a test says. */
function start(network, languages = ["de-DE"], refused = "") {
  const listeners = {};
  const stores = new Map([
    ["companion-1", new Map()],
    ["another", new Map()],
  ]);
  const path = (request) => (request.url ?? request).replace(AT, "");
  const refuse = (method) => {
    if (method === refused) throw new DOMException("no room", "QuotaExceededError");
  };
  const open = async (name) => {
    refuse("open");
    if (!stores.has(name)) stores.set(name, new Map());
    const store = stores.get(name);
    return {
      addAll: async (addresses) =>
        addresses.map((address) => store.set(address, `kept ${address}`)),
      match: async (request) => store.get(path(request)),
      put: async (request, answer) => {
        refuse("put");
        store.set(path(request), answer.body);
      },
      keys: async () => [...store.keys()],
      delete: async (key) => store.delete(key),
    };
  };
  const caches = {
    open,
    keys: async () => [...stores.keys()],
    delete: async (name) => stores.delete(name),
    match: async (address) => [...stores.values()].map((store) => store.get(address)).find(Boolean),
  };
  const self = {
    location: { origin: AT },
    addEventListener: (kind, listener) => {
      listeners[kind] = listener;
    },
    skipWaiting() {},
    clients: { claim: async () => {} },
  };
  vm.runInNewContext(SOURCE, {
    APP,
    self,
    caches,
    navigator: { languages },
    fetch: network,
    URL,
    Response,
  });
  const send = (kind) =>
    new Promise((done) => listeners[kind]({ waitUntil: (work) => work.then(done) }));
  const ask = async (address, { mode = "cors", method = "GET" } = {}) => {
    let answer = "left to the browser";
    listeners.fetch({
      request: { url: AT + address, mode, method },
      respondWith: (work) => {
        answer = work;
      },
    });
    return answer;
  };
  return { stores, send, ask };
}

const answer = (body) => ({ status: 200, body, clone: () => ({ body }) });
const silent = async () => {
  throw new TypeError("no network");
};

test("it keeps the shell, and forgets that of the version before", async () => {
  const { stores, send } = start(silent);
  await send("install");
  await send("activate");
  assert.deepEqual([...stores.keys()], ["another", "companion-2"]);
  assert.deepEqual([...stores.get("companion-2").keys()], APP.shell);
});

test("a page comes from the server, or else it is the offline page in the phone's language", async () => {
  const online = start(async () => answer("the table"));
  await online.send("install");
  assert.equal((await online.ask("/t/abc/", { mode: "navigate" })).body, "the table");
  assert.deepEqual([...online.stores.get("companion-2").keys()], APP.shell, "no page is kept");
  const offline = start(silent);
  await offline.send("install");
  assert.equal(await offline.ask("/t/abc/", { mode: "navigate" }), "kept /offline/de");
  const other = start(silent, ["fr-FR"]);
  await other.send("install");
  assert.equal(await other.ask("/", { mode: "navigate" }), "kept /offline/en");
});

test("streams, versions, parts and taps are left to the browser", async () => {
  const { ask } = start(silent);
  for (const address of ["/live/ticket", "/t/abc/version", "/t/abc/", "/static/icon.svg"]) {
    assert.equal(await ask(address), "left to the browser", address);
  }
  assert.equal(await ask("/t/abc/taps", { method: "POST" }), "left to the browser");
});

test("a static file with its hash is fetched once", async () => {
  const asked = [];
  const { ask } = start(async ({ url }) => {
    asked.push(url.replace(AT, ""));
    return answer("rules");
  });
  assert.equal((await ask("/static/app.css?v=1")).body, "rules");
  assert.equal(await ask("/static/app.css?v=1"), "rules");
  assert.deepEqual(asked, ["/static/app.css?v=1"]);
});

test("a phone that stores nothing fetches its static files", async () => {
  for (const method of ["open", "put"]) {
    const { ask } = start(async () => answer("rules"), ["de-DE"], method);
    assert.equal((await ask("/static/app.css?v=1")).body, "rules", method);
  }
});
