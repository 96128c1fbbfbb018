// A turn that comes to this phone's player is noticed, once, and not on a phone that all share.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { answerSoundSwitch, isAwaited, signalTurn } from "../../../static/js/table/turn-signal.js";
import { holdTimers, showPage, texts } from "../kit.js";

const SEATS = ["1", "2"];
const vibrated = [];
Object.defineProperty(globalThis, "navigator", {
  value: { vibrate: (pattern) => vibrated.push(pattern) },
  configurable: true,
});

/** A page on which one seat is active, some are this phone's, and some are waited for. */
function show(active, mine, awaited = SEATS, phase = "playing") {
  const tabs = SEATS.map(
    (seat) => `<button class="tab${mine.includes(seat) ? " mine" : ""}" data-tab="${seat}"></button>
      <article class="player${awaited.includes(seat) ? " awaited" : ""}" data-player="${seat}" data-by="${seat === "1" ? "Ada" : "Ben"}"></article>`,
  );
  showPage(
    `<main class="play"><section class="call" data-seat="${active}"></section>${tabs.join("")}</main>`,
    { phase },
  );
  const words = document.querySelector("#words").dataset;
  words.yourTurn = "Your turn";
  words.turnOf = "{player}'s turn";
  document.title = "Game";
}

beforeEach((context) => {
  holdTimers(context);
  show("2", ["1"]);
  signalTurn();
  vibrated.length = 0;
});

test("another's turn is not announced, and none on a phone on which everybody writes", () => {
  show("2", ["1"]);
  signalTurn();
  show("1", []);
  signalTurn();
  show("2", SEATS);
  signalTurn();
  assert.deepEqual([vibrated, texts(".turn-flash")], [[], []]);
});

test("players who may write are awaited, too", () => {
  show("2", ["1"]);
  assert.equal(isAwaited(), true);
  show("2", ["1"], ["2"]);
  assert.equal(isAwaited(), false);
});

test("after a turn of its own a phone is asked for a sound, unless the game is over", () => {
  for (const [phase, asked] of [
    ["over", 0],
    ["playing", 1],
  ]) {
    show("1", ["1"]);
    signalTurn();
    show("2", ["1"], SEATS, phase);
    signalTurn();
    assert.equal(document.querySelectorAll("#toasts .yes").length, asked);
  }
});

/** The pitches that are played. */
function listen() {
  const tones = [];
  const node = () => ({ connect: (next) => next });
  globalThis.AudioContext = class {
    state = "running";
    currentTime = 0;
  };
  globalThis.GainNode = class {
    gain = { setValueAtTime() {}, exponentialRampToValueAtTime() {} };
    connect = node().connect;
  };
  globalThis.OscillatorNode = class {
    constructor(_, { frequency }) {
      this.frequency = frequency;
    }
    connect = (next) => next;
    start() {
      tones.push(this.frequency);
    }
    stop() {}
  };
  return tones;
}

test("the switch is remembered, plays the sound at once, and shows its state", () => {
  const tones = listen();
  showPage('<input type="checkbox" data-sound>');
  answerSoundSwitch();
  const box = document.querySelector("[data-sound]");
  box.checked = true;
  box.dispatchEvent(new document.defaultView.Event("change", { bubbles: true }));
  assert.equal(tones.length, 2);
  box.checked = false;
  signalTurn();
  assert.equal(box.checked, true);
});
