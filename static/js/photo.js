// Score by photo: makes photos smaller where the reading allows it, sends them one by one, and
// answers taps on a sheet. Without this script the forms and links of the pages do the same.

import "./page.js";
import "./page/zoom.js";
import { $, $$, dialog, made, onTap, target, the, words } from "./page/dom.js";
import { light } from "./page/lights.js";
import "./review/people.js";
import { chosen } from "./review/typing.js";

const MOST_PIXELS = 12_000_000; // the reader looks at no more unless the sheets are tiny
const QUALITY = 0.9;
const SMALL_BYTES = 1_500_000; // a file of this size is sent as it is
const SEND_MS = 180_000;
const HEAD_BYTES = 128 * 1024; // where a file says when it was taken
const READING_MS = 2500; // for a note, before another page is opened

/** @param {string} name @param {Record<string, number>} values */
const say = (name, values = {}) => words(name, values, "#photo-words");

/** The sheet that the review shows. */
const shown = () => /** @type {HTMLInputElement | null} */ ($("#review [name=shown]"))?.value ?? "";

/** Asks for the review as it is now. */
const redraw = () =>
  htmx.ajax("GET", `${location.pathname}?sheet=${shown()}`, {
    target: "#review",
    swap: "morph:outerHTML",
  });

document.documentElement.classList.add("scripted");

// Sending

/**
 * The picture in a file; null where the browser cannot open it (HEIC on most phones).
 * @param {File} file
 */
async function opened(file) {
  try {
    return await createImageBitmap(file, { imageOrientation: "from-image" });
  } catch {
    return null;
  }
}

/**
 * The photo in as many pixels as the reader uses.
 * @param {File} file
 * @param {ImageBitmap | null} bitmap
 * @returns {Promise<Blob>}
 */
async function smaller(file, bitmap) {
  if (file.size <= SMALL_BYTES || !bitmap) return file;
  const share = Math.min(1, Math.sqrt(MOST_PIXELS / (bitmap.width * bitmap.height)));
  if (share === 1 && /jpe?g|webp/.test(file.type)) return file;
  const canvas = drawn(bitmap, share);
  const blob = await jpeg(canvas, QUALITY);
  // Safari frees a canvas's memory late, unless it has no size.
  canvas.width = canvas.height = 0;
  return blob && blob.size < file.size ? blob : file;
}

/**
 * The picture, its sides multiplied by `share`.
 * @param {ImageBitmap} bitmap
 * @param {number} share
 */
function drawn(bitmap, share) {
  const canvas = made("canvas", {
    width: Math.round(bitmap.width * share),
    height: Math.round(bitmap.height * share),
  });
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  pen.imageSmoothingQuality = "high";
  pen.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return canvas;
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {number} quality
 * @returns {Promise<Blob | null>}
 */
const jpeg = (canvas, quality) =>
  new Promise((done) => {
    canvas.toBlob(done, "image/jpeg", quality);
  });

/**
 * @typedef {{ request: XMLHttpRequest | null, isStopped: boolean }} Sending
 * @typedef {[string, FormDataEntryValue][]} Fields
 */

/**
 * Sends one photo; resolves to the request once it is answered.
 * @param {string} address
 * @param {Fields} fields
 * @param {Blob} photo
 * @param {string} name
 * @param {Sending} sending
 * @param {(percent: number) => void} progress
 * @returns {Promise<XMLHttpRequest>}
 */
function posted(address, fields, photo, name, sending, progress = () => {}) {
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    sending.request = request;
    const body = new FormData();
    for (const [key, value] of fields) body.append(key, value);
    body.append("photo", photo, name);
    request.open("POST", address);
    request.timeout = SEND_MS;
    request.setRequestHeader("HX-Request", "true");
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) progress((100 * event.loaded) / event.total);
    });
    request.addEventListener("load", () => done(request));
    const missed = () => failed(new Error(say("offline")));
    request.addEventListener("error", missed);
    request.addEventListener("timeout", missed);
    request.addEventListener("abort", () => failed(null));
    request.send(body);
  });
}

/**
 * The address of the review that a photo was sent to.
 * @param {XMLHttpRequest} request
 */
function reviewOf(request) {
  const review = request.getResponseHeader("HX-Redirect");
  if (request.status < 400 && review) return review;
  const answer = new DOMParser().parseFromString(request.responseText, "text/html");
  const note = answer.body.textContent?.trim();
  throw new Error(request.status < 500 && note ? note : say("offline"));
}

/**
 * @param {HTMLFormElement} form
 * @param {File[]} files
 */
