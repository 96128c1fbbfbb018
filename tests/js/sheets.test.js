// A narrow screen shows one sheet: the one that the game asks for, or the one chosen by hand.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { answerSheets, showSelected, showTurned } from "../../static/js/sheets.js";
import { showPage, tap } from "./kit.js";

const SEATS = ["1", "2", "3"];
const CONTENT = `<main class="play"><section class="call" data-seat="1"></section>${SEATS.map(
  (seat) =>
    `<button role="tab" data-tab="${seat}"></button>
    <article class="player" data-player="${seat}"><button data-turn="${seat}"></button></article>`,
).join("")}</main>`;

beforeEach(() => {
  showPage(CONTENT, { focus: "none", active: "1", by: "Ada", rolls: "no", waiting: "1 3" });
  answerSheets();
  // What the last test has chosen is forgotten when the game asks for another sheet.
  showSelected();
  redraw("1");
});

const shown = () =>
  [...document.querySelectorAll(".player.selected")].map((player) => player.dataset.player);
const tabs = (name) =>
  [...document.querySelectorAll("[data-tab]")].map((tab) => tab.getAttribute(name));
const isOwnTurn = () => document.querySelector(".call").classList.contains("own-turn");
const turned = (seat) => document.querySelector(`[data-player="${seat}"]`).dataset.turned;

test("whose turn it is and who is waited for follow the table", () => {
  const having = (name) =>
    [...document.querySelectorAll(`.player.${name}`)].map((player) => player.dataset.player);
  assert.deepEqual([having("active"), having("waiting")], [["1"], ["1", "3"]]);
  const table = document.querySelector("#table");
  Object.assign(table.dataset, { active: "2", by: "Ben", rolls: "yes", waiting: "" });
  showSelected();
  assert.deepEqual([having("active"), having("waiting")], [["2"], []]);
  const { by, seat, mine } = document.querySelector(".call").dataset;
  assert.deepEqual([by, seat, mine], ["Ben", "2", "yes"]);
});

/** Draws the table anew, as the server sees it. */
function redraw(focus) {
  const table = document.querySelector("#table");
  table.innerHTML = CONTENT;
  table.dataset.focus = focus;
  showSelected();
  showTurned();
}

test("the sheet that the game asks for is shown", () => {
  assert.deepEqual(shown(), ["1"]);
  assert.deepEqual(tabs("aria-selected"), ["true", "false", "false"]);
  redraw("2");
  assert.deepEqual(shown(), ["2"]);
});

test("a tab shows its sheet, and the call only on the active player's", () => {
  assert.equal(isOwnTurn(), true);
  tap('[data-tab="3"]');
  assert.deepEqual(shown(), ["3"]);
  assert.equal(isOwnTurn(), false);
});

test("what was chosen stays until the game asks for another sheet", () => {
  tap('[data-tab="3"]');
  redraw("1");
  assert.deepEqual(shown(), ["3"]);
  redraw("2");
  assert.deepEqual(shown(), ["2"]);
  redraw("1");
  assert.deepEqual(shown(), ["1"]);
});

test("what was chosen outlives a reload, but not its player", () => {
  tap('[data-tab="3"]');
  answerSheets();
  redraw("1");
  assert.deepEqual(shown(), ["3"]);
  document.querySelector('[data-tab="3"]').remove();
  showSelected();
  assert.deepEqual(shown(), ["1"]);
});

test("arrow keys go to the next tab, round and round", () => {
  const press = (key) => {
    const event = new document.defaultView.Event("keydown", { bubbles: true });
    document.querySelector("[aria-selected=true]").dispatchEvent(Object.assign(event, { key }));
  };
  press("ArrowRight");
  assert.deepEqual(shown(), ["2"]);
  press("ArrowLeft");
  press("ArrowLeft");
  assert.deepEqual(shown(), ["3"]);
  press("ArrowDown");
  assert.deepEqual(shown(), ["1"]);
  press("Home");
  assert.deepEqual(shown(), ["1"]);
});

test("a lobby has no sheets", () => {
  showPage("", { focus: "1" });
  showSelected();
  assert.deepEqual(shown(), []);
});

test("a sheet is turned in four steps, and stays so after a redraw", () => {
  const seen = [];
  for (let step = 0; step < 4; step += 1) {
    tap('[data-turn="2"]');
    redraw("1");
    seen.push(turned("2"));
  }
  assert.deepEqual(seen, ["180", "90", "270", ""]);
  assert.equal(turned("1"), "");
});
