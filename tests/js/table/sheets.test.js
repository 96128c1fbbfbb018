// A narrow screen shows one sheet: the one that the game asks for, or the one chosen by hand.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { answerSheets, showSelected, showTurned } from "../../../static/js/table/sheets.js";
import { showPage, tap, texts } from "../kit.js";

const SEATS = ["1", "2", "3"];
const CONTENT = `<main class="play"><section class="call" data-seat="1"></section>${SEATS.map(
  (seat) =>
    `<button role="tab" data-tab="${seat}"></button>
    <article class="player" data-player="${seat}"><button data-turn="${seat}"></button>
    <g class="sheet"><g class="f number open" data-f="yellow.1" role="button" tabindex="0"></g></g>
    <button data-write-for="${seat}" hidden></button></article>`,
).join("")}</main>`;

beforeEach(() => {
  showPage(CONTENT, { focus: "none", active: "1", by: "Ada", rolls: "no", awaited: "1 3" });
  answerSheets();
  // What the last test has chosen is forgotten when the game asks for another sheet.
  showSelected();
  redraw("1");
});

const shown = () =>
  [...document.querySelectorAll(".player.selected")].map((player) => player.dataset.player);
const isOwnTurn = () => document.querySelector(".call").classList.contains("own-turn");

/** Redraws the table as the server sees it. */
function redraw(focus) {
  const table = document.querySelector("#table");
  table.innerHTML = CONTENT;
  table.dataset.focus = focus;
  showSelected();
  showTurned();
}

test("a choice stays until the game asks for another sheet", () => {
  tap('[data-tab="3"]');
  redraw("1");
  assert.deepEqual(shown(), ["3"]);
  redraw("2");
  assert.deepEqual(shown(), ["2"]);
  redraw("1");
  assert.deepEqual(shown(), ["1"]);
});

test("a choice survives a reload, but not the loss of its player", () => {
  tap('[data-tab="3"]');
  answerSheets();
  redraw("1");
  assert.deepEqual(shown(), ["3"]);
  document.querySelector('[data-tab="3"]').remove();
  showSelected();
  assert.deepEqual(shown(), ["1"]);
});

test("the hint speaks of the player whose sheet is shown, else of the one who is asked", () => {
  const hint = document.createElement("p");
  hint.className = "hint says";
  hint.innerHTML = `<span class="said">Ada: pass</span><span class="how"></span>
    <i data-of="1" data-said="Ada: pass" data-how=""></i><i data-of="2" data-said="Ben: write" data-how="Grow."></i>`;
  document.querySelector("main").append(hint);
  const said = (seat) => {
    tap(`[data-tab="${seat}"]`);
    return texts(".said, .how");
  };
  assert.deepEqual(said("2"), ["Ben: write", "Grow."]);
  assert.deepEqual(said("3"), ["Ada: pass", ""]);
});

// The phone of the player of seat 1, beside phones of the other two

/** What the server says next of the table. */
function say(facts) {
  Object.assign(document.querySelector("#table").dataset, facts);
  redraw("1");
}

const isReadOnly = (seat) =>
  document.querySelector(`[data-player="${seat}"]`).classList.contains("read-only");
const openFields = (seat) => document.querySelectorAll(`[data-player="${seat}"] .f.open`).length;
const hasButton = (seat) => !document.querySelector(`[data-write-for="${seat}"]`).hidden;

const OTHERS = {
  others: "2 3",
  helps: "2 3",
  active: "2",
  awaited: "1 2 3",
  moment: "m1",
  step: "1",
};

test("writing for somebody holds until the step is over", () => {
  say(OTHERS);
  tap('[data-tab="2"]');
  tap('[data-write-for="2"]');
  redraw("1"); // in a browser the whole page is drawn at once
  assert.deepEqual([isReadOnly("2"), isOwnTurn(), openFields("2")], [false, true, 1]);
  assert.deepEqual([isReadOnly("3"), hasButton("2")], [true, false]);
  say({ moment: "m2" }); // the roll that was entered for them
  assert.deepEqual([shown(), isReadOnly("2")], [["2"], false]);
  answerSheets(); // a reload
  say({});
  assert.equal(isReadOnly("2"), false);
  say({ moment: "m3", step: "2" });
  assert.deepEqual([shown(), isReadOnly("2")], [["1"], true]);
});

test("another tab ends the writing for somebody", () => {
  say(OTHERS);
  tap('[data-write-for="2"]');
  tap('[data-tab="2"]');
  assert.equal(isReadOnly("2"), false);
  tap('[data-tab="1"]');
  tap('[data-tab="2"]');
  assert.equal(isReadOnly("2"), true);
});

test("a turned sheet is straight again at another table", () => {
  const table = document.querySelector("#table");
  const degrees = () => document.querySelector('[data-player="2"]').dataset.turned;
  table.dataset.table = "first";
  tap('[data-turn="2"]');
  redraw("1");
  assert.equal(degrees(), "180");
  table.dataset.table = "second";
  redraw("1");
  assert.equal(degrees(), "");
});
