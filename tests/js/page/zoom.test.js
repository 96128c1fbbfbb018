// A photo in its box: two fingers make it larger around the point between them.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { showPage } from "../kit.js";

const document = showPage(
  "",
  {},
  `<details><fieldset class="zoom"><input type="radio"></fieldset>
  <div data-zoom><img></div></details>`,
);
await import("../../../static/js/page/zoom.js");

const box = document.querySelector("[data-zoom]");
const picture = document.querySelector("img");
const WIDTH = 300;

/** @param {string} kind @param {object} values */
function happen(kind, values, element = box) {
  const event = new document.defaultView.Event(kind, { bubbles: true, cancelable: true });
  element.dispatchEvent(Object.assign(event, values));
  return event;
}

/** Two fingers, so far left and right of a point. */
const fingers = (x, apart) => ({
  touches: [x - apart, x + apart].map((clientX) => ({ clientX, clientY: 50 })),
});

beforeEach(() => {
  picture.style.width = "";
  Object.assign(box, { scrollLeft: 0, scrollTop: 0 });
  box.getBoundingClientRect = () => ({ left: 20, top: 10 });
  Object.defineProperty(box, "clientWidth", { configurable: true, value: WIDTH });
  Object.defineProperty(picture, "offsetWidth", {
    configurable: true,
    get: () => (WIDTH * Number.parseFloat(picture.style.width || "100")) / 100,
  });
});

test("two fingers make it larger, and what is between them stays there", () => {
  happen("touchstart", fingers(120, 20));
  happen("touchmove", fingers(120, 40));
  assert.equal(picture.style.width, "200%");
  assert.deepEqual([box.scrollLeft, box.scrollTop], [100, 40]);
  happen("touchmove", fingers(120, 400));
  assert.equal(picture.style.width, "800%", "no larger than that");
  happen("touchmove", fingers(120, 1));
  assert.equal(picture.style.width, "100%", "no smaller than its box");
});

test("one finger scrolls", () => {
  happen("touchstart", { touches: [{ clientX: 50, clientY: 50 }] });
  const moved = happen("touchmove", { touches: [{ clientX: 90, clientY: 50 }] });
  assert.equal(moved.defaultPrevented, false);
  assert.equal(picture.style.width, "");
});

test("the wheel makes it larger only with Ctrl", () => {
  const where = { deltaY: -200, clientX: 20, clientY: 10 };
  happen("wheel", { ...where, ctrlKey: false });
  assert.equal(picture.style.width, "");
  happen("wheel", { ...where, ctrlKey: true });
  assert.equal(picture.style.width, "200%");
});
