// The stream is trusted while it speaks; polling finds what it does not say.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Live } from "../../../static/js/table/live.js";
import { serve, settled, showPage } from "../kit.js";

let streams;
let events;
let known;
let live;

class Stream extends EventTarget {
  readyState = 0;

  constructor(address) {
    super();
    this.address = address;
    streams.push(this);
  }

  open() {
    this.readyState = 1;
    this.dispatchEvent(new Event("open"));
  }

  fail(readyState) {
    this.readyState = readyState;
    this.dispatchEvent(new Event("error"));
  }

  close() {
    this.readyState = 2;
  }
}

beforeEach(() => {
  const page = showPage("", { live: "/live/secret" });
  globalThis.EventSource = Stream;
  streams = [];
  events = [];
  known = 1;
  live = new Live(() => page.querySelector("#table").dataset, {
    known: () => known,
    heard: (version) => events.push(`heard ${version}`),
    opened: () => events.push("opened"),
    missed: () => events.push("missed"),
    gone: () => events.push("gone"),
  });
});

const hide = (hidden) =>
  Object.defineProperty(document, "hidden", { value: hidden, configurable: true });

test("nobody polls while the stream speaks", async () => {
  const asked = serve();
  live.listen();
  streams[0].open();
  await live.poll();
  assert.equal(asked.length, 0);
});

test("without a stream the version is asked for", async () => {
  const asked = serve([200, { version: 4 }]);
  delete globalThis.EventSource;
  live.listen();
  await live.poll();
  assert.deepEqual(asked, ["version"]);
  assert.deepEqual(events, ["heard 4", "opened"]);
});

test("a stream that was silent for long is not trusted, and is reopened if it missed something", async () => {
  live.listen();
  streams[0].open();
  live.lastSign -= 26_000;
  serve([200, { version: 1 }]);
  await live.poll();
  assert.equal(streams.length, 1);
  live.lastSign -= 26_000;
  serve([200, { version: 9 }]);
  await live.poll();
  assert.equal(streams.length, 2);
  assert.equal(streams[0].readyState, 2);
});

test("a stream that has failed for good is reopened; one that tries again is left alone", async () => {
  live.listen();
  streams[0].open();
  streams[0].fail(0);
  serve([200, { version: 1 }]);
  await live.poll();
  assert.equal(streams.length, 1);
  streams[0].fail(2);
  serve([200, { version: 1 }]);
  await live.poll();
  assert.equal(streams.length, 2);
});

for (const [what, answer, event] of [
  ["no network", null, "missed"],
  ["a hotel's log-in page", [200, undefined], "missed"],
  ["a table that is gone", [404, {}], "gone"],
  ["a phone that was sent away", [403, {}], "gone"],
  ["a server that fails", [500, undefined], "missed"],
]) {
  test(what, async () => {
    serve(answer);
    await live.poll();
    assert.deepEqual(events, [event]);
  });
}

test("a hidden tab keeps no connection, and asks for nothing", async () => {
  const asked = serve();
  live.listen();
  hide(true);
  live.leave();
  await live.poll();
  live.listen();
  assert.equal(streams.length, 1);
  assert.equal(streams[0].readyState, 2);
  assert.equal(asked.length, 0);
});

test("a phone that wakes up trusts nothing that it received before", async () => {
  live.listen();
  streams[0].open();
  serve([200, { version: 5 }]);
  live.wake();
  await settled();
  assert.equal(streams.length, 2);
  assert.deepEqual(events, ["opened", "heard 5", "opened"]);
});
