// The sheet that a narrow screen shows, the sheets on which this phone writes, and each one's turn.
//
// On the phone of one player the sheets that are written on elsewhere are read-only, until somebody taps
// "Write for …". That holds until the step is over or another tab is tapped. A new call brings it back to its own
// sheet, and over another one a strip does (data-whose). From the table's element:
//   data-others   the seats of players who write on other devices; none on a device that people share
//   data-helps    those for whom this device may write
// and in the hint
//   data-of       the seat of whose player data-said, data-then and data-how speak

import { $, $$, onTap, table, target, the } from "../page/dom.js";
import { keep, kept, store, stored } from "../page/store.js";
import { showPlain } from "./fields.js";
import { guard, moveFocus } from "./guard.js";
import { clearHanding, hand } from "./handing.js";

/**
 * @typedef {{ seat: string, focus: string | undefined, moment?: string }} Chosen
 *   by hand, until the game asks for another sheet
 * @typedef {{ seat: string, step: string | undefined }} Helped another player for whom this phone writes
 */

/** @type {Chosen | null} */
let chosen = null;

/** @type {Helped | null} */
let helped = null;

/** @type {string | undefined} the seat whose sheet was shown last */
let last;

const key = () => `sheet:${table().dataset.table}`;
const helpedKey = () => `helped:${table().dataset.table}`;

/** @param {"others" | "helps" | "awaited"} name @param {string} seat */
const isAmong = (name, seat) => (table().dataset[name] ?? "").split(" ").includes(seat);

/** @param {string} seat */
const isReadOnly = (seat) => isAmong("others", seat) && helped?.seat !== seat;

/** @param {string} player */
export const seatOf = (player) =>
  $$(".play .player").find(({ dataset }) => dataset.by === player)?.dataset.player ?? "";

/** @type {() => void} */
let draw = showSelected;

/**
 * Answers taps and keys, and takes up what was chosen before this tab was reloaded.
 * @param {() => void} changed draws the page for what was chosen
 */
export function answerSheets(changed = showSelected) {
  draw = changed;
  chosen = kept(key(), chosen);
  helped = kept(helpedKey(), helped);
  onTap("[data-write-for]", (button) => help(button.dataset.writeFor ?? ""));
  onTap("[data-tab]", (tab) => choose(tab));
  onTap("[data-enlarge]", ({ dataset }) => choose(the(`[data-tab="${dataset.enlarge}"]`)));
  onTap("[data-whose]", () => choose(the(".tab.mine")));
  onTap("[data-turn]", (button) => turn(button.dataset.turn ?? ""));
  document.addEventListener("keydown", (event) => {
    const tab = target(event, "[role=tab]");
    if (!tab || !event.key.startsWith("Arrow")) return;
    const tabs = $$("[role=tab]");
    const step = event.key === "ArrowRight" || event.key === "ArrowDown" ? 1 : -1;
    const next = tabs.at((tabs.indexOf(tab) + step) % tabs.length);
    next?.focus();
    if (next) choose(next);
  });
}

/** @param {HTMLElement} tab */
function choose(tab) {
  const seat = tab.dataset.tab ?? "";
  setHelped(helped?.seat === seat ? helped : null);
  show(seat);
}

/** @param {string} seat */
function show(seat) {
  const { focus, moment } = table().dataset;
  chosen = { seat, focus, moment };
  keep(key(), chosen);
  last = seat;
  draw();
}

/** @param {Helped | null} player */
function setHelped(player) {
  helped = player;
  keep(helpedKey(), helped);
}

/** @param {string} seat */
function help(seat) {
  setHelped({ seat, step: table().dataset.step });
  show(seat);
  // The button is gone, and the focus with it.
  moveFocus($(`.player[data-player="${seat}"] .f.open`));
}

/** @param {string | undefined} seat */
function select(seat) {
  const { focus, others } = table().dataset;
  const strips = $$("[data-whose]");
  for (const strip of strips) {
    strip.hidden = !others || seat === focus || strip.dataset.whose !== seat;
  }
  const hint = $(".says");
  if (hint) hint.hidden = strips.some((strip) => !strip.hidden);
  speakOf(seat);
  enlarge(seat);
  for (const tab of $$("[role=tab]")) {
    const isSelected = tab.dataset.tab === seat;
    tab.setAttribute("aria-selected", String(isSelected));
    tab.tabIndex = isSelected ? 0 : -1;
    if (isSelected) bringIntoView(tab);
  }
  const call = $(".play .call");
  // The call belongs to the active player's sheet; on another's it would only be in the way.
  const active = call?.dataset.seat ?? "";
  const isShown = active === seat || helped?.seat === active;
  call?.classList.toggle("own-turn", isShown && !isReadOnly(active));
}

