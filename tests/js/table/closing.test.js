// Going on without others is asked for in the button's own place.

import assert from "node:assert/strict";
import { test } from "node:test";
import { answerClosing, closeAlone, showClosing } from "../../../static/js/table/closing.js";
import { showPage, tap } from "../kit.js";

const CHOICE = `<div class="closing-choice"><button data-ask></button>
  <button data-tap="{}"></button><button data-wait></button></div>`;

const isAsked = () => document.querySelector(".closing-choice").classList.contains("asked");

test("the question stays while others act, until somebody waits or the step is over", () => {
  showPage(CHOICE, { step: "1" });
  answerClosing();
  showClosing();
  assert.equal(isAsked(), false);
  tap("[data-ask]");
  assert.equal(isAsked(), true);
  document.querySelector("#table").innerHTML = CHOICE; // redrawn
  showClosing();
  assert.equal(isAsked(), true);
  tap("[data-wait]");
  assert.equal(isAsked(), false);
  tap("[data-ask]");
  document.querySelector("#table").dataset.step = "2";
  showClosing();
  assert.equal(isAsked(), false);
});

test("it is shown after the server's number of seconds, and hidden when they start again", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let now = 0;
  t.mock.method(performance, "now", () => now);
  const pass = (milliseconds) => {
    now += milliseconds;
    t.mock.timers.tick(milliseconds);
  };
  showPage(CHOICE, { step: "1" });
  const choice = document.querySelector(".closing-choice");
  const draw = (after) => {
    choice.dataset.after = after;
    showClosing();
  };
  answerClosing();
  draw("20 7");
  pass(19_000);
  draw("20 7");
  assert.equal(choice.hidden, true);
  pass(1_000);
  assert.equal(choice.hidden, false);
  tap("[data-ask]");
  draw("20 8");
  assert.equal(choice.hidden, true);
  pass(20_000);
  assert.equal(isAsked(), false, "what was asked before is over");
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

test("a pass is sent once its player has read on the button that nothing fits", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const sent = [];
  const send = ({ action, alone }) => sent.push(action.by + alone);
  const offer = (by, entry, more = "") => {
    const tap = `data-tap='{"do":"pass","by":"${by}"}'`;
    showPage(`<button class="pass"></button>${more}
      <button ${tap} data-alone="${entry}" data-read-first=".pass"></button>`);
    document.querySelector("#words").dataset.passesAlone = "passes by itself";
    closeAlone(send);
    return document.querySelector(".pass").dataset.byItself;
  };
  assert.equal(offer("Ada", "roll-1"), "passes by itself");
  offer("Ada", "roll-1"); // redrawn
  t.mock.timers.tick(6000);
  assert.deepEqual(sent, ["Adatrue"]);
  offer("Ben", "roll-2");
  showPage("", { step: "2" });
  closeAlone(send);
  t.mock.timers.tick(6000);
  offer("Cy", "roll-3");
  answerClosing();
  const touch = new document.defaultView.Event("pointerdown", { bubbles: true });
  document.querySelector(".pass").dispatchEvent(touch);
  t.mock.timers.tick(6000);
  assert.equal(offer("Dora", "roll-4", "<dialog open></dialog>"), undefined);
  t.mock.timers.tick(6000);
  assert.deepEqual(sent, ["Adatrue"], "a step that is over, a touch and a dialog stop it");
});
