// The page fetches what it lacks when it is behind, once at a time, and never draws the past.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { Redraw } from "../../../static/js/table/redraw.js";
import { holdTimers, serve, settled, showPage } from "../kit.js";

let events;
let redraw;

beforeEach(() => {
  showPage('<p data-drawn="hint" data-v="5">5</p>', { version: "5", shape: "x" });
  globalThis.Idiomorph = {
    morph(place, html) {
      place.innerHTML = html;
    },
  };
  globalThis.htmx = { process() {} };
  events = [];
  redraw = new Redraw({
    shown,
    whole: () => events.push("whole"),
    before: () => {},
    after: () => events.push(shown()),
    live: (address) => events.push(address),
    missed: () => events.push("missed"),
  });
});

afterEach(() => {
  redraw.known = 0; // a timer that is still running must not ask in the next test
});

const shown = () => Number(document.querySelector("#table").dataset.version);

/** What the server says of a version; its one part says the same. */
const told = (version, changes = [{ part: "hint", v: `${version}`, html: `${version}` }]) => [
  ...changes,
  { shape: "x", facts: { version: `${version}` }, parts: { hint: `${version}` } },
];

test("a newer version is fetched; the one that is shown, an older one or none is not", async () => {
  const asked = serve([200, told(6)]);
  for (const version of [5, 4, "", undefined, "x"]) redraw.want(version);
  assert.deepEqual(asked, []);
  redraw.want("6");
  await settled();
  assert.deepEqual(asked, ["parts?have=5"]);
  assert.deepEqual(events, [6]);
});

test("what is heard during a fetch is fetched after it, once", async (context) => {
  const timers = holdTimers(context);
  const asked = serve([200, told(6)], [200, told(8)]);
  redraw.want(6);
  redraw.want(7);
  redraw.want(8);
  await settled();
  assert.equal(asked.length, 1);
  timers.run();
  await settled();
  timers.run();
  assert.equal(asked.length, 2);
  assert.deepEqual(events, [6, 8]);
});

test("what the stream brings is shown without a request", () => {
  const asked = serve();
  redraw.push(told(6));
  redraw.push(told(6));
  assert.deepEqual(events, [6, 6]);
  assert.deepEqual(asked, []);
});

test("a gap in what the stream brings is fetched", async () => {
  const asked = serve([200, [...told(7), { live: "/live/new" }]]);
  redraw.push(told(7, []));
  await settled();
  assert.deepEqual(asked, ["parts?have=5"]);
  assert.deepEqual(events, ["/live/new", 7]);
});

test("the stream has a moment to bring what a tap of this phone has changed", async (context) => {
  const timers = holdTimers(context);
  const asked = serve([200, told(7)]);
  redraw.expect(6);
  redraw.push(told(6));
  timers.run();
  assert.deepEqual(asked, []);
  redraw.expect(7);
  timers.run();
  await settled();
  assert.deepEqual(asked, ["parts?have=6"]);
});

test("another shape needs the whole page; so does an answer that leaves a gap", async () => {
  redraw.push([{ shape: "y", facts: { version: "6" }, parts: {} }]);
  assert.deepEqual(events, ["whole"]);
  serve([200, told(7, [])]);
  redraw.want(7);
  await settled();
  assert.deepEqual(events, ["whole", "whole"]);
});

test("a failed fetch is repeated after ever longer pauses, until it succeeds", async (context) => {
  const timers = holdTimers(context);
  const asked = serve(...Array(5).fill(null), [200, told(6)], null);
  redraw.want(6);
  for (const pause of [1000, 2000, 4000, 8000, 8000]) {
    await settled();
    assert.deepEqual(timers.pauses, [pause]);
    timers.run();
  }
  await settled();
  assert.equal(asked.length, 6);
  assert.deepEqual(events, [...Array(5).fill("missed"), 6]);
  redraw.want(7);
  await settled();
  assert.deepEqual(timers.pauses, [1000]);
});

test("what the stream brings meanwhile is not fetched again", async (context) => {
  const timers = holdTimers(context);
  const asked = serve(null);
  redraw.want(6);
  await settled();
  redraw.push(told(6));
  timers.run();
  assert.equal(asked.length, 1);
});

test("a whole page that could not be fetched is fetched again, part by part", async (context) => {
  const timers = holdTimers(context);
  const asked = serve([200, told(6)]);
  redraw.known = 6;
  redraw.fetched(false);
  timers.run();
  await settled();
  assert.deepEqual(asked, ["parts?have=5"]);
  assert.deepEqual(events, [6]);
});

for (const [what, answer, event] of [
  ["a hotel's log-in page", [200, undefined], "missed"],
  ["a server that fails", [500, undefined], "missed"],
  ["a phone that was sent away", [403, {}], "whole"],
]) {
  test(what, async () => {
    serve(answer);
    redraw.want(6);
    await settled();
    assert.deepEqual(events, [event]);
    assert.equal(redraw.isFetching, false);
  });
}

test("a whole page that was overtaken is not drawn", (context) => {
  const timers = holdTimers(context);
  serve();
  assert.equal(redraw.admits(4, true), false);
  timers.run();
  assert.equal(redraw.isFetching, false);
  assert.equal(redraw.admits(5, true), true);
});

test("an answer to what is gone is not drawn, but its parts are fetched", (context) => {
  const timers = holdTimers(context);
  const asked = serve();
  assert.equal(redraw.admits(6, false), false);
  timers.run();
  assert.deepEqual(asked, ["parts?have=5"]);
});
