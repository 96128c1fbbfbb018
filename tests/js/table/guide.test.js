// The guide of a first game is shown until its end was seen, or as somebody has switched it. The hint and the notes
// fit into their place.

import assert from "node:assert/strict";
import { test } from "node:test";
import { toast } from "../../../static/js/page/toasts.js";
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

test("a note is folded when a lower hint leaves too little room for it", () => {
  showPage();
  const note = toast("A long note", { understood: () => {} });
  Object.assign(note.firstChild, { scrollHeight: 79, clientHeight: 68 });
  showGuide();
  assert.ok(note.matches(".folded"));
  assert.ok(note.querySelector(".unfold"));
});
