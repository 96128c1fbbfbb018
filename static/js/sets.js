// Fields of a sheet that go together, such as the boxes of one crossing: which sets are possible
// with what was picked, and which of them are left with the fields that were tapped.

import { isComplete } from "./picks.js";

/** @typedef {import("./picks.js").Picks} Picks */
/** @typedef {{ when: Picks, sets: string[][] }} SetChoice picks, and the sets that go with them */

/**
 * The only choice that agrees with the picks, or null.
 * @param {SetChoice[]} choices
 * @param {string[]} needs
 * @param {Picks} picks
 */
export function choiceOf(choices, needs, picks) {
  const fits = choices.filter(
    ({ when }) =>
      needs.every((need) => picks[need] === when[need]) &&
      Object.entries(picks).every(([part, value]) => when[part] === value),
  );
  return fits.length === 1 ? /** @type {SetChoice} */ (fits[0]) : null;
}

/**
 * The sets that hold all these fields.
 * @param {SetChoice | null} choice
 * @param {string[]} fields
 */
export const waysOf = (choice, fields) =>
  choice?.sets.filter((set) => fields.every((field) => set.includes(field))) ?? [];

/**
 * Whether the picks lead to no set of fields, though nothing is left to be picked.
 * @param {SetChoice[]} choices
 * @param {string[]} needs
 * @param {Picks} picks
 */
export const leadNowhere = (choices, needs, picks) =>
  isComplete(needs, picks) && !choiceOf(choices, needs, picks);

/**
 * Whether a choice is left with this value for a part, beside what else is needed and picked.
 * @param {SetChoice[]} choices
 * @param {string[]} needs
 * @param {Picks} picks
 * @param {string} part
 * @param {unknown} value
 */
export const isPossible = (choices, needs, picks, part, value) =>
  choices.some(
    ({ when }) =>
      when[part] === value &&
      needs.every((need) => need === part || !(need in picks) || picks[need] === when[need]),
  );

/**
 * Whether these fields are a whole set, so that no further one is needed.
 * @param {string[][]} ways
 * @param {string[]} fields
 */
export const isWhole = (ways, fields) =>
  fields.length > 0 && ways.some((set) => set.length === fields.length);
