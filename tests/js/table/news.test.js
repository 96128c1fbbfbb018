// How near the end is, told once in notes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { showNews } from "../../../static/js/table/news.js";
import { showPage } from "../kit.js";

const FACTS = "<ul data-drawn=news></ul><div id=toasts></div>";

/** @param {...string} facts */
function draw(...facts) {
  const lines = facts.map((fact) => `<li>${fact}</li>`).join("");
  document.querySelector("[data-drawn=news]").innerHTML = lines;
  showNews();
}

const said = () => document.querySelector("#toasts").textContent;

test("each fact is told once, one after the other, and not when it is over", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  showPage(FACTS);
  draw("Column E is full: Ada", "Ben: 2 boxes to the end", "Cy: 3 boxes to the end");
  assert.equal(said(), "Column E is full: Ada");
  draw("Ben: 2 boxes to the end", "Ada: 3 boxes to the end");
  assert.equal(said(), "Column E is full: Ada");
  t.mock.timers.tick(4000);
  assert.equal(said(), "Ada: 3 boxes to the end");
  t.mock.timers.tick(4000);
  assert.equal(said(), "Ben: 2 boxes to the end");
  t.mock.timers.tick(60_000);
  assert.equal(said(), "");
  draw("Ben: 2 boxes to the end", "Ada: 3 boxes to the end");
  assert.equal(said(), "");
});
