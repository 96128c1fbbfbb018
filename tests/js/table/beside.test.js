// A refusal stands beside what was tapped, where it covers least, or where other notes stand.

import assert from "node:assert/strict";
import { test } from "node:test";
import { placeBeside, refuse } from "../../../static/js/table/beside.js";
import { showPage, texts } from "../kit.js";

const SCREEN = { width: 360, height: 640 };
const NOTE = { width: 200, height: 50 };
const box = (left, top, size = 40) => ({ left, top, right: left + size, bottom: top + size });

const lit = (...boxes) => boxes.map((box) => ({ box, weight: 4 }));

function covers(place, { left, top, right, bottom }) {
  const isBeside = place.left >= right || place.left + NOTE.width <= left;
  return !isBeside && place.top < bottom && place.top + NOTE.height > top;
}

test("a note stands below the field, with its tip under the middle", () => {
  const place = placeBeside(box(160, 300), [NOTE], SCREEN, []);
  assert.equal(place.side, "below");
  assert.ok(place.top > 340);
  assert.equal(place.left + place.tip, 180);
});

test("near an edge it stays in the window, and its tip keeps to the field", () => {
  const place = placeBeside(box(2, 590), [NOTE], SCREEN, []);
  assert.equal(place.side, "above");
  assert.ok(place.left >= 0);
  assert.equal(place.left + place.tip, 22);
});

test("it covers no lit field where another side is free", () => {
  const below = lit(box(60, 350), box(160, 350), box(260, 350));
  const place = placeBeside(box(160, 300), [NOTE], SCREEN, below);
  assert.equal(place.side, "above");
  const around = [...below, ...lit(box(60, 250), box(160, 250), box(260, 250))];
  const aside = placeBeside(box(10, 300), [NOTE], SCREEN, around);
  assert.ok(around.every(({ box }) => !covers(aside, box)));
});

test("fields take precedence over buttons, and buttons over empty space", () => {
  const button = { box: box(0, 345, 360), weight: 1 };
  const field = { box: { left: 0, right: 360, top: 0, bottom: 295 }, weight: 4 };
  assert.equal(placeBeside(box(160, 300), [NOTE], SCREEN, [button, field]).side, "below");
  assert.equal(placeBeside(box(160, 300), [NOTE], SCREEN, [button]).side, "above");
});

test("it is narrower where that covers less", () => {
  const narrow = { width: 120, height: 80 };
  const others = lit({ left: 0, right: 195, top: 0, bottom: 640 });
  const place = placeBeside(box(185, 300), [NOTE, narrow], SCREEN, others);
  assert.equal(place.size, narrow);
  assert.equal(place.side, "right");
});

test("without room, or with its target hidden, it is an ordinary note", () => {
  const whole = { left: 0, top: 0, right: 360, bottom: 640 };
  assert.equal(placeBeside(whole, [NOTE], SCREEN, []), undefined);
  showPage('<g data-f="a"></g>');
  refuse("Not there", document.querySelector("[data-f]"));
  refuse("Nowhere", null);
  assert.deepEqual(texts(".toast:not(.beside) p"), ["Nowhere"]);
});
