// A finger slides from a button of a picker to a key, and on to what fits.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { answerSlides } from "../../../static/js/table/slides.js";
import { showPage, texts } from "../kit.js";

/** The place of each button, from left to right, each 100 wide. */
const PLACES = ["red", "blue", "one", "two", "row"];

let tapped;
let choices;

beforeEach(() => {
  const buttons = PLACES.map((name, place) => {
    const slides = place < 2 ? 'data-slide aria-pressed="false"' : "";
    const looks = name === "row" ? 'class="matches"' : "";
    return `<button data-part="${name}" aria-label="${name}" ${slides} ${looks}></button>`;
  });
  showPage(`<div><div data-picker>${buttons.join("")}</div></div>`);
  document.elementFromPoint = (x) => document.querySelectorAll("[data-part]")[Math.floor(x / 100)];
  tapped = [];
  choices = [];
  answerSlides(
    (button) => tapped.push(button.dataset.part),
    (button) => choices.includes(button.dataset.part),
  );
});

function finger(type, name, { pointerType = "touch" } = {}) {
  const x = 100 * PLACES.indexOf(name) + (name === "beside" ? 1000 : 50);
  const event = new document.defaultView.Event(type, { bubbles: true });
  const under = document.elementFromPoint(x) ?? document.body;
  Object.assign(event, { isPrimary: true, pointerType, clientX: x, clientY: 10, detail: 1 });
  under.dispatchEvent(event);
}

const slide = (...names) => {
  finger("pointerdown", names[0]);
  for (const name of names.slice(1)) finger("pointermove", name);
};

test("a key is chosen where the finger is lifted, and drawn above it until then", () => {
  slide("red", "one", "two");
  assert.deepEqual(texts(".lens b"), ["two"]);
  finger("pointerup", "two");
  finger("click", "two");
  assert.deepEqual(tapped, ["red", "two"]);
  assert.equal(document.querySelector(".lens"), null);
});

test("lifted beside all keys it chooses nothing, and lifted at once it leaves the keys open", () => {
  slide("red", "beside");
  finger("pointerup", "beside");
  slide("red");
  finger("pointerup", "red");
  slide("red", "blue", "one");
  finger("pointerup", "one");
  finger("pointerdown", "red", { pointerType: "mouse" });
  assert.deepEqual(tapped, ["red", "red", "red", "red", "blue", "one"]);
});

test("resting on a key that leaves a choice chooses it, and the finger goes on to what fits", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  choices = ["one"];
  slide("red", "two");
  t.mock.timers.tick(400);
  finger("pointermove", "one");
  t.mock.timers.tick(400);
  assert.deepEqual(tapped, ["red", "one"]);
  finger("pointermove", "two");
  assert.equal(document.querySelector(".lens"), null, "another key is meant no more");
  finger("pointermove", "row");
  assert.ok(document.querySelector(".under"));
  finger("pointerup", "row");
  assert.deepEqual(tapped, ["red", "one", "row"]);
});
