// The page of a review: a keypad types digits, a field is asked about or set at once.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { requests, showPage, tap } from "./kit.js";

globalThis.Idiomorph = { defaults: { callbacks: {} } };
globalThis.HTMLElement ??= class {};
const document = showPage(
  "",
  {},
  `<dialog id="dialog"><div id="dialog-content"></div></dialog>
  <main id="review"><input name="shown" value="2"><div class="place"></div></main>
  <template id="photo-words"></template>`,
);
// The module answers the page on which it is loaded.
await import("../../static/js/photo.js");

const place = document.querySelector(".place");

beforeEach(() => {
  place.innerHTML = "";
});

/** Types on a keypad for `most` digits. */
function typed(most, ...digits) {
  const keys = [...new Set(digits)].map((digit) => `<button data-digit="${digit}"></button>`);
  place.innerHTML = `<div data-digits><input>${keys.join("")}</div>`;
  const input = place.querySelector("input");
  Object.assign(input, { value: "", maxLength: most });
  for (const digit of digits) tap(`[data-digit="${digit}"]`);
  return input.value;
}

test("a keypad types as many digits as the field has, the last ones", () => {
  assert.equal(typed(3, "1", "2", "3", "4"), "234");
  assert.equal(typed(2, "1", "2", "3"), "23");
  assert.equal(typed(3, "1", "2", "back", "5"), "15");
});

test("a field that a tap sets is sent, any other is asked about", () => {
  place.innerHTML = `<div class="reading"><a class="m" href="/r/2/A1" data-toggle="true"></a>
    <a class="m other" href="/r/2/A2"></a></div>`;
  const asked = requests();
  tap(".m");
  tap(".other");
  assert.deepEqual(asked, [
    ["POST", "/r/2/A1", { value: "true", shown: "2" }],
    ["GET", "/r/2/A2", undefined],
  ]);
});
