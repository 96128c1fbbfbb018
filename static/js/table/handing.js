// The phone, or the large place of a tablet, goes on to another player: the name is shown large, and taps are
// ignored for a moment, because the second one of a double tap would write for the next player.
//   data-handing   at the table's element: a page says so until its player taps it

import { $, made, onTap, table, words } from "../page/dom.js";

const IGNORED_MS = 500;
const SHOWN_MS = 1100;

export function answerHanding() {
  onTap(".handed button", () => clearHanding());
}

export const clearHanding = () => $(".handed")?.remove();

/**
 * Names the player of a sheet.
 * @param {HTMLElement} tab
 */
export function hand(tab) {
  clearHanding();
  const player = $("bdi", tab)?.textContent ?? "";
  const isPage = table().dataset.handing === "yes";
  const place = made("div", { className: isPage ? "handed page" : "handed" });
  const color = $(".dot", tab)?.className.replace("dot", "") ?? "";
  place.append(
    made("strong", {
      className: color.trim(),
      textContent: isPage ? words("hand", { player }) : player,
    }),
  );
  if (isPage) place.append(made("button", { textContent: words("iAm", { player }) }));
  // The hint is read out already.
  else place.setAttribute("aria-hidden", "true");
  document.body.append(place);
  setTimeout(() => place.classList.add("ready"), IGNORED_MS);
  if (!isPage) setTimeout(() => place.remove(), SHOWN_MS);
}
