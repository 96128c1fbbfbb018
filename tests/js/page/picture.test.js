// The picture of a result: an SVG of the server, of which the page makes a PNG.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { settled, showPage, tap } from "../kit.js";

const document = showPage(
  "",
  {},
  `<button data-share-picture="/history/x/result.svg" data-title="Qwinto">Share</button>
  <a data-save-picture href="/history/x/result.svg" download="qwinto-2025-03-01.svg">Save</a>`,
);
const shared = [];
let refusal = "";

globalThis.Image = class {
  naturalWidth = 1080;
  naturalHeight = 700;

  async decode() {
    if (!this.src.endsWith(".svg")) throw new Error("no picture");
  }
};
globalThis.URL.createObjectURL = (blob) => `blob:${blob}`;
Object.defineProperty(globalThis, "navigator", {
  configurable: true,
  value: {
    canShare: () => true,
    async share({ files, title }) {
      if (refusal) throw Object.assign(new Error(refusal), { name: refusal });
      shared.push([title, files[0].name, files[0].type, await files[0].text()]);
    },
  },
});

const drawn = [];
const saved = [];
const made = document.createElement.bind(document);
document.createElement = (name) => {
  const element = made(name);
  if (name === "canvas") {
    element.getContext = () => ({ drawImage: (image) => drawn.push(image.src) });
    element.toBlob = (answer, type) => answer(`${element.width}x${element.height}:${type}`);
  }
  if (name === "a") element.click = () => saved.push([element.href, element.download]);
  return element;
};
await import("../../../static/js/page/picture.js");

beforeEach(() => {
  refusal = "";
  for (const list of [shared, drawn, saved]) list.length = 0;
});

test("a picture is shared as a PNG", async () => {
  assert.ok(document.body.classList.contains("shares"), "the button is shown");
  tap("[data-share-picture]");
  await settled();
  assert.deepEqual(shared, [["Qwinto", "result.png", "image/png", "1080x700:image/png"]]);
  assert.deepEqual(drawn, ["/history/x/result.svg"]);
});

test("where nothing can be shared the picture is saved", async () => {
  refusal = "NotAllowedError";
  tap("[data-share-picture]");
  await settled();
  assert.deepEqual(saved, [["blob:1080x700:image/png", "result.png"]]);
});

test("somebody who closes the sheet saves nothing", async () => {
  refusal = "AbortError";
  tap("[data-share-picture]");
  await settled();
  assert.deepEqual(saved, []);
});
