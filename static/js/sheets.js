// Which sheet a narrow screen shows, and which way each sheet is turned.

import { $, $$, onTap, table, target, the } from "./dom.js";
import { keep, kept, store, stored } from "./store.js";

/** @typedef {{ seat: string, focus: string | undefined }} Chosen by hand; until the game asks for another sheet */

/** @type {Chosen | null} */
let chosen = null;

const key = () => `sheet:${table().dataset.table}`;

/** Answers taps and keys, and takes up what was chosen before this tab was reloaded. */
export function answerSheets() {
  chosen = kept(key(), chosen);
  onTap("[data-tab]", (tab) => choose(tab));
  onTap("[data-enlarge]", ({ dataset }) => choose(the(`[data-tab="${dataset.enlarge}"]`)));
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
  chosen = { seat, focus: table().dataset.focus };
  keep(key(), chosen);
  select(seat);
}

/** @param {string | undefined} seat */
function select(seat) {
  for (const player of $$(".play .player")) {
    player.classList.toggle("selected", player.dataset.player === seat);
  }
  for (const tab of $$("[data-tab]")) {
    const isSelected = tab.dataset.tab === seat;
    tab.setAttribute("aria-selected", String(isSelected));
    tab.tabIndex = isSelected ? 0 : -1;
    if (isSelected) bringIntoView(tab);
  }
  const call = $(".play .call");
  // The call belongs to the active player's sheet; on another's it would only be in the way.
  call?.classList.toggle("own-turn", call.dataset.seat === seat);
}

/**
 * Scrolls the row of tabs, and nothing else, to a tab that it hides.
 * @param {HTMLElement} tab
 */
function bringIntoView(tab) {
  const row = tab.parentElement;
  if (!row) return;
  const here = tab.getBoundingClientRect();
  const around = row.getBoundingClientRect();
  if (here.left < around.left) row.scrollLeft += here.left - around.left;
  else if (here.right > around.right) row.scrollLeft += here.right - around.right;
}

/** Shows at the places of the parts whose turn it is, and who is waited for. */
function showTurn() {
  const { active, by, rolls, waiting = "" } = table().dataset;
  for (const player of $$(".play .player")) {
    const seat = player.dataset.player ?? "";
    player.classList.toggle("active", seat === active);
    player.classList.toggle("waiting", waiting.split(" ").includes(seat));
  }
  const call = $(".play .call");
  if (call) Object.assign(call.dataset, { by, seat: active, mine: rolls });
}

export function showSelected() {
  if (!$(".play")) return;
  showTurn();
  const { focus } = table().dataset;
  if (chosen && chosen.focus !== focus) chosen = null;
  select(chosen && $(`[data-tab="${chosen.seat}"]`) ? chosen.seat : focus);
}

// A tablet lies flat, and its players sit around it: each sheet can be turned towards its player.

/** @type {Record<string, string>} degrees → the next ones */
const NEXT = { "": "180", 180: "90", 90: "270", 270: "" };

/** @returns {Record<string, string>} seat → degrees */
const turned = () => stored("turned", {});

/** @param {string} seat */
function turn(seat) {
  const degrees = turned();
  store("turned", { ...degrees, [seat]: NEXT[degrees[seat] ?? ""] });
  showTurned();
}

export function showTurned() {
  const degrees = turned();
  for (const player of $$("[data-player]")) {
    player.dataset.turned = degrees[player.dataset.player ?? ""] ?? "";
  }
}
