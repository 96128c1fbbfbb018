// Fields of a sheet that go together, such as the boxes of one crossing: which sets are possible
// with what was picked, and which of them are left with the fields that were tapped.

import { isComplete } from "./picks.js";

/** @typedef {import("./picks.js").Picks} Picks */
/** @typedef {{ when: Picks, sets: string[][] }} SetChoice picks, and the sets that go with them */

/**
 * The choices that agree with the picks.
 * @param {SetChoice[]} choices
 * @param {string[]} needs
 * @param {Picks} picks
 * @param {Picks} said parts that the fields say, with the values that have to be picked
 */
const fitting = (choices, needs, picks, said) =>
  choices.filter(
    ({ when }) =>
      needs.every((need) => need in picks || (need in said && when[need] !== said[need])) &&
      Object.entries(picks).every(([part, value]) => when[part] === value),
  );

/**
 * The choice that agrees with the picks, or null. Where a part is still open that not all picks
 * need, such as the color of a joker, or that the fields say, it has the sets of all of its values.
 * @param {SetChoice[]} choices
 * @param {string[]} needs
 * @param {Picks} picks
 * @param {Picks} said see `fitting`
 * @returns {SetChoice | null}
 */
export function choiceOf(choices, needs, picks, said = {}) {
  const [first, ...others] = fitting(choices, needs, picks, said);
  if (!first || !others.length) return first ?? null;
  return { when: picks, sets: [first, ...others].flatMap(({ sets }) => sets) };
}

/**
 * The picks that a set of fields goes with.
 * @param {SetChoice[]} choices
 * @param {string[]} needs
 * @param {Picks} picks
 * @param {string[]} fields
 * @param {Picks} said see `fitting`
 * @returns {Picks}
 */
export function picksOf(choices, needs, picks, fields, said = {}) {
  const isSame = (/** @type {string[]} */ set) =>
    set.length === fields.length && fields.every((field) => set.includes(field));
  return fitting(choices, needs, picks, said).find(({ sets }) => sets.some(isSame))?.when ?? picks;
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
