// After an update of the server an open page is reloaded once, when no taps wait.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Update } from "../../../static/js/table/update.js";
import { showPage } from "../kit.js";

let build;
let isBusy;
let reloads;

const opened = () =>
  new Update(
    () => build,
    () => isBusy,
    () => {
      reloads += 1;
    },
  );

beforeEach(() => {
  showPage();
  build = "1";
  isBusy = false;
  reloads = 0;
});

test("not while taps wait, but once none do", () => {
  const update = opened();
  build = "2";
  isBusy = true;
  update.check();
  assert.equal(reloads, 0);
  isBusy = false;
  update.check();
  assert.equal(reloads, 1);
});

test("a page that comes from the old build again is not reloaded forever", () => {
  const update = opened();
  build = "2";
  update.check();
  build = "1";
  const again = opened();
  build = "2";
  again.check();
  assert.equal(reloads, 1);
});
