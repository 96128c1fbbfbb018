// Parts of an action that are tapped one by one, and the action that they make.

/**
 * @typedef {string | number} Value
 * @typedef {Record<string, unknown>} Picks part → what was picked for it
 */

/**
 * `data-value="4"` is the number 4, any other text is itself.
 * @param {string} text
 * @returns {Value}
 */
export const parsed = (text) => (/^-?\d+$/.test(text) ? Number(text) : text);

/**
 * @param {Picks} picks
 * @param {string} part
 */
export const without = (picks, part) =>
  Object.fromEntries(Object.entries(picks).filter(([name]) => name !== part));

/**
 * The group of a part, as a button for the next one of it is named: "colors.0" belongs to "colors.+".
 * @param {string} part
 */
export const nextOf = (part) => part.replace(/\.[^.]+$/, ".+");

/**
 * Whether a button is for the next part of a group that already has this value.
 * @param {Picks} picks
 * @param {string} part
 * @param {Value} value
 */
export const isTwice = (picks, part, value) =>
  part.endsWith(".+") &&
  Object.entries(picks).some(([name, picked]) => nextOf(name) === part && picked === value);

/**
 * Whether a button is for the next part of a group that is full.
 * @param {Picks} picks
 * @param {string[]} needs
 * @param {string} part
 */
export const isFull = (picks, needs, part) =>
  part.endsWith(".+") && needs.every((need) => nextOf(need) !== part || need in picks);

/**
 * Whether all that is needed has been picked. A need "dice" is met by any part "dice.…".
 * @param {string[]} needs
 * @param {Picks} picks
 */
export const isComplete = (needs, picks) =>
  needs.every((need) =>
    Object.keys(picks).some((part) => part === need || part.startsWith(`${need}.`)),
  );

/**
 * The picks after a tap on a button; null when it changes nothing.
 * @param {Picks} picks
 * @param {string[]} needs
 * @param {{ part: string, value: Value, resets?: string[] }} button
 *   its part "group.+" is the first needed part of the group that is empty
 * @returns {Picks | null}
 */
export function tapped(picks, needs, { part, value, resets = [] }) {
  const isNext = part.endsWith(".+");
  const name = isNext
    ? needs.find((need) => need.startsWith(part.slice(0, -1)) && !(need in picks))
    : part;
  if (name === undefined) return null;
  // A second tap takes an optional part back, but never the last one of a group that is needed.
  const left = without(picks, name);
  const isTakenBack = !needs.includes(name) && isComplete(needs, left) === isComplete(needs, picks);
  const changed = picks[name] === value && isTakenBack ? left : { ...picks, [name]: value };
  for (const reset of resets) delete changed[reset];
  return JSON.stringify(changed) === JSON.stringify(picks) ? null : changed;
}

/**
 * A template of an action with the picks in place: "$name" becomes the part of that name, or all
 * parts "name.…" as an object or a list.
 * @param {unknown} template
 * @param {Picks} picks
 * @returns {any}
 */
export function filled(template, picks) {
  if (Array.isArray(template)) return template.map((inner) => filled(inner, picks));
  if (template && typeof template === "object") {
    // A name stays as it is: somebody may be called "Ke$ha".
    const entries = Object.entries(template).map(([key, inner]) => [
      key,
      key === "by" ? inner : filled(inner, picks),
    ]);
    return Object.fromEntries(entries);
  }
  if (typeof template !== "string" || !/^\$[\w.]+$/.test(template)) return template;
  const name = template.slice(1);
  return name in picks ? picks[name] : group(name, picks);
}

/**
 * All parts "name.…" by what follows the point: a list where those are numbers.
 * @param {string} name
 * @param {Picks} picks
 */
function group(name, picks) {
  const parts = Object.entries(picks)
    .filter(([part]) => part.startsWith(`${name}.`))
    .map(([part, value]) => /** @type {const} */ ([part.slice(name.length + 1), value]));
  if (!parts.every(([part]) => /^\d+$/.test(part))) return Object.fromEntries(parts);
  return parts.sort(([a], [b]) => Number(a) - Number(b)).map(([, value]) => value);
}

/**
 * A number as it is typed, after one more key; null where that would be out of range.
 * @param {string} text
 * @param {string} key a digit, "±" for the other sign, or "⌫" for the last digit
 * @param {[number, number]} range
 */
export function typed(text, key, [least, most]) {
  const turned = text.startsWith("-") ? text.slice(1) : `-${text}`;
  const other = key === "±" ? turned : key === "⌫" ? text.slice(0, -1) : `${text}${key}`;
  const more = other.replace(/^(-?)0+(?=\d)/, "$1");
  return Number(more) >= least && Number(more) <= most ? more : isTyped(more) ? null : more;
}

/** @param {unknown} text whether it is a number already */
export const isTyped = (text) => /\d$/.test(String(text ?? ""));

/**
 * Whether one of these parts is picked with a piece in common: "red/blue/4" has the "4" of "green/red/4".
 * @param {Picks} picks
 * @param {Picks} features
 */
export const matchesAny = (picks, features) =>
  Object.entries(features).some(([part, value]) => {
    const pieces = String(picks[part]).split("/");
    return String(value)
      .split("/")
      .some((piece, at) => piece === pieces[at]);
  });

/**
 * The picks with the part that is tapped last, if there is but one way: the value of the only button that
 * matches, or `none` where no button does.
 * @param {Picks} picks
 * @param {string[]} needs
 * @param {string} last
 * @param {{ value: string, features: Picks }[]} buttons for the last part
 * @param {string} none
 */
export function completed(picks, needs, last, buttons, none) {
  const others = needs.filter((need) => need !== last);
  if (last in picks || !isComplete(others, picks)) return picks;
  const [only, another] = buttons.filter(({ features }) => matchesAny(picks, features));
  return another ? picks : { ...picks, [last]: parsed(only?.value ?? none) };
}

/**
 * Whether all these parts are picked as they are here.
 * @param {Picks} picks
 * @param {Picks} condition
 */
export const matchesAll = (picks, condition) =>
  Object.entries(condition).every(([part, value]) => picks[part] === value);
