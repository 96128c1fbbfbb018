// How far a sheet is scrolled, so that lit fields are in view.

import assert from "node:assert/strict";
import { test } from "node:test";
import { shift } from "../../../static/js/table/sight.js";

test("lit fields that are in view leave the sheet where it is", () => {
  assert.equal(shift([0, 100], [[0, 40]]), 0);
  assert.equal(
    shift(
      [0, 100],
      [
        [0, 40],
        [60, 100],
      ],
    ),
    0,
  );
});

test("all of them come into view where they have room", () => {
  assert.equal(
    shift(
      [0, 100],
      [
        [60, 100],
        [90, 130],
      ],
    ),
    30,
  );
  assert.equal(
    shift(
      [0, 100],
      [
        [-50, -10],
        [0, 40],
      ],
    ),
    -50,
  );
});

test("where they have none, one in view is enough, and else the nearest one", () => {
  assert.equal(
    shift(
      [0, 100],
      [
        [-90, -50],
        [20, 60],
        [150, 190],
      ],
    ),
    0,
  );
  assert.equal(
    shift(
      [0, 100],
      [
        [-90, -50],
        [120, 160],
      ],
    ),
    60,
  );
  assert.equal(
    shift(
      [0, 100],
      [
        [-60, -20],
        [150, 190],
      ],
    ),
    -60,
  );
});
