// Short names for common queries of the page.

/**
 * The first element that matches, or null.
 * @param {string} selector
 * @param {ParentNode} root
 * @returns {HTMLElement | null}
 */
export const $ = (selector, root = document) => root.querySelector(selector);

/**
 * All elements that match, in the order of the page.
 * @param {string} selector
 * @param {ParentNode} root
 */
export const $$ = (selector, root = document) => [
  .../** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(selector)),
];

/**
 * The element that the page cannot do without.
 * @param {string} selector
 * @param {ParentNode} root
 */
export function the(selector, root = document) {
  const element = $(selector, root);
  if (!element) throw new Error(`there is no ${selector}`);
  return element;
}

export const dialog = () => /** @type {HTMLDialogElement} */ (the("#dialog"));

/** The table that this page shows. The server describes it in data-* attributes. */
export const table = () => the("#table");

/**
 * A sentence in the page's language, with a value in place of each `{name}`.
 * @param {string} name
 * @param {Record<string, string | number>} values
 * @param {string} source the template that holds the sentences
 */
export const words = (name, values = {}, source = "#words") =>
  Object.entries(values).reduce(
    (text, [key, value]) => text.replace(`{${key}}`, String(value)),
    the(source).dataset[name] ?? "",
  );

/**
 * A new element with properties of its own.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Partial<HTMLElementTagNameMap[Tag]>} properties
 */
export const made = (tag, properties = {}) =>
  Object.assign(document.createElement(tag), properties);

/**
 * The element that a tap or a key was meant for.
 * @param {Event} event
 * @param {string} selector
 */
export const target = (event, selector) =>
  /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest(selector));

/**
 * Answers taps on all elements that match, also those that are drawn later.
 * @param {string} selector
 * @param {(element: HTMLElement, event: Event) => void} answer
 */
export function onTap(selector, answer) {
  document.addEventListener("click", (event) => {
    const element = target(event, selector);
    if (element && !(/** @type {HTMLButtonElement} */ (element).disabled)) answer(element, event);
  });
}
