// How far a sheet is scrolled, so that lit fields are in view.

import assert from "node:assert/strict";
import { test } from "node:test";
import { shift } from "../../../static/js/table/sight.js";

/** The shift for lit fields that begin at these places, each 40 high, in a window of 100. */
const shiftFor = (...tops) =>
  shift(
    [0, 100],
    tops.map((top) => [top, top + 40]),
  );

test("lit fields that are in view leave the sheet where it is", () => {
  assert.deepEqual([shiftFor(0), shiftFor(0, 60)], [0, 0]);
});

test("all of them come into view where they have room", () => {
  assert.deepEqual([shiftFor(60, 90), shiftFor(-50, 0)], [30, -50]);
});

test("without room for all, one in view is enough, otherwise the nearest one", () => {
  assert.equal(shiftFor(-90, 20, 150), 0);
  assert.equal(shiftFor(-90, 120), 60);
  assert.equal(shiftFor(-60, 150), -60);
});

test("lit fields come out of the fade at either end where there is room", () => {
  const faded = (...ranges) => shift([0, 100], ranges, 20);
  assert.deepEqual([faded([50, 90]), faded([10, 50]), faded([30, 70])], [10, -10, 0]);
  assert.equal(faded([10, 95]), 0);
});
