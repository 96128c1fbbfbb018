// What could not be saved is said until somebody has understood.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { toast } from "../../../static/js/page/toasts.js";
import { addConflict, showConflicts } from "../../../static/js/table/conflicts.js";
import { holdTimers, showPage, tap, texts } from "../kit.js";

beforeEach(() => showPage());

test("every conflict has a line in one note", () => {
  addConflict("Ada, 5: too late");
  addConflict("Ben, 6: too late");
  assert.deepEqual(texts("#toasts .conflict p"), ["Not saved:"]);
  assert.deepEqual(texts("#toasts .conflict li"), ["Ada, 5: too late", "Ben, 6: too late"]);
});

test("it is said again after a reload", () => {
  addConflict("Ada, 5: too late");
  document.querySelector("#toasts").replaceChildren();
  showConflicts();
  assert.deepEqual(texts("#toasts li"), ["Ada, 5: too late"]);
});

test("other notes do not take it away", (context) => {
  const timers = holdTimers(context);
  addConflict("Ada, 5: too late");
  toast("Something else");
  timers.run();
  assert.deepEqual(texts("#toasts p"), ["Not saved:"]);
});

test("understood, it is gone for good", () => {
  addConflict("Ada, 5: too late");
  tap("#toasts button");
  showConflicts();
  assert.deepEqual(texts("#toasts .toast"), []);
});
