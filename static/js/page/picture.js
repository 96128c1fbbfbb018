// The picture of a result: an SVG of the server, of which this makes the PNG that other apps take.

import { onTap } from "./dom.js";

const probe = globalThis.File && new File([""], "result.png", { type: "image/png" });
// Only on https; and on a computer often not at all. The style sheet shows the buttons then.
if (probe && navigator.canShare?.({ files: [probe] })) document.body.classList.add("shares");

onTap("[data-share-picture]", async (button) => {
  const { sharePicture = "", title = "" } = button.dataset;
  const picture = await pngOf(sharePicture);
  try {
    const files = [new File([picture], "result.png", { type: "image/png" })];
    await navigator.share({ files, title });
  } catch (error) {
    // Whoever closes the phone's sheet has seen the picture.
    if (!(error instanceof Error && error.name === "AbortError")) save(picture, "result.png");
  }
});

onTap("[data-save-picture]", async (link, event) => {
  event.preventDefault();
  const { href, download } = /** @type {HTMLAnchorElement} */ (link);
  save(await pngOf(href), download.replace(/svg$/, "png"));
});

/**
 * Has the browser save a file.
 * @param {Blob} content of the file
 * @param {string} name of the file
 */
function save(content, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
}

/**
 * The PNG that this browser makes of a picture.
 * @param {string} address of an SVG
 * @returns {Promise<Blob>}
 */
async function pngOf(address) {
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.naturalWidth;
  canvas.height = image.naturalHeight;
  canvas.getContext("2d")?.drawImage(image, 0, 0);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png");
  });
}
