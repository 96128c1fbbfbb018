// Fields of a sheet that go together, such as the boxes of one crossing: which sets are possible
// with what was picked, and which of them are left with the fields that were tapped.

/** @typedef {import("./picks.js").Picks} Picks */
/** @typedef {{ when: Picks, sets: string[][] }} SetChoice picks, and the sets that go with them */

/**
 * The choices that agree with the picks.
 * @param {SetChoice[]} choices
 * @param {Picks} picks
 * @param {Picks} said parts that the fields say, with the values that have to be picked
 */
const fitting = (choices, picks, said) =>
  choices.filter(
    ({ when }) =>
      Object.entries(said).every(([part, value]) => part in picks || when[part] !== value) &&
      Object.entries(picks).every(([part, value]) => when[part] === value),
  );

/**
 * The choice that agrees with the picks, or null; it has the sets of all values of the parts that the
 * fields say.
 * @param {SetChoice[]} choices
 * @param {Picks} picks
 * @param {Picks} said see `fitting`
 * @returns {SetChoice | null}
 */
export function choiceOf(choices, picks, said) {
  const [first, ...others] = fitting(choices, picks, said);
  if (!first || !others.length) return first ?? null;
  return { when: picks, sets: [first, ...others].flatMap(({ sets }) => sets) };
}

/**
 * The picks that a set of fields goes with.
 * @param {SetChoice[]} choices
 * @param {Picks} picks
 * @param {string[]} fields
 * @param {Picks} said see `fitting`
 * @returns {Picks}
 */
export function picksOf(choices, picks, fields, said) {
  const isSame = (/** @type {string[]} */ set) =>
    set.length === fields.length && fields.every((field) => set.includes(field));
  return fitting(choices, picks, said).find(({ sets }) => sets.some(isSame))?.when ?? picks;
}

/**
 * The sets that hold all these fields.
 * @param {SetChoice | null} choice
 * @param {string[]} fields
 */
export const waysOf = (choice, fields) =>
  choice?.sets.filter((set) => fields.every((field) => set.includes(field))) ?? [];

/**
 * Whether a choice is left with this value for a part, beside what else is picked.
 * @param {SetChoice[]} choices
 * @param {Picks} picks
 * @param {string} part
 * @param {unknown} value
 */
export const isPossible = (choices, picks, part, value) =>
  choices.some(({ when }) =>
    Object.entries({ ...picks, [part]: value }).every(([name, is]) => when[name] === is),
  );

/**
 * Whether these fields are a whole set, so that no further one is needed.
 * @param {string[][]} ways
 * @param {string[]} fields
 */
export const isWhole = (ways, fields) =>
  fields.length > 0 && ways.some((set) => set.length === fields.length);
