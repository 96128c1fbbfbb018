// A correction that is typed faster than its answers come.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { answersLast, preview } from "../../../static/js/table/corrections.js";
import { showPage } from "../kit.js";

const points = (number) => ({ do: "points", by: "Ada", points: number });
const answer = (action) => ({ parameters: { action: JSON.stringify(action) } });

beforeEach(() => {
  showPage('<div id="preview"><button data-send="{}">Change it</button></div>');
  globalThis.htmx = { ajax: () => Promise.resolve() };
});

test("an answer to other points can no longer be sent", () => {
  preview("turns/entry", points(2));
  assert.ok(document.querySelector("#preview button").hasAttribute("disabled"));
});

test("the answer to an earlier key is not shown", () => {
  preview("turns/entry", points(2));
  preview("turns/entry", points(20));
  assert.equal(answersLast(answer(points(2))), false);
  assert.equal(answersLast(answer(points(20))), true);
});

test("the answer to taking the entry back is shown", () => {
  preview("turns/entry", points(2));
  assert.equal(answersLast(answer(null)), true);
});
