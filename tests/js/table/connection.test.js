// The note about the connection: the server is silent, or cannot save.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Connection } from "../../../static/js/table/connection.js";
import { Live } from "../../../static/js/table/live.js";
import { showPage } from "../kit.js";

let note;
let live;

class Stream extends EventTarget {
  readyState = 1;

  say(data) {
    this.dispatchEvent(Object.assign(new Event("message"), { data }));
  }

  close() {}
}

beforeEach(() => {
  const page = showPage();
  note = page.querySelector("#connection");
  globalThis.EventSource = Stream;
  const connection = new Connection(() => ({ list: () => [] }));
  live = new Live(() => page.querySelector("#table").dataset, {
    known: () => 1,
    heard: (_version, unsaved) => connection.set(unsaved || true),
    opened() {},
    missed: () => connection.set(false),
  });
});

const shown = () => (note.hidden ? "" : note.textContent);

test("a page says that nothing can be saved as soon as the stream does", () => {
  live.listen();
  live.stream.say("7|Cannot save.");
  assert.equal(shown(), "Cannot save.");
  live.hearing.missed();
  assert.equal(shown(), "Offline.");
  live.stream.say("7|Cannot save.");
  assert.equal(shown(), "Cannot save.");
  live.stream.say("7");
  assert.equal(shown(), "");
});