async function send(form, files) {
  const refused = the("[data-refused]", form);
  const box = the("[data-sending]", form);
  /** @type {Sending} */
  const sending = { request: null, isStopped: false };
  let review = null;
  refused.hidden = true;
  box.hidden = false;
  // The camera's button elsewhere on a review leads to a form that may be folded.
  form.closest("details")?.setAttribute("open", "");
  // A photo that is read meanwhile redraws the page, but not this part.
  box.dataset.keep = "";
  the("[data-stop-sending]", form).onclick = () => {
    sending.isStopped = true;
    sending.request?.abort();
  };
  try {
    for await (const address of sentAll(form, files, sending)) review = address;
  } catch (error) {
    if (error instanceof Error) {
      refused.textContent = error.message;
      refused.hidden = false;
    }
  }
  box.hidden = true;
  delete box.dataset.keep;
  for (const input of /** @type {HTMLInputElement[]} */ ($$("[data-photo]", form))) {
    input.value = "";
  }
  if (!review) return;
  if (!refused.hidden) {
    await new Promise((done) => {
      setTimeout(done, READING_MS);
    });
  }
  if ($("#review")) redraw();
  else location.assign(review);
}

/**
 * Sends the photos one after the other; yields the address of the review after each.
 * @param {HTMLFormElement} form
 * @param {File[]} files
 * @param {Sending} sending
 */
async function* sentAll(form, files, sending) {
  const text = the("[data-sending-text]", form);
  const bar = /** @type {HTMLProgressElement} */ (the("progress", form));
  const fields = [...new FormData(form)].filter(([key]) => key !== "photo");
  const count = files.length;
  let address = form.action;
  for (const [index, file] of files.entries()) {
    const number = index + 1;
    bar.value = 0;
    text.textContent = say("preparing", { number, count });
    const bitmap = await opened(file);
    const photo = await smaller(file, bitmap).catch(() => file);
    bitmap?.close();
    if (sending.isStopped) return;
    if (photo.size > Number(form.dataset.most)) throw new Error(say("large"));
    text.textContent = say("sending", { number, count });
    const name = photo === file ? file.name : "photo.jpg";
    // The smaller one has lost the day on which it was taken; the file's beginning has it.
    const head = new File([file.slice(0, HEAD_BYTES)], "head");
    /** @type {Fields} */
    const all = photo === file ? fields : [...fields, ["head", head]];
    const request = await posted(address, all, photo, name, sending, (percent) => {
      bar.value = percent;
    });
    const review = reviewOf(request);
    yield review;
    // The others go to the review that the first one has made.
    address = address.replace(/new$/, review.match(/\/review\/([^/]+)/)?.[1] ?? "");
  }
}

document.addEventListener("change", (event) => {
  const input = /** @type {HTMLInputElement} */ (event.target);
  const { form, files } = input;
  if (input.matches("[data-photo]") && form && files?.length) send(form, [...files]);
});

// Taps on a sheet

document.addEventListener("click", (event) => {
  const field = target(event, ".reading a.m");
  if (!field) return;
  // Its link leads to a page on which the field is typed in.
  event.preventDefault();
  if (chosen(field)) return;
  const address = field.getAttribute("href") ?? "";
  const { toggle } = field.dataset;
  if (toggle) {
    const values = { value: toggle, shown: shown() };
    const swap = "morph:outerHTML";
    htmx.ajax("POST", address, { source: field, target: "#review", swap, values });
  } else {
    htmx.ajax("GET", address, { target: "#dialog-content", swap: "innerHTML" });
  }
});

onTap("[data-digit]", (button) => {
  const pad = /** @type {HTMLElement} */ (button.closest("[data-digits]"));
  const input = /** @type {HTMLInputElement} */ (the("input", pad));
  const { digit = "" } = button.dataset;
  const [, sign = "", digits = ""] = /^(-?)(.*)$/.exec(input.value) ?? [];
  if (digit === "back") input.value = input.value.slice(0, -1);
  else if (digit === "±") input.value = `${sign ? "" : "-"}${digits}`;
  else input.value = `${sign}${`${digits}${digit}`.slice(-Number(pad.dataset.digits))}`;
});

onTap("[data-show]", (button) => {
  const first = light(button, (button.dataset.show ?? "").split(" "), {
    around: ".sheet-panel",
    buttons: "[data-show]",
    drawing: ".reading",
    field: "field",
  });
  // Some people have asked their device for less motion.
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const behavior = isStill ? "auto" : "smooth";
  first?.scrollIntoView({ block: "nearest", inline: "center", behavior });
});

// Names

const NAME = "#review input[name=name]";

// A name that is being typed is not the server's to redraw until it has been sent.
document.addEventListener("input", (event) => {
  const input = target(event, NAME);
  if (input) input.dataset.keep = "";
});
document.addEventListener("htmx:beforeSend", (event) => {
  for (const input of $$(NAME, event.detail.elt)) delete input.dataset.keep;
});

// Answers

// Saved or thrown away in another tab: the page says so, once.
document.addEventListener("htmx:responseError", ({ detail: { xhr, requestConfig } }) => {
  if (xhr.status === 404 && requestConfig?.path.includes("/progress")) location.reload();
});

// Progress

// A field that somebody corrects in the dialog is not taken away while a photo is read.
document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.detail.elt.id === "progress" && dialog().open) event.preventDefault();
});

// An answer that has redrawn the review closes the dialog.
document.addEventListener("htmx:afterSwap", ({ detail }) => {
  if (detail.target?.id !== "review" || !dialog().open) return;
  const isTyping = document.activeElement?.closest("#dialog [data-digits] input");
  if (!isTyping) dialog().close();
});
