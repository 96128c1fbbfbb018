// The page fetches the table when it is behind, once at a time, and never draws the past.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { Redraw } from "../../../static/js/table/redraw.js";
import { holdTimers, showPage } from "../kit.js";

let events;
let redraw;

beforeEach(() => {
  showPage('<p data-drawn="hint">5</p>', { version: "5", shape: "x" });
  globalThis.Idiomorph = {
    morph(place, html) {
      place.innerHTML = html;
    },
  };
  globalThis.htmx = { process() {} };
  events = [];
  redraw = new Redraw({
    shown,
    fetch() {
      redraw.isFetching = true;
      events.push("fetch");
    },
    before: () => {},
    after: () => events.push(shown()),
  });
});

afterEach(() => {
  redraw.known = 0; // a timer that is still running must not ask in the next test
});

const shown = () => Number(document.querySelector("#table").dataset.version);

/** What the server says of a version; its one part says the same. */
const news = (version, from = version - 1) => [
  { part: "hint", html: `${version}` },
  { from, shape: "x", facts: { version: `${version}` } },
];

/** The table has been fetched, and shows this version. */
function fetched(version) {
  document.querySelector("#table").dataset.version = `${version}`;
  redraw.fetched(true);
}

test("a newer version is fetched; the shown one, an older one or none is not", () => {
  for (const version of [5, 4, "", undefined, "x"]) redraw.want(version);
  assert.deepEqual(events, []);
  redraw.want("6");
  assert.deepEqual(events, ["fetch"]);
});

test("changes announced during a fetch are fetched after it, once", (context) => {
  const timers = holdTimers(context);
  redraw.want(6);
  redraw.want(7);
  redraw.want(8);
  assert.deepEqual(events, ["fetch"]);
  fetched(6);
  timers.run();
  assert.deepEqual(events, ["fetch", "fetch"]);
  fetched(8);
  timers.run();
  assert.equal(events.length, 2);
});

test("what the stream brings is shown without a request", () => {
  redraw.push(news(6));
  redraw.push(news(6));
  redraw.push(news(7));
  assert.deepEqual(events, [6, 7]);
});

test("after a gap in what the stream brings the table is fetched", () => {
  redraw.push(news(7));
  assert.deepEqual(events, ["fetch"]);
});

test("the stream has a moment to bring what a tap of this phone has changed", (context) => {
  const timers = holdTimers(context);
  redraw.expect(6);
  redraw.push(news(6));
  timers.run();
  assert.deepEqual(events, [6]);
  redraw.expect(7);
  timers.run();
  assert.deepEqual(events, [6, "fetch"]);
});

test("a failed fetch is repeated after ever longer pauses, until it succeeds", (context) => {
  const timers = holdTimers(context);
  redraw.want(6);
  for (const pause of [1000, 2000, 4000, 8000, 8000]) {
    redraw.fetched(false);
    assert.deepEqual(timers.pauses, [pause]);
    timers.run();
  }
  assert.equal(events.length, 6);
  fetched(6);
  redraw.want(7);
  redraw.fetched(false);
  assert.deepEqual(timers.pauses, [1000]);
});

test("what the stream brings meanwhile is not fetched again", (context) => {
  const timers = holdTimers(context);
  redraw.want(6);
  redraw.fetched(false);
  redraw.push(news(6));
  timers.run();
  assert.deepEqual(events, ["fetch", 6]);
});

test("a table that was overtaken is not drawn", (context) => {
  const timers = holdTimers(context);
  assert.equal(redraw.admits(4, true), false);
  timers.run();
  assert.deepEqual(events, []);
  assert.equal(redraw.admits(5, true), true);
});

test("an answer to something that is gone is not drawn, but the table is fetched", (context) => {
  const timers = holdTimers(context);
  assert.equal(redraw.admits(6, false), false);
  timers.run();
  assert.deepEqual(events, ["fetch"]);
});
