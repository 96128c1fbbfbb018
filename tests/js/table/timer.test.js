// The timer of a turn: asked for once a moment, counted from the server's seconds, and announced when it is over.

import assert from "node:assert/strict";
import { test } from "node:test";
import { showTimer } from "../../../static/js/table/timer.js";
import { serve, showPage } from "../kit.js";

const place = () => document.querySelector("#timer");

async function show(seconds, moment, ...answers) {
  showPage('<header class="bar"><span id="timer" hidden></span></header>', {
    timer: seconds,
    moment,
  });
  const asked = serve(...answers);
  await showTimer();
  return asked;
}

test("without a timer nothing is asked or shown", async () => {
  assert.deepEqual(await show(0, "m1"), []);
  assert.equal(place().hidden, true);
});

test("the server's seconds count, and the end is announced", async () => {
  await show(60, "m3", [200, { elapsed: 20.5 }]);
  assert.deepEqual([place().textContent, place().className], ["0:40", ""]);
  await show(60, "m4", [200, { elapsed: 75.5 }]);
  assert.deepEqual([place().textContent, place().className], ["+0:15", "late"]);
});

test("each moment is asked for once, and again if there was no answer", async () => {
  await show(60, "m5", [200, { elapsed: 1 }]);
  assert.deepEqual(await show(60, "m5"), []);
  await show(60, "m6", null);
  assert.deepEqual(await show(60, "m6", [200, { elapsed: 1 }]), ["/t/t1/timer"]);
});
