// A turn that comes to this phone's player is noticed: by a flash, a short vibration, and a sound
// where that is switched on. A phone on which everybody writes has no turn of its own.

import { $, $$, made, table, target, words } from "../page/dom.js";
import { store, stored } from "../page/store.js";
import { toast } from "../page/toasts.js";

const SHOWN_MS = 1800;
const VIBRATION = [60, 40, 60];
/** Two notes: frequency in Hz, and when it begins and ends in seconds. */
const NOTES = /** @type {const} */ ([
  [660, 0, 0.16],
  [880, 0.14, 0.42],
]);
const LOUDNESS = 0.18;
const SILENCE = 0.0001; // an exponential ramp cannot reach 0

/** @type {boolean | undefined} whether it was this phone's turn; undefined on a new page */
let wasMine;

/** @type {string | undefined} the page's title without a turn */
let title;

/** @type {AudioContext | undefined} */
let audio;

const isLoud = () => stored("sound", false);

/** How often a phone is asked whether it may sound, each time after a turn of its own. */
const MOST_QUESTIONS = 2;

/** Asks while nothing can be written here; the menu has the switch, too. */
function askForSound() {
  const asked = stored("sound-asked", 0);
  if (stored("sound", null) !== null || asked >= MOST_QUESTIONS || $(".play .f.open")) return;
  store("sound-asked", asked + 1);
  toast(words("sound"), { yes: () => setSound(true) });
}

/** @param {boolean} isOn */
function setSound(isOn) {
  store("sound", isOn);
  if (isOn) play();
}

/** Answers the switch, and makes the sound ready by a tap: browsers let no page play one before. */
export function answerSoundSwitch() {
  document.addEventListener("change", (event) => {
    const box = /** @type {HTMLInputElement | null} */ (target(event, "[data-sound]"));
    if (!box) return;
    setSound(box.checked);
  });
  document.addEventListener("pointerdown", () => {
    if (isLoud()) ready();
  });
}

/** Notifies the player of this phone when it is their turn. */
export function signalTurn() {
  const box = /** @type {HTMLInputElement | null} */ ($("[data-sound]"));
  if (box) box.checked = isLoud();
  const isMine = isMyTurn();
  const hasCome = isMine && wasMine === false;
  const isOver = !isMine && wasMine === true && table().dataset.phase === "playing";
  wasMine = isMine;
  mark(isMine);
  if (isOver) askForSound();
  if (!hasCome) return;
  flash();
  nudge(VIBRATION);
}

/**
 * A vibration, and the sound if it is switched on.
 * @param {number[]} vibration
 */
export function nudge(vibration) {
  // Before the first tap browsers refuse it, and say so in the console.
  if (navigator.userActivation?.hasBeenActive ?? true) navigator.vibrate?.(vibration);
  if (isLoud()) play();
}

/** The seat of the player whose turn it is; undefined while no game is played. */
function activeSeat() {
  const call = $(".play .call");
  return call ? (table().dataset.active ?? call.dataset.seat) : undefined;
}

function isMyTurn() {
  const active = activeSeat();
  const tabs = $$("[data-tab]");
  const mine = tabs.filter((tab) => tab.classList.contains("mine"));
  const isActive = mine.some((tab) => tab.dataset.tab === active);
  return isActive && mine.length < tabs.length && isWaiting(active);
}

/**
 * Whether the table waits for this player.
 * @param {string | undefined} seat
 */
function isWaiting(seat) {
  return $(`.player[data-player="${seat}"]`)?.classList.contains("awaited") ?? false;
}

/** Whether the table waits for a player of this phone. */
export const isAwaited = () => $$(".tab.mine").some((tab) => isWaiting(tab.dataset.tab));

/**
 * Says whose turn it is in the page's title, which other tabs and the phone's overview show.
 * @param {boolean} isMine
 */
function mark(isMine) {
  title ??= document.title;
  const player = $(`.player[data-player="${activeSeat()}"]`)?.dataset.by;
  const turn = isMine ? `● ${words("yourTurn")}` : player && words("turnOf", { player });
  document.title = turn ? `${turn} · ${title}` : title;
}

function flash() {
  $(".turn-flash")?.remove();
  const note = made("div", { className: "turn-flash" });
  note.append(made("strong", { textContent: words("yourTurn") }));
  // Screen readers already read out the awaited players.
  note.setAttribute("aria-hidden", "true");
  document.body.append(note);
  setTimeout(() => note.remove(), SHOWN_MS);
}

function ready() {
  const Context = globalThis.AudioContext;
  if (!Context) return;
  audio ??= new Context();
  if (audio.state === "suspended") audio.resume().catch(() => {});
}

function play() {
  ready();
  if (!audio) return;
  for (const [pitch, begin, end] of NOTES) {
    const tone = new OscillatorNode(audio, { type: "triangle", frequency: pitch });
    const loudness = new GainNode(audio, { gain: SILENCE });
    const now = audio.currentTime;
    loudness.gain.setValueAtTime(SILENCE, now + begin);
    loudness.gain.exponentialRampToValueAtTime(LOUDNESS, now + begin + 0.02);
    loudness.gain.exponentialRampToValueAtTime(SILENCE, now + end);
    tone.connect(loudness).connect(audio.destination);
    tone.start(now + begin);
    tone.stop(now + end);
  }
}
