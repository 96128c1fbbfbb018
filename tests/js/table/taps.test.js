// Elements with an action answer fingers and keys, and look pending while their tap waits.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { pointAt } from "../../../static/js/table/pointing.js";
import { answerTaps, repeatSending, showWaiting } from "../../../static/js/table/taps.js";
import { showPage, tap, texts } from "../kit.js";

const WRITE = { do: "write", by: "Ada", row: "yellow", field: 5 };
const PASS = { do: "pass", by: "Ada" };

let sent;
let isBegun;

beforeEach(() => {
  sent = [];
  isBegun = false;
});

/** A page with this content, whose taps are noted. */
function show(content) {
  showPage(content);
  answerTaps(
    (asked, what) => sent.push([asked, what]),
    () => isBegun,
  );
}

const field = (action, state = "open", name = "yellow.5") =>
  `<g class="f ${state}" data-f="${name}" data-tap='${JSON.stringify(action)}'
    aria-label="yellow 5"><rect/></g>`;

/** A key on the first element that matches; `repeat` when it is held. */
function press(key, selector, repeat = false) {
  const event = new document.defaultView.Event("keydown", { bubbles: true, cancelable: true });
  Object.assign(event, { key, repeat });
  document.querySelector(selector).dispatchEvent(event);
  return event;
}

const classes = (selector) => document.querySelector(selector).className.split(/\s+/);

test("a drawn field contains no name: the sheet's element has it", () => {
  show(`<div data-by="Ada">${field({ ...WRITE, by: "$by" })}</div>`);
  tap("rect");
  assert.deepEqual(sent, [[{ action: WRITE, first: undefined }, "yellow 5"]]);
  const list = [{ tap: { action: WRITE } }];
  showPage(`<div data-player="1" data-by="Ada">${field({ ...WRITE, by: "$by" })}</div>`);
  showWaiting({ list: () => list });
  assert.deepEqual(classes("g"), ["f", "pending"]);
});

test("a field that leaves a value open asks for it, and sends what is chosen", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const values = [5, 10].map((points) => [String(points), { points }]);
  show(`<div data-by="Ada">${field({ ...WRITE, by: "$by", $: values }, "choice")}</div>`);
  tap("rect");
  assert.deepEqual([texts(".value"), sent], [["5", "10"], []]);
  tap(".value:last-of-type");
  const action = { ...WRITE, points: 10 };
  assert.deepEqual(sent, [[{ action, first: undefined }, "yellow 5"]]);
  assert.deepEqual([texts(".value"), classes("g")], [[], ["f", "pending"]]);
});

test("a complete tap is sent unchanged, without a moment", () => {
  show(`<button data-send='{"undo": "e1"}'>Undo</button>`);
  tap("button");
  assert.deepEqual(sent, [[{ moment: undefined, undo: "e1" }, "Undo"]]);
});

test("undo counts the taps made before the page names the next step", () => {
  const queue = { saved: null, isWaiting: () => queue.saved === null };
  const ids = [];
  queue.add = ({ undo }) => {
    if (ids.at(-1) !== undo) ids.push(undo);
    return undo; // a repeated tap is the one before
  };
  showPage(`<button id="bar-undo" data-send='{"undo": "e3"}'>Undo</button>`);
  answerTaps(queue.add);
  for (let taps = 0; taps < 3; taps += 1) tap("button");
  repeatSending(queue);
  assert.deepEqual(ids, ["e3"]);
  for (const [saved, next] of [
    ["e3", "e2"],
    ["e2", "e1"],
    ["e1", "e0"],
  ]) {
    queue.saved = { tap: { id: saved } };
    document.querySelector("button").dataset.send = `{"undo": "${next}"}`;
    repeatSending(queue);
  }
  assert.deepEqual(ids, ["e3", "e2", "e1"]);
  tap("button");
  tap("button");
  repeatSending(queue);
  assert.deepEqual(ids.slice(3), ["e0"], "after a refusal nothing is repeated");
});

test("an undo first takes back what is tapped but not sent", () => {
  show(`<button data-send='{"undo": "e1"}'>Undo</button>`);
  isBegun = true;
  tap("button");
  assert.deepEqual(sent, []);
});

test("a refusal that is already known is shown", () => {
  show(`<button data-reason="Not now.">4</button>`);
  tap("button");
  assert.deepEqual(texts(".toast.bad p"), ["Not now."]);
});

test("a key that is held taps once, whatever has the focus meanwhile", () => {
  show(`${field(WRITE)}<button data-tap='${JSON.stringify(PASS)}'>Pass</button><input>`);
  for (const key of ["Enter", " "]) {
    // A browser makes clicks of keys on buttons, unless they are prevented.
    assert.equal(press(key, "button").defaultPrevented, false);
    assert.equal(press(key, "button", true).defaultPrevented, true);
    assert.equal(press(key, "g", true).defaultPrevented, true);
    assert.equal(press(key, "input", true).defaultPrevented, false);
  }
  assert.deepEqual(sent, []);
});

// What waits to be saved

const waiting = (...actions) => ({ list: () => actions.map((action) => ({ tap: { action } })) });
const sheet = (by, ...fields) => `<div data-player="1" data-by="${by}">${fields.join("")}</div>`;

test("after a redraw the field of a waiting tap looks pending, and no other does", () => {
  show(sheet("Ada", field(WRITE), field({ ...WRITE, field: 6 }, "open", "yellow.6")));
  showWaiting(waiting(WRITE));
  assert.deepEqual(classes('[data-f="yellow.5"]'), ["f", "pending"]);
  assert.deepEqual(classes('[data-f="yellow.6"]'), ["f", "open"]);
});

test("fields that an action names look pending, too", () => {
  show(sheet("Ada", field(PASS, "open", "A1"), field(PASS, "open", "A2")));
  showWaiting(waiting({ do: "cross", by: "Ada", boxes: ["A2"] }));
  assert.deepEqual(classes('[data-f="A1"]'), ["f", "open"]);
  assert.deepEqual(classes('[data-f="A2"]'), ["f", "pending"]);
});

test("another player's sheet stays as it is", () => {
  show(sheet("Ben", field(WRITE)));
  showWaiting(waiting(WRITE, undefined, { do: "draw" }));
  assert.deepEqual(classes(".f"), ["f", "open"]);
});

// What is in the way of a tap is pointed at, for a while

const spots = (player) =>
  `<article data-player="1" data-by="${player}"><g data-f="yellow.1"></g><g data-f="yellow.2"></g></article>`;

const pointed = () =>
  [...document.querySelectorAll("[data-pointed]")].map((field) => [
    field.closest("[data-by]").dataset.by,
    field.dataset.f,
  ]);

test("only fields of the tap's player are pointed at", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  showPage(spots("Ada") + spots("Ben"));
  pointAt("Ben", ["yellow.2", "orange.1"]);
  assert.deepEqual(pointed(), [["Ben", "yellow.2"]]);
  context.mock.timers.tick(60000);
  assert.deepEqual(pointed(), []);
  pointAt(undefined, ["yellow.2"]);
  assert.deepEqual(pointed(), []);
});
