// What a tap on a button of a picker makes of the picks, and the picks of a template.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  completed,
  filled,
  isComplete,
  isFull,
  isTwice,
  matchesAll,
  matchesAny,
  nextOf,
  parsed,
  tapped,
} from "../../../static/js/table/picks.js";

test("a value is a whole number or a text", () => {
  assert.equal(parsed("6"), 6);
  assert.equal(parsed("-2"), -2);
  for (const text of ["new", "1.5", "", "4a", "٣"]) assert.equal(parsed(text), text);
});

test("all needs have to be met, a group by any of its parts", () => {
  assert.equal(isComplete(["card"], {}), false);
  assert.equal(isComplete(["card", "place"], { card: 1 }), false);
  assert.equal(isComplete(["card", "place"], { card: 1, place: 2 }), true);
  assert.equal(isComplete(["dice"], { "dice.a": 1 }), true);
  assert.equal(isComplete(["dice"], { dicey: 1 }), false);
});

test("a tap picks a part, another one changes it", () => {
  const once = tapped({}, ["card"], { part: "card", value: 3 });
  assert.deepEqual(once, { card: 3 });
  assert.deepEqual(tapped(once, ["card"], { part: "card", value: 4 }), { card: 4 });
  assert.equal(tapped(once, ["card"], { part: "card", value: 3 }), null);
});

test("an optional part is taken back by a second tap, the last one is not", () => {
  const both = { "dice.a": 1, "dice.b": 2 };
  const again = { part: "dice.b", value: 2 };
  assert.deepEqual(tapped(both, ["dice"], again), { "dice.a": 1 });
  assert.equal(tapped({ "dice.b": 2 }, ["dice"], again), null);
  assert.equal(tapped(both, ["dice.a", "dice.b"], again), null);
});

test("a part that nothing needs is taken back by a second tap", () => {
  assert.deepEqual(tapped({ shown: "red" }, ["card"], { part: "shown", value: "red" }), {});
});

test("a group is filled in the order of its needs", () => {
  const needs = ["c.0", "c.1", "n.0"];
  const red = { part: "c.+", value: "red" };
  const one = tapped({}, needs, red);
  assert.deepEqual(one, { "c.0": "red" });
  assert.deepEqual(tapped(one, needs, red), { "c.0": "red", "c.1": "red" });
  assert.deepEqual(tapped({ "c.1": "red" }, needs, red), { "c.1": "red", "c.0": "red" });
  assert.equal(tapped({ "c.0": "red", "c.1": "red" }, needs, red), null);
});

test("a part can take others back", () => {
  const picks = { die: "joker", color: "blue" };
  assert.deepEqual(tapped(picks, [], { part: "die", value: "red", resets: ["color"] }), {
    die: "red",
  });
});

test("a template takes parts, groups as objects, and numbered groups as lists", () => {
  const template = { do: "a", by: "Ada", card: "$card", dice: "$dice", all: ["$c", { x: "$n" }] };
  const picks = {
    card: "9",
    "dice.a": 1,
    "dice.b": 2,
    "c.1": "y",
    "c.0": "x",
    "n.10": 3,
    "n.9": 4,
  };
  assert.deepEqual(filled(template, picks), {
    do: "a",
    by: "Ada",
    card: "9",
    dice: { a: 1, b: 2 },
    all: [["x", "y"], { x: [4, 3] }],
  });
});

test("signs in a name are only a name", () => {
  assert.deepEqual(filled({ by: "$card", what: "$card" }, { card: 1 }), { by: "$card", what: 1 });
});

test("a template is not changed", () => {
  const template = { all: ["$a"] };
  filled(template, { a: 1 });
  assert.deepEqual(template, { all: ["$a"] });
});

test("conditions on what was picked", () => {
  const features = { back: "red", value: 3 };
  assert.equal(matchesAny({ card: "red/blue/4" }, { card: "green/red/4" }), true);
  assert.equal(matchesAny({ card: "red/blue/4" }, { card: "green/red/3" }), false);
  assert.equal(matchesAny({}, { card: "green/red/3" }), false);
  assert.equal(matchesAll({ back: "red", value: 4 }, features), false);
  assert.equal(matchesAll({ back: "red", value: 3, more: 1 }, features), true);
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

test("parts of a group have a name for the next one, whatever they are called", () => {
  assert.equal(nextOf("colors.0"), "colors.+");
  assert.equal(nextOf("grid.tl"), "grid.+");
  assert.equal(nextOf("card"), "card");
});

test("a group is full, or has a value already", () => {
  const needs = ["grid.tl", "grid.tr", "number.0"];
  assert.equal(isFull({ "grid.tl": "o4" }, needs, "grid.+"), false);
  assert.equal(isFull({ "grid.tl": "o4", "grid.tr": "o5" }, needs, "grid.+"), true);
  assert.equal(isFull({}, needs, "grid.tl"), false);
  assert.equal(isTwice({ "grid.tl": "o4" }, "grid.+", "o4"), true);
  assert.equal(isTwice({ "grid.tl": "o4" }, "grid.+", "o5"), false);
  assert.equal(isTwice({ "number.0": "o4" }, "grid.+", "o4"), false);
});
