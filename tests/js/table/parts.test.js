// An update is shown as a whole or not at all, and only where the page then shows just that.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { shownHashes, showUpdate, updateOf } from "../../../static/js/table/parts.js";
import { showPage } from "../kit.js";

const CONTENT = `<p data-drawn="hint" data-v="h1">wait</p><p data-drawn="turn" data-v="t1">1</p>
  <div data-drawn="sheet-1" data-v="s1"><i class="f empty" data-f="a" aria-label="a"></i>
  <i class="f empty" data-f="b" aria-label="b"></i></div>`;

beforeEach(() => {
  showPage(CONTENT, { version: "7", shape: "x" });
  globalThis.Idiomorph = {
    morph(place, html) {
      place.innerHTML = html;
    },
  };
  globalThis.htmx = { process() {} };
});

const HASHES = { hint: "h1", turn: "t1", "sheet-1": "s1" };
const update = (parts, changes, facts = {}) => ({
  shape: "x",
  facts: { version: "8", moment: "m2", ...facts },
  parts: { ...HASHES, ...parts },
  changes,
});
const HINT = { part: "hint", v: "h2", html: "<b>go</b>" };
const SHEET = {
  part: "sheet-1",
  from: "s1",
  v: "s2",
  fields: { a: { c: "f written", l: "a: 5" } },
};
const text = () => document.querySelector("[data-drawn=hint]").innerHTML;

test("parts and fields change, and the table's facts with them", () => {
  const outcome = showUpdate(update({ hint: "h2", "sheet-1": "s2" }, [SHEET, HINT]));
  assert.equal(outcome, "shown");
  assert.equal(text(), "<b>go</b>");
  const fields = [...document.querySelectorAll("[data-f]")];
  assert.deepEqual(
    fields.map((field) => field.className),
    ["f written", "f empty"],
  );
  assert.equal(fields[0].getAttribute("aria-label"), "a: 5");
  assert.deepEqual(shownHashes(), ["h2", "t1", "s2"]);
  const { version, moment } = document.querySelector("#table").dataset;
  assert.deepEqual([version, moment], ["8", "m2"]);
});

test("an update that has come before changes nothing", () => {
  showUpdate(update({ hint: "h2" }, [HINT]));
  assert.equal(showUpdate(update({ hint: "h2" }, [HINT])), "shown");
  assert.equal(showUpdate(update({}, [], { version: "7" })), "old");
  assert.equal(text(), "<b>go</b>");
});

for (const [what, parts, changes] of [
  ["a part that is not sent", { hint: "h2", turn: "t2" }, [HINT]],
  ["another state of a part than the one that is wanted", { hint: "h3" }, [HINT]],
  [
    "fields of a sheet that this page does not show",
    { hint: "h2", "sheet-1": "s2" },
    [HINT, { ...SHEET, from: "s0" }],
  ],
]) {
  test(`a gap: ${what}`, () => {
    assert.equal(showUpdate(update(parts, changes)), "gap");
    assert.equal(text(), "wait");
    assert.deepEqual(shownHashes(), ["h1", "t1", "s1"]);
    assert.equal(document.querySelector("#table").dataset.version, "7");
  });
}

test("all fields of a sheet fit any page", () => {
  const whole = { ...SHEET, from: undefined };
  assert.equal(showUpdate(update({ "sheet-1": "s2" }, [whole])), "shown");
});

test("another shape, or a part without a place, needs the whole page", () => {
  assert.equal(showUpdate({ ...update({}, []), shape: "y" }), "whole");
  assert.equal(showUpdate(update({ more: "m1" }, [])), "whole");
});

test("the values of a message come in any order", () => {
  const { shape, facts, changes } = updateOf([HINT, { shape: "x", facts: {} }, { live: "/l" }]);
  assert.deepEqual([shape, facts, changes], ["x", {}, [HINT]]);
});
