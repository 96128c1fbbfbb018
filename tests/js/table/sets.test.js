// Fields that go together: which choice the picks are, and which sets are left.

import assert from "node:assert/strict";
import { test } from "node:test";
import { choiceOf, isWhole, leadNowhere, picksOf, waysOf } from "../../../static/js/table/sets.js";

const NEEDS = ["die", "count"];
const BLUE = { when: { die: "joker", count: 2, color: "blue" }, sets: [["A1", "A2"]] };
const RED = { when: { die: "joker", count: 2, color: "red" }, sets: [["B1", "B2"]] };
const PLAIN = {
  when: { die: "red", count: 2, color: "red" },
  sets: [
    ["B1", "B2"],
    ["B2", "B3"],
  ],
};
const CHOICES = [BLUE, RED, PLAIN];

test("a choice needs all parts that every choice needs", () => {
  assert.equal(choiceOf(CHOICES, NEEDS, {}), null);
  assert.equal(choiceOf(CHOICES, NEEDS, { die: "red" }), null);
  assert.equal(choiceOf(CHOICES, NEEDS, { die: "red", count: 2 }), PLAIN);
  assert.equal(choiceOf(CHOICES, NEEDS, { die: "joker", count: 2, color: "blue" }), BLUE);
  assert.equal(choiceOf(CHOICES, NEEDS, { die: "red", count: 3 }), null);
});

test("a part that is left open is said by the fields", () => {
  const picks = { die: "joker", count: 2 };
  const choice = choiceOf(CHOICES, NEEDS, picks);
  assert.deepEqual(choice?.sets, [...BLUE.sets, ...RED.sets]);
  assert.deepEqual(waysOf(choice, ["B1"]), RED.sets);
  assert.deepEqual(picksOf(CHOICES, NEEDS, picks, ["B2", "B1"]), RED.when);
  assert.deepEqual(picksOf(CHOICES, NEEDS, picks, ["A1"]), picks);
});

test("a field says a part, unless the part is to have a value of its own", () => {
  const picks = { count: 2 };
  const said = { die: "joker" };
  const choice = choiceOf(CHOICES, NEEDS, picks, said);
  assert.deepEqual(choice?.sets, PLAIN.sets);
  assert.deepEqual(picksOf(CHOICES, NEEDS, picks, ["B1", "B2"], said), PLAIN.when);
  assert.equal(choiceOf(CHOICES, NEEDS, { die: "joker" }, said), null);
  assert.equal(choiceOf(CHOICES, NEEDS, {}, said), null);
});

test("fields that are tapped leave the sets that hold them all", () => {
  assert.deepEqual(waysOf(PLAIN, []), PLAIN.sets);
  assert.deepEqual(waysOf(PLAIN, ["B2"]), PLAIN.sets);
  assert.deepEqual(waysOf(PLAIN, ["B2", "B3"]), [["B2", "B3"]]);
  assert.deepEqual(waysOf(PLAIN, ["B1", "B3"]), []);
  assert.deepEqual(waysOf(null, []), []);
});

test("picks lead nowhere only when nothing is left to be picked", () => {
  assert.equal(leadNowhere(CHOICES, NEEDS, { die: "red" }), false);
  assert.equal(leadNowhere(CHOICES, NEEDS, { die: "red", count: 2 }), false);
  assert.equal(leadNowhere(CHOICES, NEEDS, { die: "red", count: 5 }), true);
});

test("a whole set is one of those that are left, and not empty", () => {
  const ways = [["A1"], ["A1", "A2"]];
  assert.equal(isWhole(ways, ["A1"]), true);
  assert.equal(isWhole([["A1", "A2"]], ["A1"]), false);
  assert.equal(isWhole([[]], []), false);
});
