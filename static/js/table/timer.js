// The timer of a turn, which the host may switch on: it shows the time, and never acts. The server says how
// many seconds have gone since the turn's first entry, so that all phones show the same.

import { $, table } from "../page/dom.js";
import { inTime } from "../page/net.js";
import { isAwaited, nudge } from "./turn-signal.js";

const TICK_MS = 250;
const SECOND_MS = 1000;
const MINUTE = 60;
/** A longer turn is a break. */
const MOST_SECONDS = 99 * MINUTE;
const VIBRATION = [150];

/** The moment for which the server was asked, and the page's time when the turn began. */
let known = "";
/** @type {number | null} */
let began = null;
let isLate = false;

/** Counts while a game is played, and asks again after the phone has slept. */
export function startTimer() {
  setInterval(show, TICK_MS);
  document.addEventListener("visibilitychange", () => {
    known = "";
    showTimer();
  });
}

/** The seconds of a turn; 0 without a timer. */
const limit = () => Number(table().dataset.timer ?? 0);

/** Asks for the time once the table waits for something else. */
export async function showTimer() {
  const { table: id, moment = "" } = table().dataset;
  const key = `${limit()} ${moment}`;
  if (document.hidden || key === known) return;
  known = key;
  if (limit()) await ask(`/t/${id}/timer`, key);
  show();
}

/**
 * @param {string} address
 * @param {string} key of what is asked
 */
async function ask(address, key) {
  try {
    const answer = await (await fetch(address, inTime())).json();
    if (known !== key) return;
    began = answer.elapsed === null ? null : performance.now() - answer.elapsed * SECOND_MS;
    isLate = left() < 0;
  } catch {
    // The next redraw fetches it again.
    known = "";
  }
}

/** The seconds that are left; fewer than 0 when the time is up. */
const left = () => limit() - (began === null ? 0 : (performance.now() - began) / SECOND_MS);

function show() {
  const place = $("#timer");
  if (!place) return;
  const isShown = limit() > 0 && known !== "";
  place.hidden = !isShown;
  if (!isShown) return;
  const seconds = Math.max(left(), -MOST_SECONDS);
  const text = shown(seconds);
  if (place.textContent !== text) place.textContent = text;
  place.classList.toggle("still", began === null);
  place.classList.toggle("late", seconds < 0);
  if (seconds < 0 && !isLate && isAwaited()) nudge(VIBRATION);
  isLate = seconds < 0;
}

/** @param {number} seconds */
function shown(seconds) {
  const whole = Math.abs(Math.ceil(seconds));
  const rest = String(whole % MINUTE).padStart(2, "0");
  return `${seconds < 0 ? "+" : ""}${Math.floor(whole / MINUTE)}:${rest}`;
}
