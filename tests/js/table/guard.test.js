// A target that has just moved under a finger takes no taps for a moment, no matter who moved it.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  answerGuard,
  guard,
  guardMoved,
  moveFocus,
  noteSheets,
} from "../../../static/js/table/guard.js";
import { holdTimers, showPage, tap } from "../kit.js";

const SHEETS = ["1", "2"].map((seat) => `<div class="player" data-player="${seat}"><g></g></div>`);

/** Shows two sheets and a button, and counts the taps on each. */
function show(isForNow = () => false) {
  showPage(`<main class="play"><button>Pass</button>${SHEETS.join("")}</main>`);
  answerGuard(isForNow);
  const taps = { 1: 0, 2: 0, pass: 0 };
  document.addEventListener("click", ({ target }) => {
    taps[target.parentElement.dataset.player ?? "pass"] += 1;
  });
  return taps;
}

/** Puts a sheet in a place; without a width it is not shown. */
function put(seat, left, top, width) {
  const player = document.querySelector(`[data-player="${seat}"]`);
  player.getBoundingClientRect = () => ({ left, top, width });
}

/** A clock that a test turns; timers run when it says so. */
function holdTime(context) {
  const clock = { now: 0 };
  context.mock.method(performance, "now", () => clock.now);
  return Object.assign(holdTimers(context), { clock });
}

function tapAll() {
  for (const target of ["button", "[data-player='1'] g", "[data-player='2'] g"]) tap(target);
}

test("sheets that change places take no taps for half a second, and others do", (context) => {
  const timers = holdTime(context);
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
  tapAll();
  assert.deepEqual(taps, { 1: 2, 2: 1, pass: 2 });
  assert.ok(document.body.matches(".guarded"));
  timers.clock.now = 510;
  timers.run(); // it is seen only now
  timers.clock.now = 1009;
  tapAll();
  assert.deepEqual(taps, { 1: 3, 2: 1, pass: 3 });
  timers.clock.now = 1020;
  timers.run();
  tapAll();
  assert.deepEqual(taps, { 1: 4, 2: 2, pass: 4 });
  assert.ok(!document.body.matches(".guarded"));
});

test("a finger that came too early is refused however late it is lifted, or answered", (context) => {
  const timers = holdTime(context);
  const taps = show();
  guard(document.querySelector(".play"));
  timers.run();
  const seen = [];
  document.addEventListener("pointerdown", () => seen.push("down"));
  timers.clock.now = 900;
  timers.run();
  tap("button", "pointerdown", 499);
  assert.ok(tap("button", "click", 600).defaultPrevented);
  assert.deepEqual([seen, taps.pass], [[], 0]);
  tap("button", "pointerdown", 650);
  tap("button", "click", 700);
  assert.deepEqual([seen, taps.pass], [["down"], 1]);
});

test("a focus that the page has moved takes no key at first", (context) => {
  const timers = holdTime(context);
  const taps = show();
  const button = document.querySelector("button");
  button.focus = () => {};
  moveFocus(button);
  timers.run();
  tap("button");
  assert.equal(taps.pass, 0);
});

test("a refused tap is shown, and counts when it is repeated", (context) => {
  holdTime(context);
  const taps = show();
  const touch = (selector) => {
    tap(selector, "pointerdown");
    tap(selector);
  };
  guard(document.querySelector(".play"));
  touch("button");
  assert.equal(taps.pass, 0);
  assert.ok(document.querySelector("button").matches(".not-yet"));
  touch("button");
  assert.equal(taps.pass, 1);
  touch("[data-player='1'] g");
  touch("button");
  assert.equal(taps.pass, 1, "a tap somewhere else came in between");
});

test("what needs no guard takes taps at once", (context) => {
  holdTime(context);
  const taps = show((target) => target.matches("button"));
  guard(document.querySelector(".play"));
  tapAll();
  assert.deepEqual(taps, { 1: 0, 2: 0, pass: 1 });
});
