// A tap for the turn's next step waits on the phone.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { hold, showHeld } from "../../../static/js/table/held.js";
import { showPage } from "../kit.js";

const CROSS = { do: "cross", by: "Ada", row: "blue", number: 8 };

/** Ada's sheet in a step; `state` is what her field is. */
function show(step, state) {
  const table = document.querySelector("#table");
  table.dataset.step = String(step);
  table.innerHTML = `<div data-player="1" data-by="Ada">
    <g class="f ${state}" data-f="blue.8" data-tap='${JSON.stringify(CROSS)}'></g></div>`;
}

const field = () => document.querySelector("g");

/** What is sent once the page is drawn. */
function sent() {
  const taps = [];
  showHeld((asked, what) => taps.push([asked, what]));
  return taps;
}

beforeEach(() => {
  showPage();
  document.querySelector("#table").dataset.moment = "1:1.34";
  show(1, "early");
  hold(field(), "blue 8");
});

test("it looks pending meanwhile, and is sent once with the next step", () => {
  assert.deepEqual(sent(), []);
  assert.ok(field().classList.contains("pending"));
  show(2, "open");
  assert.deepEqual(sent(), [[{ action: CROSS }, "blue 8"]]);
  assert.deepEqual(sent(), []);
});

test("in a later match it is not sent", () => {
  document.querySelector("#table").dataset.moment = "2:2.34";
  show(2, "open");
  assert.deepEqual(sent(), []);
});

test("another tap takes it back, and so does an undo of what came before", () => {
  hold(field(), "blue 8");
  show(2, "open");
  assert.deepEqual(sent(), []);
  show(1, "early");
  hold(field(), "blue 8");
  show(1, "closed");
  assert.deepEqual(sent(), []);
  show(2, "open");
  assert.deepEqual(sent(), []);
});
