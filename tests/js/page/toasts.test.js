// Notes go by themselves, make room for the next one, and are seen over a dialog.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { answerNotes, dropRefusals, toast } from "../../../static/js/page/toasts.js";
import { holdTimers, showPage, texts } from "../kit.js";

let timers;

beforeEach((context) => {
  showPage();
  timers = holdTimers(context);
});

function press(element) {
  element.dispatchEvent(new document.defaultView.Event("pointerdown", { bubbles: true }));
}

test("a note goes by itself, a longer one later", () => {
  toast("Short");
  toast("A sentence that takes longer to be read");
  const [short, long] = timers.pauses;
  assert.ok(short < long);
  timers.run();
  assert.deepEqual(texts(".toast"), []);
});

test("the next tap anywhere removes it, unless it must be confirmed", () => {
  answerNotes();
  toast("Saved");
  toast("Conflict", { understood: () => {} });
  press(document.querySelector(".toast:not(.conflict)"));
  assert.deepEqual(texts(".toast p"), ["Conflict"], "also a tap on itself");
});

test("the next note takes its place", () => {
  toast("One");
  toast("Two");
  assert.deepEqual(texts(".toast p"), ["Two"]);
});

test("a saved tap removes the note about a refused one, and no other note", () => {
  toast("Conflict", { bad: true, understood: () => {} });
  toast("Refused", { bad: true });
  dropRefusals();
  assert.deepEqual(texts(".toast p"), ["Conflict"]);
});

test("a dialog that is open does not cover it", () => {
  document.querySelector("#table").innerHTML = "<dialog open></dialog>";
  toast("Refused");
  assert.deepEqual(texts("dialog .toast p"), ["Refused"]);
});

test("a note that must be confirmed waits below the dialog", () => {
  document.querySelector("#table").innerHTML = "<dialog open></dialog>";
  toast("Conflict", { understood: () => {} });
  assert.deepEqual(texts("dialog .toast p"), []);
});

test("a note that was opened stays until a tap elsewhere", () => {
  answerNotes();
  const note = toast("Long", { buttons: [document.createElement("button")] });
  press(note);
  note.querySelector(".unfold").click();
  timers.run();
  assert.deepEqual(texts(".toast.unfolded p"), ["Long"]);
  press(document.querySelector("#table"));
  assert.deepEqual(texts(".toast"), []);
});
