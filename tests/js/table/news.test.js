// How near the end is, told once in notes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { showNews } from "../../../static/js/table/news.js";
import { showPage } from "../kit.js";

const said = () => document.querySelector("#toasts").textContent;

test("each fact is told once, one after the other, and not when it is over", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  showPage("<ul data-drawn=news></ul><div id=toasts></div>");
  const heard = [
    ["A", "B", "C"],
    ["A", "C"],
    ["A", "C"],
    ["D", "A", "C"],
  ].map((facts) => {
    document.querySelector("[data-drawn=news]").innerHTML = `<li>${facts.join("<li>")}`;
    showNews();
    t.mock.timers.tick(3000);
    return said();
  });
  assert.deepEqual(heard, ["A", "A", "C", "D"]);
});
