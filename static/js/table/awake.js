// The screen stays awake while a game is running: by the Screen Wake Lock over https, and by a silent
// video on plain http, where browsers have no such lock.
//
// When a video keeps the screen on differs. Chromium wants it playing, and as large as a fifth of the page
// or audible; Firefox wants a sound track; Safari wants a sound track, not muted, and no `loop`. So the
// video has a silent sound track, lies behind the whole page, restarts by itself, and is muted
// everywhere but in Safari, since sound that is not muted may pause music.

import { $, made, table, words } from "../page/dom.js";
import { store, stored } from "../page/store.js";
import { toast } from "../page/toasts.js";

/** Seconds before its end from which the video restarts; it never ends. */
const NEAR_END = 2;

/** @type {WakeLockSentinel | null} */
let lock = null;

/** @type {HTMLVideoElement | undefined} */
let video;

/** Whether the browser has refused to keep the screen awake. */
let isRefused = false;

const isWanted = () => table().dataset.phase === "playing" && !document.hidden;
const hasLock = () => "wakeLock" in navigator;

/** Answers the first tap, without which no browser plays the video. */
export function answerAwake() {
  if (!hasLock()) document.addEventListener("click", play);
}

export async function stayAwake() {
  // Only now: a note covers the hint, and a first game begins with a hint to read.
  if (isRefused && table().dataset.phase !== "playing") noteOnce();
  if (!hasLock()) {
    if (!isWanted()) video?.pause();
    else if (video?.paused) play();
    return;
  }
  if (!isWanted() || lock) return;
  try {
    lock = await navigator.wakeLock.request("screen");
    lock.addEventListener("release", () => {
      lock = null;
    });
  } catch {
    isRefused = true;
  }
}

/** Says in the menu that the screen may go dark. */
export function showAwake() {
  const note = $("[data-awake]");
  if (note) note.hidden = Boolean(lock) || video?.paused === false;
}

async function play() {
  if (!isWanted() || video?.paused === false) return;
  video ??= makeVideo();
  try {
    await video.play();
  } catch (error) {
    // A video that is paused or not allowed yet is tried again at the next tap.
    if (error instanceof DOMException && error.name === "NotSupportedError") isRefused = true;
  }
}

/** The menu says it, too, so a note once on this device is enough. */
function noteOnce() {
  if (!stored("awake-told", false)) toast(words("awake"));
  store("awake-told", true);
}

function makeVideo() {
  const { webm = "", mp4 = "" } = $("#awake")?.dataset ?? {};
  const element = made("video", {
    className: "awake",
    playsInline: true,
    disableRemotePlayback: true,
  });
  element.muted = navigator.vendor !== "Apple Computer, Inc.";
  element.setAttribute("aria-hidden", "true");
  element.tabIndex = -1;
  element.append(
    made("source", { src: mp4, type: "video/mp4" }),
    made("source", { src: webm, type: "video/webm" }),
  );
  element.addEventListener("timeupdate", () => {
    if (element.currentTime > element.duration - NEAR_END) element.currentTime = 0;
  });
  document.body.prepend(element);
  return element;
}
