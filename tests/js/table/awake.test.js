// The screen on plain http: a silent video, from the first tap on, while a game is played.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { answerAwake, showAwake, stayAwake } from "../../../static/js/table/awake.js";
import { settled, showPage, tap, texts } from "../kit.js";

const PAGE = '<button id="tap"></button><p data-awake></p>';
const video = () => document.querySelector("video");
const isPlaying = () => video()?.paused === false;

/** A page over plain http, in a browser of this maker. */
function show(phase, vendor = "Google Inc.") {
  Object.defineProperty(globalThis, "navigator", { value: { vendor }, configurable: true });
  showPage(
    PAGE,
    { phase },
    '<template id="awake" data-webm="/a.webm" data-mp4="/a.mp4"></template>',
  );
  const make = document.createElement.bind(document);
  document.createElement = (name) => {
    const element = make(name);
    if (name !== "video") return element;
    element.paused = true;
    element.play = async () => {
      element.paused = false;
    };
    element.pause = () => {
      element.paused = true;
    };
    return element;
  };
  answerAwake();
}

beforeEach(async () => {
  // The module keeps its video from one game to the next.
  if (globalThis.document) {
    document.querySelector("#table").dataset.phase = "over";
    await stayAwake();
  }
});

test("nothing is fetched before the first tap in a game, and the lobby needs none", async () => {
  show("lobby");
  tap("#tap");
  assert.equal(video(), null);
  document.querySelector("#table").dataset.phase = "playing";
  await stayAwake();
  assert.equal(video(), null);
});

test("a tap starts it, muted and behind the page; the end of the game stops it", async () => {
  show("playing");
  tap("#tap");
  await settled();
  assert.deepEqual([isPlaying(), video().muted, video().loop ?? false], [true, true, false]);
  assert.deepEqual(
    [...document.querySelectorAll("source")].map((source) => source.type),
    ["video/mp4", "video/webm"],
  );
  showAwake();
  assert.equal(document.querySelector("[data-awake]").hidden, true);
  const player = video();
  player.duration = 4;
  player.currentTime = 2.5;
  player.dispatchEvent(new document.defaultView.Event("timeupdate"));
  assert.equal(player.currentTime, 0, "it never comes to its end");
  document.querySelector("#table").dataset.phase = "over";
  await stayAwake();
  assert.equal(player.paused, true);
  showAwake();
  assert.equal(document.querySelector("[data-awake]").hidden, false);
});

test("a refusal is announced after the game: during it, a first hint takes the notes' place", async () => {
  show("playing");
  const refused = { request: () => Promise.reject(new Error("the battery is low")) };
  globalThis.navigator.wakeLock = refused;
  await stayAwake();
  await stayAwake();
  assert.deepEqual(texts(".toast"), []);
  document.querySelector("#table").dataset.phase = "over";
  await stayAwake();
  await stayAwake();
  assert.equal(texts(".toast").length, 1);
});