/**
 * On a device for several players, lets the hint speak of the one whose sheet is shown.
 * @param {string | undefined} seat
 */
function speakOf(seat) {
  const of = $(`.hint [data-of="${seat}"]`) ?? $(`.hint [data-of="${table().dataset.focus}"]`);
  if (!of) return;
  for (const name of ["said", "then", "how"]) {
    const place = $(`.hint .${name}`);
    if (place) place.textContent = of.dataset[name] ?? "";
  }
}

/**
 * Makes a sheet the large one; the one before takes its place among the others, so that no third one moves.
 * @param {string | undefined} seat
 */
function enlarge(seat) {
  const small = $(`.others > [data-player="${seat}"]`);
  const large = $(".own > .player");
  if (small && large) {
    const hadFocus = small.contains(document.activeElement);
    small.before(large);
    the(".own").append(small);
    if (hadFocus) $(".paper", small)?.focus({ preventScroll: true });
  }
  for (const player of $$(".play .player")) {
    player.classList.toggle("selected", player.dataset.player === seat);
  }
}

/** Shows the sheets that are read-only here without anything to tap. */
function showReadOnly() {
  for (const player of $$(".play .player")) {
    const seat = player.dataset.player ?? "";
    const cannotWrite = isReadOnly(seat);
    player.classList.toggle("read-only", cannotWrite);
    const button = $("[data-write-for]", player);
    const isAwaited = isAmong("awaited", seat);
    const canHelp = cannotWrite && isAwaited && isAmong("helps", seat);
    if (button) button.hidden = !canHelp;
    // It is in the place of the button for passing.
    button?.classList.toggle("as-pass", canHelp);
    const sheet = $(".sheet", player);
    if (cannotWrite) sheet?.setAttribute("aria-disabled", "true");
    else sheet?.removeAttribute("aria-disabled");
    if (cannotWrite) $$(".f.open, .f.costs, .f.closed", player).forEach(showPlain);
  }
}

/**
 * Scrolls the tabs, and nothing else, to one that they hide.
 * @param {HTMLElement} tab
 */
function bringIntoView(tab) {
  const row = tab.parentElement;
  if (!row) return;
  const here = tab.getBoundingClientRect();
  const around = row.getBoundingClientRect();
  if (here.left < around.left) row.scrollLeft += here.left - around.left;
  else if (here.right > around.right) row.scrollLeft += here.right - around.right;
  if (here.top < around.top) row.scrollTop += here.top - around.top;
  else if (here.bottom > around.bottom) row.scrollTop += here.bottom - around.bottom;
}

/** Shows beside the parts whose turn it is, and who is waited for. */
function showTurn() {
  const { active, by, rolls, awaited = "" } = table().dataset;
  for (const player of $$(".play .player")) {
    const seat = player.dataset.player ?? "";
    player.classList.toggle("active", seat === active);
    player.classList.toggle("awaited", awaited.split(" ").includes(seat));
  }
  const call = $(".play .call");
  if (call) Object.assign(call.dataset, { by, seat: active, mine: rolls });
}

export function showSelected() {
  if (!$(".play")) {
    clearHanding();
    last = undefined;
    return;
  }
  showTurn();
  const { focus, moment, step } = table().dataset;
  if (helped && helped.step !== step) setHelped(null);
  if (chosen && chosen.focus !== focus) chosen = null;
  // A new call brings a player's phone back to its own sheet.
  const isByHand = table().dataset.others && chosen?.seat !== helped?.seat;
  if (chosen && chosen.moment !== moment && isByHand) chosen = null;
  showReadOnly();
  const seat = chosen && $(`[data-tab="${chosen.seat}"]`) ? chosen.seat : focus;
  select(seat);
  const tab = $(`[data-tab="${seat}"]`);
  if (tab && last && last !== seat) hand(tab);
  last = seat;
}

// A tablet lies flat, and its players sit around it: each sheet can be turned towards its player.

/** @type {Record<string, string>} degrees → the next ones */
const NEXT = { "": "180", 180: "90", 90: "270", 270: "" };

/** @returns {Record<string, string>} seat → degrees */
const turned = () => stored(turnedKey(), {});
const turnedKey = () => `turned:${table().dataset.table}`;

/** @param {string} seat */
function turn(seat) {
  const degrees = turned();
  store(turnedKey(), { ...degrees, [seat]: NEXT[degrees[seat] ?? ""] });
  showTurned();
  guard(the(`.player[data-player="${seat}"]`));
}

export function showTurned() {
  const degrees = turned();
  for (const player of $$("[data-player]")) {
    player.dataset.turned = degrees[player.dataset.player ?? ""] ?? "";
  }
}
