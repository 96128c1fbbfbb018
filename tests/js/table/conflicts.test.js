// A note about a tap that could not be saved leaves others alone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { toast } from "../../../static/js/page/toasts.js";
import { addConflict, showConflicts } from "../../../static/js/table/conflicts.js";
import { showPage, texts } from "../kit.js";

test("notes to confirm stand beside the single note about taps that could not be saved", () => {
  showPage();
  toast("Ada went on without you", { understood() {} });
  showConflicts();
  addConflict("4 in yellow: too late");
  addConflict("5 in yellow: too late");
  assert.deepEqual(texts("#toasts p"), ["Ada went on without you", "Not saved:"]);
  assert.deepEqual(texts("#toasts li"), ["4 in yellow: too late", "5 in yellow: too late"]);
});
