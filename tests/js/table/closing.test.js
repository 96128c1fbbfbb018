// Going on without others is asked for in the button's own place.

import assert from "node:assert/strict";
import { test } from "node:test";
import { answerClosing, closeAlone, showClosing } from "../../../static/js/table/closing.js";
import { showPage, tap } from "../kit.js";

const CHOICE = `<div class="closing-choice"><button data-ask></button>
  <button data-tap="{}"></button><button data-wait></button></div>`;

const isAsked = () => document.querySelector(".closing-choice").classList.contains("asked");

test("it stays asked while others act, until somebody waits or the step is over", () => {
  showPage(CHOICE, { step: "1" });
  answerClosing();
  showClosing();
  assert.equal(isAsked(), false);
  tap("[data-ask]");
  assert.equal(isAsked(), true);
  document.querySelector("#table").innerHTML = CHOICE; // drawn anew
  showClosing();
  assert.equal(isAsked(), true);
  tap("[data-wait]");
  assert.equal(isAsked(), false);
  tap("[data-ask]");
  document.querySelector("#table").dataset.step = "2";
  showClosing();
  assert.equal(isAsked(), false);
});

test("a step that asks nobody is closed once after an entry, so that undo opens it", () => {
  const sent = [];
  const send = ({ action }, what) => sent.push(action.do + what);
  showPage("", { step: "1" });
  for (const attribute of ["data-alone=a", "data-alone=a", "data-alone=b", ""]) {
    const button = `<button data-tap='{"do":"next"}' ${attribute}></button>`;
    document.querySelector("#table").innerHTML = button;
    closeAlone(send);
  }
  assert.deepEqual(sent, ["next", "next"]);
});

test("a page without the button", () => {
  showPage("", { step: "1" });
  showClosing();
});
