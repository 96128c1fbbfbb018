// A picker without a list of its values: this device learns them from games that were entered completely.
//   data-learns  the part whose values are learned; the server gives the class `seen` to those that came in this game
//   data-whole   how many values make a game complete
// After two such games, values that never came get the class `unheard`.

import { $$, table } from "../page/dom.js";
import { store, stored } from "../page/store.js";

const WHOLE_GAMES = 2;

/** @typedef {{ values: string[], games: number, isCounted: boolean }} Learned */

export function showLearned() {
  for (const picker of $$("[data-learns]")) {
    const buttons = $$(`[data-part="${picker.dataset.learns}"]`, picker);
    const seen = buttons.filter((button) => button.matches(".seen"));
    const key = `learned:${table().dataset.game}`;
    const before = stored(key, /** @type {Learned} */ ({ values: [], games: 0, isCounted: false }));
    const values = new Set([...before.values, ...seen.map(({ dataset }) => dataset.value ?? "")]);
    const isWhole = seen.length >= Number(picker.dataset.whole);
    const games = before.games + Number(isWhole && !before.isCounted);
    const now = { values: [...values], games, isCounted: isWhole };
    if (JSON.stringify(now) !== JSON.stringify(before)) store(key, now);
    for (const button of buttons) {
      const isUnheard = games >= WHOLE_GAMES && !values.has(button.dataset.value ?? "");
      button.classList.toggle("unheard", isUnheard);
    }
  }
}
