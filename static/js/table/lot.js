// The draw of the starting player, as a small show: an arrow turns on a table with everybody around it.
// All phones in the lobby show the same, because seats have the same places and the arrow stops at
// the one that the server has drawn.

import { $, $$, made, words } from "../page/dom.js";

const TURNING_MS = 2600;
const RESTING_MS = 1400;
const ROUNDS = 3;
const FULL = 360;
/** Distance of the names from the table's centre, in per cent of its width. */
const RADIUS = 40;
const ARROW =
  '<svg viewBox="0 0 40 40" aria-hidden="true"><path d="M20 1 30 16h-6v22h-8V16h-6z"/></svg>';

/** @type {string | undefined} the draw that this page knows; undefined before its first lobby */
let known;

/** Shows a draw that was made while this page was open. */
export function showLot() {
  const drawn = $("[data-lot]")?.dataset.lot;
  const isNew = known !== undefined && drawn !== undefined && drawn !== "0" && drawn !== known;
  known = drawn;
  if (!isNew) return;
  const seats = $$("[data-lot] [data-seat]");
  const winner = seats[0];
  if (winner) play(seats.sort(bySeat), seats.indexOf(winner));
}

/**
 * @param {HTMLElement} one
 * @param {HTMLElement} other
 */
const bySeat = (one, other) => Number(one.dataset.seat) - Number(other.dataset.seat);

/**
 * @param {HTMLElement[]} seats in an order that is the same everywhere
 * @param {number} won the index of the seat that starts
 */
function play(seats, won) {
  const show = made("div", { className: "lot" });
  const table = made("div", { className: "lot-table" });
  const names = seats.map((seat, index) => chip(seat, (index / seats.length) * FULL));
  const arrow = made("div", { className: "lot-arrow", innerHTML: ARROW });
  const result = made("p");
  result.setAttribute("role", "status");
  table.append(...names, arrow);
  show.append(table, result);
  $(".lot")?.remove();
  document.body.append(show);
  const end = () => show.remove();
  show.addEventListener("click", end);

  const angle = (won / seats.length) * FULL;
  const showStarter = () => {
    names[won]?.classList.add("won");
    result.textContent = words("starts", { player: names[won]?.textContent ?? "" });
    setTimeout(end, RESTING_MS);
  };
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
    arrow.style.rotate = `${angle}deg`;
    showStarter();
    return;
  }
  const turning = arrow.animate([{ rotate: "0deg" }, { rotate: `${ROUNDS * FULL + angle}deg` }], {
    duration: TURNING_MS,
    easing: "cubic-bezier(.12, .7, .1, 1)",
    fill: "forwards",
  });
  turning.addEventListener("finish", showStarter);
}

/**
 * A name at its place round the table, the first one at the top.
 * @param {HTMLElement} seat
 * @param {number} degrees
 */
function chip(seat, degrees) {
  const radians = (degrees * Math.PI) / (FULL / 2);
  const color = $(".dot", seat)?.className.replace("dot", "") ?? "";
  const name = made("bdi", { className: color, textContent: $(".name", seat)?.textContent ?? "" });
  name.style.left = `${50 + RADIUS * Math.sin(radians)}%`;
  name.style.top = `${50 - RADIUS * Math.cos(radians)}%`;
  return name;
}
