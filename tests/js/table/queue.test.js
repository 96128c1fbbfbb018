// The queue loses no tap, sends none twice, and distinguishes a refusal from a network that does not answer.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Queue } from "../../../static/js/table/queue.js";
import { holdTimers, serve, settled, showPage } from "../kit.js";

const SAVED = [200, { version: 2, moment: "m2" }];
const REFUSED = [409, { refused: { code: "stale", message: "Too late" } }];
const FIVE = { action: { do: "a", by: "Ada", field: 5 } };
const SIX = { action: { do: "a", by: "Ada", field: 6 } };

let page;
let events;

beforeEach(() => {
  page = showPage("", { version: "1" }).querySelector("#table").dataset;
  events = [];
});

const made = () =>
  new Queue(() => page, {
    changed: () => {},
    unstored: () => events.push(["unstored"]),
    saved: (version) => events.push(["saved", version]),
    refused: (item, { message }, late) => events.push(["refused", item.what, message, late]),
  });

const fields = (taps) => taps.map(({ action }) => action.field);

test("a tap is sent with the moment that was seen, and kept until it is saved", async () => {
  const asked = serve();
  const queue = made();
  queue.add(FIVE, "five");
  await settled();
  assert.deepEqual(queue.list()[0].tap, asked[0]);
  assert.equal(asked[0].moment, "m1");
  assert.match(asked[0].id, /^[0-9a-f]{32}$/);
});

test("taps are sent one by one, and waiting ones use the moment that results", async () => {
  const asked = serve(SAVED, [200, { version: 3, moment: "m3" }]);
  const queue = made();
  queue.add(FIVE, "five");
  queue.add(SIX, "six");
  assert.equal(asked.length, 1);
  await settled();
  assert.deepEqual(fields(asked), [5, 6]);
  assert.equal(asked[1].moment, "m2");
});

test("a tap on what others have done keeps its own moment", async () => {
  const asked = serve(SAVED, SAVED);
  const queue = made();
  queue.add({ ...FIVE, moment: "m0" }, "five");
  queue.add(SIX, "six");
  await settled();
  assert.equal(asked[1].moment, "m1");
});

test("of several waiting sets of dice, only the last is sent", async () => {
  const asked = serve(SAVED, SAVED);
  const queue = made();
  for (const face of [1, 2, 3]) queue.add({ dice: { "dice.0": face } }, "");
  await settled();
  assert.deepEqual(
    asked.map(({ dice }) => dice["dice.0"]),
    [1, 3],
  );
});

test("two taps on one thing before the answer are one tap", async () => {
  const asked = serve();
  const queue = made();
  assert.equal(queue.add(FIVE, "five"), queue.add(FIVE, "five"));
  await settled();
  assert.equal(asked.length, 1);
  assert.equal(queue.list().length, 1);
});

test("two taps on one thing before the page is redrawn are one tap", async () => {
  const asked = serve(SAVED, SAVED, SAVED);
  const queue = made();
  queue.add(FIVE, "five");
  await settled();
  queue.add(FIVE, "five");
  await settled();
  assert.equal(asked.length, 1);
  page.version = "2";
  queue.add(FIVE, "five");
  await settled();
  assert.equal(asked.length, 2);
});

for (const [what, answer] of [
  ["no network", null],
  ["a server that fails", [500, { refused: { code: "x", message: "x" } }]],
  ["a hotel's log-in page", [200, undefined]],
  ["JSON from somebody else", [200, { hello: "there" }]],
  ["somebody else's refusal", [403, {}]],
]) {
  test(`a tap outlives ${what}, and is sent again later and later`, async (context) => {
    const timers = holdTimers(context);
    const asked = serve(answer, answer, SAVED);
    const queue = made();
    queue.add(FIVE, "five");
    await settled();
    assert.deepEqual(timers.pauses, [500]);
    assert.equal(queue.list()[0].late, true);
    timers.run();
    await settled();
    assert.deepEqual(timers.pauses, [1000]);
    timers.run();
    await settled();
    assert.deepEqual(queue.list(), []);
    assert.equal(new Set(asked.map(({ id }) => id)).size, 1);
    assert.deepEqual(events, [["saved", 2]]);
  });
}

test("a refused tap is gone, the next one is sent", async () => {
  const asked = serve(REFUSED, SAVED);
  const queue = made();
  queue.add(FIVE, "five");
  queue.add(SIX, "six");
  await settled();
  assert.deepEqual(fields(asked), [5, 6]);
  assert.equal(asked[1].moment, "m1");
  assert.deepEqual(events, [
    ["refused", "five", "Too late", false],
    ["saved", 2],
  ]);
});

test("taps survive a reload, and each table has its own", async () => {
  serve(null);
  made().add(FIVE, "five");
  await settled();
  const asked = serve(SAVED);
  page.table = "t2";
  made().send();
  await settled();
  assert.equal(asked.length, 0);
  page.table = "t1";
  made().send();
  await settled();
  assert.deepEqual(fields(asked), [5]);
});

const refuse = () => {
  throw new DOMException("no room", "QuotaExceededError");
};

for (const [what, storage] of [
  ["is full", { value: { getItem: () => null, setItem: refuse } }],
  ["throws", { value: { getItem: refuse, setItem: refuse } }],
  ["is denied", { get: refuse }],
]) {
  test(`taps are sent from memory where storage ${what}, with a single notice`, async (context) => {
    const timers = holdTimers(context);
    const denied = Object.getOwnPropertyDescriptor(globalThis, "localStorage");
    context.after(() => Object.defineProperty(globalThis, "localStorage", denied));
    Object.defineProperty(globalThis, "localStorage", { ...storage, configurable: true });
    page.table = what;
    const asked = serve(null, SAVED, [200, { version: 3, moment: "m3" }]);
    const queue = made();
    queue.add(FIVE, "five");
    queue.add(SIX, "six");
    await settled();
    assert.deepEqual(fields(queue.list().map(({ tap }) => tap)), [5, 6]);
    assert.equal(queue.isAtRisk, true);
    timers.run();
    await settled();
    assert.deepEqual(fields(asked), [5, 5, 6]);
    assert.equal(queue.isAtRisk, false);
    assert.deepEqual(events, [["unstored"], ["saved", 2], ["saved", 3]]);
  });
}

test("taps are stored again as soon as there is room", async () => {
  serve();
  const queue = made();
  const { setItem } = localStorage;
  localStorage.setItem = refuse;
  queue.add(FIVE, "five");
  localStorage.setItem = setItem;
  queue.add(SIX, "six");
  assert.equal(queue.isAtRisk, false);
  const stored = JSON.parse(localStorage.getItem("taps:t1"));
  assert.deepEqual(fields(stored.map(({ tap }) => tap)), [5, 6]);
});

test("a tap waits until the page shows what it has changed", async () => {
  serve(SAVED);
  const queue = made();
  queue.add({ ...FIVE, id: "five" }, "five");
  assert.deepEqual(["five", "six", undefined].map(queue.isWaiting, queue), [true, false, false]);
  await settled();
  assert.equal(queue.isWaiting("five"), true);
  page.version = "2";
  assert.equal(queue.isWaiting("five"), false);
});
