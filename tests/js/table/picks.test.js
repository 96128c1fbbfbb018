// What a tap on a button of a picker makes of the picks, and the picks of a template.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  completed,
  filled,
  isComplete,
  isTyped,
  parsed,
  tapped,
  typed,
} from "../../../static/js/table/picks.js";

test("a value is a whole number or a text", () => {
  for (const number of [6, -2]) assert.equal(parsed(`${number}`), number);
  for (const text of ["new", "1.5", "", "4a", "٣"]) assert.equal(parsed(text), text);
});

const BOTH = { "dice.a": 1, "dice.b": 2 };
const GROUP = ["c.0", "c.1", "n.0"];

for (const [what, picks, needs, button, expected] of [
  ["a part is picked", {}, ["card"], { part: "card", value: 3 }, { card: 3 }],
  ["another value changes it", { card: 3 }, ["card"], { part: "card", value: 4 }, { card: 4 }],
  ["what is needed stays at a second tap", { card: 3 }, ["card"], { part: "card", value: 3 }, null],
  ["an optional part goes", BOTH, ["dice"], { part: "dice.b", value: 2 }, { "dice.a": 1 }],
  ["but not the last", { "dice.b": 2 }, ["dice"], { part: "dice.b", value: 2 }, null],
  ["what nothing needs goes", { shown: 1 }, ["card"], { part: "shown", value: 1 }, {}],
  ["a group is filled in order", {}, GROUP, { part: "c.+", value: 1 }, { "c.0": 1 }],
  ["wherever it is empty", { "c.1": 1 }, GROUP, { part: "c.+", value: 1 }, { "c.1": 1, "c.0": 1 }],
  ["until it is full", { "c.0": 1, "c.1": 1 }, GROUP, { part: "c.+", value: 1 }, null],
  ["others are taken back", { a: 1, b: 2 }, [], { part: "a", value: 3, resets: ["b"] }, { a: 3 }],
]) {
  test(`a tap: ${what}`, () => assert.deepEqual(tapped(picks, needs, button), expected));
}

test("all needed parts must be there; any part of a group is enough", () => {
  assert.equal(isComplete(["card", "place"], { card: 1 }), false);
  assert.equal(isComplete(["dice"], { "dice.a": 1 }), true);
  assert.equal(isComplete(["dice"], { dicey: 1 }), false);
});

test("a template takes parts, groups as objects, and numbered groups as lists", () => {
  const template = { by: "$card", card: "$card", dice: "$dice", all: ["$c", { x: "$n" }] };
  const picks = { card: "9", ...BOTH, "c.1": "y", "c.0": "x", "n.10": 3, "n.9": 4 };
  assert.deepEqual(filled(template, picks), {
    by: "$card", // signs in a name are only a name
    card: "9",
    dice: { a: 1, b: 2 },
    all: [["x", "y"], { x: [4, 3] }],
  });
});

test("the last part is chosen where one way is left", () => {
  const rows = [
    { value: "1", features: { card: "red/blue/4" } },
    { value: "2", features: { card: "red/green/3" } },
  ];
  const picked = (card, more = {}) =>
    completed({ card, ...more }, ["card", "row"], "row", rows, "new").row;
  assert.equal(picked("blue/green/1"), 2);
  assert.equal(picked("blue/red/1"), "new");
  assert.equal(picked("red/red/1"), undefined);
  assert.equal(picked("blue/green/1", { row: 1 }), 1);
  assert.deepEqual(completed({}, ["card", "row"], "row", rows, "new"), {});
});

for (const [keys, text] of [
  ["12", "12"],
  ["007", "7"],
  ["12⌫", "1"],
  ["1⌫⌫", ""],
  ["±5", "-5"],
  ["5±", "-5"],
  ["5±±", "5"],
  ["±0", "-0"],
  ["100000", "10000"],
  ["1500±", "-1500"],
]) {
  test(`keys type a number in its range: ${keys}`, () => {
    const range = /** @type {[number, number]} */ ([-99_999, 99_999]);
    const found = [...keys].reduce((before, key) => typed(before, key, range) ?? before, "");
    assert.equal(found, text);
    assert.equal(isTyped(found), /\d/.test(found));
  });
}
