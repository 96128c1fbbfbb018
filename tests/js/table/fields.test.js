// A field changes as the server says, and loses this device's marks when they no longer hold.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import {
  changeField,
  remember,
  restoreFields,
  showPending,
} from "../../../static/js/table/fields.js";
import { showPage } from "../kit.js";

const OPEN = `<svg><g class="f number red open" data-f="a" aria-label="a: write 5" role="button"
  tabindex="0" data-tap='{"do":"write"}'><g class="u"><rect/><g class="m"><text>5</text></g></g></g>
  </svg>`;

let field;

beforeEach(() => {
  showPage(OPEN);
  field = document.querySelector("[data-f]");
});

const style = () => [
  field.getAttribute("class"),
  field.getAttribute("role"),
  field.getAttribute("tabindex"),
];

test("a mark of this device is taken back, unless the server has changed the field", () => {
  showPending(field);
  showPending(field);
  assert.equal(field.getAttribute("class"), "f number red pending");
  restoreFields();
  assert.deepEqual(style(), ["f number red open", "button", "0"]);
  showPending(field);
  changeField(field, { c: "f number red written" });
  restoreFields();
  assert.deepEqual(style(), ["f number red written", "img", null]);
});

test("whatever else is marked is taken back, too", () => {
  remember(field);
  field.setAttribute("class", "f number red choosable");
  field.removeAttribute("tabindex");
  restoreFields();
  assert.deepEqual(style(), ["f number red open", "button", "0"]);
  assert.equal("was" in field.dataset, false);
});
