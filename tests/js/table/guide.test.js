// The guide of a first game is shown until its end was seen, or as somebody has switched it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { showGuide } from "../../../static/js/table/guide.js";
import { showPage } from "../kit.js";

const SWITCH = '<input type="checkbox" data-guide>';

const isGuided = () => document.body.classList.contains("guided");

/** A table of a game in some phase, on the phone of before. */
function show(game, phase) {
  const table = document.querySelector("#table");
  Object.assign(table.dataset, { game, phase });
  showGuide();
}

test("a game is explained until this phone has seen the end of one", () => {
  showPage(SWITCH);
  show("qwixx", "playing");
  assert.ok(isGuided());
  assert.ok(document.querySelector("[data-guide]").checked);
  show("qwixx", "over");
  show("qwixx", "playing");
  assert.ok(!isGuided());
  show("encore", "playing");
  assert.ok(isGuided());
});
