// A phone learns which values of a picker there are.

import assert from "node:assert/strict";
import { test } from "node:test";
import { showLearned } from "../../../static/js/table/learning.js";
import { showPage } from "../kit.js";

test("after two whole games, what never came is dim; another table of the same game knows it", () => {
  const draw = (...seen) => {
    const buttons = ["a", "b", "c", "d"].map((value) => {
      const looks = seen.includes(value) ? "seen" : "";
      return `<button data-part="card" data-value="${value}" class="${looks}"></button>`;
    });
    const picker = `<div data-learns="card" data-whole="2">${buttons.join("")}</div>`;
    document.querySelector("#table").innerHTML = picker;
    showLearned();
    return [...document.querySelectorAll(".unheard")].map(({ dataset }) => dataset.value);
  };
  showPage("", { game: "some" });
  assert.deepEqual(draw("a", "b"), []);
  assert.deepEqual(draw("a", "b", "c"), [], "the same game");
  assert.deepEqual(draw(), []);
  assert.deepEqual(draw("b"), []);
  assert.deepEqual(draw("b", "a"), ["d"]);
  document.querySelector("#table").dataset.game = "other";
  assert.deepEqual(draw("a"), []);
});
