// An update is shown as a whole or not at all, and only on the version that it follows.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { showUpdate, updateOf } from "../../../static/js/table/parts.js";
import { showPage } from "../kit.js";

const CONTENT = `<p data-drawn="hint">wait</p><p data-drawn="turn">1</p>`;

beforeEach(() => {
  showPage(CONTENT, { version: "7", shape: "x" });
  globalThis.Idiomorph = {
    morph(place, html) {
      place.innerHTML = html;
    },
  };
  globalThis.htmx = { process() {} };
});

const update = (changes, version = "8", from = 7) => ({
  from,
  shape: "x",
  facts: { version, moment: "m2" },
  changes,
});
const HINT = { part: "hint", html: "<b>go</b>" };
const text = () => document.querySelector("[data-drawn=hint]").innerHTML;
const shown = () => document.querySelector("#table").dataset.version;

test("an update of the past changes nothing", () => {
  assert.equal(showUpdate(update([HINT], "6", 5)), "old");
  assert.equal(text(), "wait");
});

for (const [what, gap] of [
  ["an update that follows a version that this page does not show", update([HINT], "9", 8)],
  ["another shape", { ...update([HINT]), shape: "y" }],
  ["another shape of the same version", { ...update([], "7"), shape: "y" }],
  ["a part without a place", update([HINT, { part: "more", html: "" }])],
]) {
  test(`a gap: ${what}`, () => {
    assert.equal(showUpdate(gap), "gap");
    assert.equal(text(), "wait");
    assert.equal(shown(), "7");
  });
}

test("the values of a message come in any order", () => {
  const { shape, facts, changes } = updateOf([HINT, { shape: "x", facts: {} }]);
  assert.deepEqual([shape, facts, changes], ["x", {}, [HINT]]);
});
