// The phone, or the large place of a tablet, goes on to another player: the name is shown large, and the guard keeps
// the second one of a double tap from writing for the next player.
//   data-handing   at the table's element: a page says so until its player taps it

import { $, $$, made, onTap, table, words } from "../page/dom.js";
import { guard } from "./guard.js";

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
  // Screen readers already read out the hint.
  else place.setAttribute("aria-hidden", "true");
  document.body.append(place);
  for (const fresh of $$(".play, .handed")) guard(fresh);
  if (!isPage) setTimeout(() => place.remove(), SHOWN_MS);
}
