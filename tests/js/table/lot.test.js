// The lot that says who starts: shown once for each draw, the same on every phone.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { showLot } from "../../../static/js/table/lot.js";
import { holdTimers, showPage, tap, texts } from "../kit.js";

const seat = (id, name) => `<li class="seat" data-seat="${id}"><span class="dot red"></span>
  <bdi class="name">${name}</bdi></li>`;

/** The lobby's list after a draw, the one who starts first. */
function list(drawn, ...seats) {
  showPage(`<ol data-lot="${drawn}">${seats.join("")}</ol>`);
  document.querySelector("#words").dataset.starts = "{player} starts";
}

const ADA = seat(1, "Ada");
const BEN = seat(2, "Ben");
const CLEO = seat(3, "Cleo");

beforeEach(() => {
  globalThis.matchMedia = () => ({ matches: true });
  list(0, ADA, BEN, CLEO);
  showLot();
});

test("a draw is shown, with everybody in the same places, and names who starts", (context) => {
  const timers = holdTimers(context);
  list(9, BEN, CLEO, ADA);
  showLot();
  assert.deepEqual(texts(".lot-table bdi"), ["Ada", "Ben", "Cleo"]);
  assert.deepEqual(texts(".lot-table .won"), ["Ben"]);
  assert.equal(document.querySelector(".lot-arrow").style.rotate, "120deg");
  assert.deepEqual(texts(".lot p"), ["Ben starts"]);
  timers.run();
  assert.equal(document.querySelector(".lot"), null);
});

test("a redrawn lobby does not show the same draw again, a second draw does", (context) => {
  holdTimers(context);
  list(9, BEN, CLEO, ADA);
  showLot();
  tap(".lot");
  showLot();
  assert.equal(document.querySelector(".lot"), null);
  list(11, CLEO, ADA, BEN);
  showLot();
  assert.deepEqual(texts(".lot-table .won"), ["Cleo"]);
});

test("the arrow turns before it tells, unless motion is reduced", (context) => {
  holdTimers(context);
  globalThis.matchMedia = () => ({ matches: false });
  list(13, BEN, CLEO, ADA);
  let finish;
  const frames = [];
  document.defaultView.HTMLElement.prototype.animate = (steps) => {
    frames.push(steps.at(-1).rotate);
    return { addEventListener: (_, listener) => (finish = listener) };
  };
  showLot();
  assert.deepEqual([frames, texts(".won")], [["1200deg"], []]);
  finish();
  assert.deepEqual(texts(".won"), ["Ben"]);
});
