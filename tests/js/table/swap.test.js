// Two pickers that swap places: the swap holds for one moment, and its loss is shown.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Swap } from "../../../static/js/table/swap.js";
import { showPage, tap, texts } from "../kit.js";

const BUTTON = `<button data-swap="first second" data-swap-lost="Too late." data-anew="e1" aria-pressed="false">
  </button>`;
const FIRST = '<div id="first"></div>';
const SECOND = '<div id="second" hidden></div>';

let forgotten;
let said;
let swap;
let isWaiting;

beforeEach(() => {
  forgotten = [];
  said = [];
  showPage(FIRST + SECOND + BUTTON);
  isWaiting = false;
  const pickers = { show: () => {}, forget: (id) => forgotten.push(id) };
  swap = new Swap(
    pickers,
    (asked) => said.push(asked),
    () => isWaiting,
  );
});

const press = () => swap.tap(document.querySelector("[data-swap]"));
const shown = () => ["first", "second"].filter((id) => !document.getElementById(id)?.hidden);

/** Redraws the table as the server sees it. */
function redraw(content, moment = "m1") {
  const table = document.querySelector("#table");
  table.innerHTML = content;
  table.dataset.moment = moment;
  swap.show();
}

test("a redraw does not swap them back, another moment does", () => {
  press();
  redraw(FIRST + SECOND + BUTTON);
  assert.deepEqual(shown(), ["second"]);
  redraw(FIRST + SECOND + BUTTON, "m2");
  assert.deepEqual(shown(), ["first"]);
});

test("while its player picks, the others are notified", () => {
  swap.keepOpen();
  assert.deepEqual(said, [], "the call is not this phone's, or final");
  document.querySelector("#table").innerHTML += '<button class="final" data-final="e1"></button>';
  swap.keepOpen();
  press();
  swap.keepOpen();
  assert.deepEqual(
    said.map(({ anew, on }) => [anew, on]),
    [
      ["e1", false],
      ["e1", true],
      ["e1", true],
    ],
  );
});

test("a reload does not swap them back", () => {
  press();
  const again = new Swap(swap.pickers, swap.send);
  again.restore();
  document.querySelector("#table").innerHTML = FIRST + SECOND + BUTTON;
  again.show();
  assert.deepEqual(shown(), ["second"]);
});

test("when it is lost, no tap meant for the second picker changes the first", () => {
  press();
  redraw(FIRST);
  assert.deepEqual(texts(".toast p"), ["Too late."]);
  assert.deepEqual(forgotten, ["second"]);
  assert.equal(document.getElementById("first").inert, true);
  tap(".toast button");
  assert.equal(document.getElementById("first").inert, false);
});

test("a swap lasts beyond this phone's earlier taps", () => {
  press();
  isWaiting = true;
  redraw(FIRST + SECOND + BUTTON, "m2");
  assert.deepEqual(shown(), ["second"]);
  isWaiting = false;
  swap.follow(said[0].id, "m2");
  redraw(FIRST + SECOND + BUTTON, "m2");
  assert.deepEqual(shown(), ["second"]);
});
