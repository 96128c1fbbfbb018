// The page of a review: a keypad types digits, a field is asked about or set at once.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { requests, settled, showPage, tap } from "./kit.js";

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

const SENDER = `<form class="sender" action="/upload/new" data-look="/upload/look" data-most="9">
  <input type="file" data-photo capture><input type="file" data-photo multiple>
  <div data-sending hidden><div data-seen></div><p data-sending-text></p><progress></progress>
  <button data-stop-sending></button></div><p data-refused hidden></p></form>`;

/** Has photos chosen; the server answers each request. Returns the addresses that were asked. */
async function chosen(context, count, ...answers) {
  place.innerHTML = SENDER;
  const form = place.querySelector("form");
  form.action = "/upload/new";
  place.querySelector("[data-sending]").scrollIntoView = () => {};
  const asked = [];
  class Request extends EventTarget {
    upload = new EventTarget();
    setRequestHeader() {}
    getResponseHeader = () => "/review/r1/";
    open(_, address) {
      asked.push(address);
    }
    send() {
      [this.status, this.responseText] = answers.shift() ?? [204, ""];
      this.dispatchEvent(new Event("load"));
    }
  }
  const canvas = { getContext: () => ({ drawImage() {} }), toBlob: (done) => done({ size: 1 }) };
  const { createElement } = document;
  context.mock.method(document, "createElement", (tag) =>
    Object.assign(createElement.call(document, tag), tag === "canvas" ? canvas : {}),
  );
  Object.assign(globalThis, {
    XMLHttpRequest: Request,
    File: class {},
    FormData: class {
      append() {}
      *[Symbol.iterator]() {}
    },
    createImageBitmap: async () => ({ width: 3200, height: 2400, close() {} }),
  });
  const input = place.querySelector("input");
  const files = Array.from({ length: count }, () => ({ size: 5, slice: () => "" }));
  Object.assign(input, { form, files });
  input.dispatchEvent(new document.defaultView.Event("change", { bubbles: true }));
  await settled();
  return asked;
}

test("a photo with a fault is sent when that is wished, one without fault at once", async (context) => {
  requests();
  const fault = [200, "<svg></svg><button data-again></button><button data-anyway></button>"];
  const asked = await chosen(context, 1, fault);
  assert.deepEqual(asked, ["/upload/look"]);
  tap("[data-anyway]");
  await settled();
  assert.deepEqual(asked, ["/upload/look", "/upload/new"]);
  assert.deepEqual(await chosen(context, 1, [200, "<svg></svg>"]), asked);
});

test("a photo that is taken again is not sent, and of several none is looked at", async (context) => {
  requests();
  const asked = await chosen(context, 1, [200, "<b data-again></b><b data-anyway></b>"]);
  tap("[data-again]");
  await settled();
  assert.deepEqual(asked, ["/upload/look"]);
  assert.ok(place.querySelector("[data-sending]").hidden);
  assert.deepEqual(await chosen(context, 2), ["/upload/new", "/upload/r1"]);
});
