// The page fetches the table when it is behind, once at a time, and never draws the past.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Redraw } from "../../static/js/redraw.js";
import { holdTimers } from "./kit.js";

let shown;
let fetched;
let redraw;

beforeEach(() => {
  shown = 5;
  fetched = 0;
  redraw = new Redraw(
    () => shown,
    () => {
      fetched += 1;
      redraw.isFetching = true;
    },
  );
});

/** The answer comes and is drawn. */
function arrives(version) {
  const isDrawn = redraw.admits(version, true);
  if (isDrawn) shown = version;
  redraw.fetched(true);
  return isDrawn;
}

test("a newer version is fetched; the one that is shown, an older one or none is not", () => {
  for (const version of [5, 4, "", undefined, "x"]) redraw.want(version);
  assert.equal(fetched, 0);
  redraw.want("6");
  assert.equal(fetched, 1);
});

test("what is heard during a fetch is fetched after it, once", (context) => {
  const timers = holdTimers(context);
  redraw.want(6);
  redraw.want(7);
  redraw.want(8);
  assert.equal(fetched, 1);
  assert.equal(arrives(6), true);
  timers.run();
  assert.equal(fetched, 2);
  assert.equal(arrives(8), true);
  timers.run();
  assert.equal(fetched, 2);
});

test("a gap in the versions needs one fetch", (context) => {
  const timers = holdTimers(context);
  redraw.want(9);
  arrives(9);
  redraw.want(7);
  timers.run();
  assert.equal(fetched, 1);
});

test("a failed fetch is not repeated at once, but with the next version", (context) => {
  const timers = holdTimers(context);
  redraw.want(6);
  redraw.fetched(false);
  timers.run();
  assert.equal(fetched, 1);
  redraw.want(6);
  assert.equal(fetched, 2);
});

test("an answer that was overtaken is not drawn", (context) => {
  const timers = holdTimers(context);
  shown = 8;
  assert.equal(redraw.admits(7, true), false);
  timers.run();
  assert.equal(fetched, 0);
});

test("an answer to what is gone is not drawn, but fetched anew", (context) => {
  const timers = holdTimers(context);
  assert.equal(redraw.admits(6, false), false);
  timers.run();
  assert.equal(fetched, 1);
});
