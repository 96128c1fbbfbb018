// Notes about what others did for this phone's player, and how near the end is, appear once.

import assert from "node:assert/strict";
import { test } from "node:test";
import { answerNotes } from "../../../static/js/page/toasts.js";
import { showNews } from "../../../static/js/table/news.js";
import { showNotes } from "../../../static/js/table/notes.js";
import { showPage, tap, texts } from "../kit.js";

globalThis.htmx = { process() {} };

/** The page at a version, with these lines of what others did. */
function draw(version, ...lines) {
  const table = document.querySelector("#table");
  table.dataset.version = String(version);
  const items = lines.map(
    ([seq, text, undo, more = ""]) =>
      `<li data-seq="${seq}" ${more}>${text}${undo ? `<button data-send='{"undo": "${undo}"}'>Undo</button>` : ""}</li>`,
  );
  table.innerHTML = `<ul data-drawn="notes">${items.join("")}</ul>`;
  showNotes();
}

const noted = () => texts("#toasts .by-others p, #toasts .by-others li");

test("earlier changes are not shown; later ones are, until they are confirmed", () => {
  showPage();
  draw(7, [5, "Ada entered for you: 9"]);
  assert.deepEqual(noted(), []);
  draw(8, [5, "Ada entered for you: 9"], [8, "Ada entered for you: 7"]);
  draw(9, [5, "Ada entered for you: 9"], [8, "Ada entered for you: 7"]);
  assert.deepEqual(noted(), ["Ada entered for you: 7"]);
  draw(10, [8, "Ada entered for you: 7"], [10, "Your 7 is gone"]);
  assert.deepEqual(noted(), ["Your 7 is gone", "Ada entered for you: 7"]);
  tap("#toasts .by-others button");
  assert.deepEqual(noted(), []);
  draw(11, [8, "Ada entered for you: 7"], [10, "Your 7 is gone"]);
  assert.deepEqual(noted(), []);
});

test("a phone that has had no player yet is notified only of later changes", () => {
  showPage();
  draw(3);
  draw(6);
  draw(7, [5, "an old one"], [7, "a new one"]);
  assert.deepEqual(noted(), ["a new one"]);
});

test("a note that needs no confirmation disappears with the next tap, and is shown once", () => {
  showPage();
  answerNotes();
  draw(3);
  draw(4, [4, "Ada is the host now", "", "data-passing"]);
  draw(5, [4, "Ada is the host now", "", "data-passing"]);
  assert.deepEqual(texts("#toasts .toast p"), ["Ada is the host now"]);
  assert.deepEqual(texts("#toasts button"), []);
  tap("#table", "pointerdown");
  assert.deepEqual(texts("#toasts .toast"), []);
  draw(6, [4, "Ada is the host now", "", "data-passing"]);
  assert.deepEqual(texts("#toasts .toast"), []);
});

test("the skipped player may undo it there", () => {
  showPage();
  draw(3);
  draw(4, [4, "Ada went on without you", "tap-4"]);
  const button = document.querySelector("#toasts .by-others [data-send]");
  assert.deepEqual(JSON.parse(button.dataset.send), { undo: "tap-4" });
  tap("#toasts .by-others [data-send]");
  draw(4, [4, "Ada went on without you", "tap-4"]);
  assert.deepEqual(noted(), []);
});

// How near the end is

const said = () => document.querySelector("#toasts").textContent;

test("each fact is shown once, one after the other, and not when it is out of date", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  showPage("<ul data-drawn=news></ul><div id=toasts></div>");
  const heard = [
    ["A", "B", "C"],
    ["A", "C"],
    ["A", "C"],
    ["D", "A", "C"],
    ["A", "C"],
  ].map((facts) => {
    document.querySelector("[data-drawn=news]").innerHTML = `<li>${facts.join("<li>")}`;
    showNews();
    t.mock.timers.tick(3000);
    return said();
  });
  assert.deepEqual(heard, ["A", "A", "C", "D", ""]);
});
