// What has just come under a finger takes no taps for a moment, whoever caused it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { answerGuard, guard, guardMoved, noteSheets } from "../../../static/js/table/guard.js";
import { holdTimers, showPage, tap } from "../kit.js";

const SHEETS = ["1", "2"].map((seat) => `<div class="player" data-player="${seat}"><g></g></div>`);

/** Shows two sheets, and counts the taps on each. */
function show() {
  showPage(`<main class="play"><button>Pass</button>${SHEETS.join("")}</main>`);
  answerGuard();
  const taps = { 1: 0, 2: 0, pass: 0 };
  document.addEventListener("click", ({ target }) => {
    taps[target.parentElement.dataset.player ?? "pass"] += 1;
  });
  return taps;
}

/** Puts a sheet to a place; without a width it is not shown. */
function put(seat, left, top, width) {
  const player = document.querySelector(`[data-player="${seat}"]`);
  player.getBoundingClientRect = () => ({ left, top, width });
}

function tapAll() {
  for (const target of ["button", "[data-player='1'] g", "[data-player='2'] g"]) tap(target);
}

test("sheets that change places take no taps for half a second, and others do", (context) => {
  const timers = holdTimers(context);
  const taps = show();
  put("1", 0, 0, 300);
  put("2", 0, 300, 100);
  noteSheets();
  put("2", 0, 305, 100);
  guardMoved();
  tapAll();
  assert.deepEqual(taps, { 1: 1, 2: 1, pass: 1 }, "so little moves no field from under a finger");
  noteSheets();
  put("1", 0, 0, 0);
  put("2", 0, 0, 300);
  noteSheets(); // a second change of the same drawing
  guardMoved();
  assert.deepEqual(timers.pauses, [500]);
  tapAll();
  assert.deepEqual(taps, { 1: 2, 2: 1, pass: 2 });
  assert.ok(document.body.matches(".guarded"));
  timers.run();
  tapAll();
  assert.deepEqual(taps, { 1: 3, 2: 2, pass: 3 });
  assert.ok(!document.body.matches(".guarded"));
});

test("a guard holds for strokes and forms, too", (context) => {
  const timers = holdTimers(context);
  show();
  guard(document.querySelector(".play"));
  const seen = [];
  document.addEventListener("pointerdown", () => seen.push("down"));
  for (const type of ["pointerdown", "click"]) {
    const event = new document.defaultView.Event(type, { bubbles: true, cancelable: true });
    document.querySelector("button").dispatchEvent(event);
    seen.push(event.defaultPrevented);
  }
  assert.deepEqual(seen, [false, true]);
  timers.run();
});
