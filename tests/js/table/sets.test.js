// Fields that go together: which choice the picks are, and which sets are left.

import assert from "node:assert/strict";
import { test } from "node:test";
import { choiceOf, picksOf, waysOf } from "../../../static/js/table/sets.js";

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
const SAID = { die: "joker", count: "joker" };

test("a field sets all parts, unless a part must have its own value", () => {
  assert.equal(choiceOf(CHOICES, {}, SAID), PLAIN);
  assert.equal(choiceOf(CHOICES, { die: "red", count: 2 }, SAID), PLAIN);
  assert.equal(choiceOf(CHOICES, { count: 3 }, SAID), null);
  const choice = choiceOf(CHOICES, { die: "joker" }, SAID);
  assert.deepEqual(choice?.sets, [...BLUE.sets, ...RED.sets]);
  assert.deepEqual(waysOf(choice, ["B1"]), RED.sets);
});

test("a set of fields has the picks that it goes with", () => {
  assert.deepEqual(picksOf(CHOICES, {}, ["B2", "B1"], SAID), PLAIN.when);
  assert.deepEqual(picksOf(CHOICES, { die: "joker" }, ["B2", "B1"], SAID), RED.when);
  assert.deepEqual(picksOf(CHOICES, {}, ["A1"], SAID), {});
});
