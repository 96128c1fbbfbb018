// What is in the way of a tap is pointed at, for a while.

import assert from "node:assert/strict";
import { test } from "node:test";
import { pointAt } from "../../../static/js/table/pointing.js";
import { showPage } from "../kit.js";

const sheet = (player) =>
  `<article data-player="1" data-by="${player}"><g data-f="yellow.1"></g><g data-f="yellow.2"></g></article>`;

const pointed = () =>
  [...document.querySelectorAll("[data-pointed]")].map((field) => [
    field.closest("[data-by]").dataset.by,
    field.dataset.f,
  ]);

test("the fields of the tap's player are pointed at, and of nobody else", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  showPage(sheet("Ada") + sheet("Ben"));
  pointAt("Ben", ["yellow.2", "orange.1"]);
  assert.deepEqual(pointed(), [["Ben", "yellow.2"]]);
  context.mock.timers.tick(60000);
  assert.deepEqual(pointed(), []);
  pointAt(undefined, ["yellow.2"]);
  assert.deepEqual(pointed(), []);
});
