// A finished game: its picture goes to the phone's own sheet where there is one, and it is printed.

import "./page.js";
import { $$, onTap } from "./page/dom.js";

const pictures = /** @type {HTMLElement[]} */ ($$("[data-share-picture]"));
const probe = globalThis.File && new File([""], "result.png", { type: "image/png" });
// Only on https; and on a computer often not at all.
if (probe && navigator.canShare?.({ files: [probe] })) {
  for (const button of pictures) button.hidden = false;
}
for (const button of /** @type {HTMLElement[]} */ ($$("[data-print]"))) button.hidden = false;

onTap("[data-print]", () => globalThis.print());

onTap("[data-share-picture]", async (button) => {
  const { sharePicture = "", title = "" } = button.dataset;
  try {
    const answer = await fetch(sharePicture);
    const files = [new File([await answer.blob()], "result.png", { type: "image/png" })];
    await navigator.share({ files, title });
  } catch (error) {
    // Somebody who closes the sheet has seen it; otherwise the picture itself opens.
    if (!(error instanceof Error && error.name === "AbortError")) location.assign(sharePicture);
  }
});
