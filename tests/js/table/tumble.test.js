// Dice tumble when the app has rolled them, and not for what was rolled before this page came.

import assert from "node:assert/strict";
import { test } from "node:test";
import { showRoll } from "../../../static/js/table/tumble.js";
import { holdTimers, showPage } from "../kit.js";

const tumbles = () => document.body.classList.contains("tumbling");

test("a new roll of the app tumbles for a moment", (context) => {
  showPage("", { rolled: "7" });
  const timers = holdTimers(context);
  showRoll();
  assert.ok(!tumbles(), "it was rolled before");
  document.querySelector("#table").dataset.rolled = "9";
  showRoll();
  assert.ok(tumbles());
  timers.run();
  assert.ok(!tumbles());
  showRoll();
  assert.ok(!tumbles());
});

test("the first roll after the app was asked to roll tumbles, too", (context) => {
  showPage();
  holdTimers(context);
  showRoll();
  document.querySelector("#table").dataset.rolled = "0";
  showRoll();
  assert.ok(!tumbles());
  document.querySelector("#table").dataset.rolled = "12";
  showRoll();
  assert.ok(tumbles());
});
