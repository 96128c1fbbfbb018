// Taps on elements that carry an action of their own, by finger or by keyboard.

import { $, dialog, onTap } from "../page/dom.js";
import { askBeside, refuse } from "./beside.js";
import { preview } from "./corrections.js";
import { choicesOf, fieldsOf, firstOf, showPending } from "./fields.js";
import { hold } from "./held.js";
import { point } from "./pointing.js";

/** @typedef {import("./queue.js").Queue} Queue */

/** The button with a whole tap that was tapped last, that tap's id, and how often it was tapped again meanwhile. */
const sending = { button: /** @type {HTMLElement | null} */ (null), id: "", more: 0 };

/**
 * The name of an element, for the note that its tap could not be saved.
 * @param {HTMLElement} element
 */
const nameOf = (element) => element.getAttribute("aria-label") ?? element.textContent?.trim() ?? "";

/**
 * Answers taps on what carries an action:
 *   data-tap     the action as JSON (see fields.js), of which a value may be asked for; inside `data-editor` it is shown what it would change
 *   data-send    a whole tap as JSON, such as an undo
 *   data-final   the entry with a call that is final by the tap
 *   data-reason  why a tap there is refused
 * @param {Queue["add"]} send
 * @param {() => boolean} takeBack undoes what has been tapped but not sent; false without such
 * @param {() => void} changed draws the page for a tap that is held
 */
export function answerTaps(send, takeBack = () => false, changed = () => {}) {
  onTap("[data-tap]", (element) => {
    const [[, action] = ["", {}], ...others] = choicesOf(element);
    const editor = /** @type {HTMLElement | null} */ (element.closest("[data-editor]"));
    if (others.length && !element.closest(".read-only")) {
      askBeside(nameOf(element), element, choicesOf(element), (chosen) => {
        if (editor) preview(editor.dataset.editor ?? "", chosen);
        else {
          showPending(element);
          send({ action: chosen, first: firstOf(element) }, nameOf(element));
        }
      });
      return;
    }
    if (editor) {
      preview(editor.dataset.editor ?? "", action);
      return;
    }
    const readOnly = element.closest(".read-only");
    if (readOnly) {
      // Points at the button that has to be tapped first.
      const button = $("[data-write-for]", readOnly);
      if (button) point(button);
      return;
    }
    if (element.matches(".f.early")) {
      hold(element, nameOf(element));
      changed();
      return;
    }
    if (element.matches(".f.open, .f.costs")) showPending(element);
    send({ action, first: firstOf(element) }, nameOf(element));
  });
  onTap("[data-send]", (element) => {
    const asked = JSON.parse(element.dataset.send ?? "");
    if (asked.undo && takeBack()) return;
    const id = send({ moment: undefined, ...asked }, nameOf(element));
    sending.more = id === sending.id ? sending.more + 1 : Math.max(sending.more - 1, 0);
    if (element !== sending.button) sending.more = 0;
    Object.assign(sending, { button: element, id });
    if (element.closest("dialog")) dialog().close();
  });
  onTap("[data-final]", (element) => send({ final: element.dataset.final }, nameOf(element)));
  onTap("[data-reason]", (element) => refuse(element.dataset.reason ?? "", element));
  // Fields of a drawing are no buttons, so Enter and Space are ours to answer. A key that is held taps once.
  document.addEventListener("keydown", (event) => {
    const pressed = /** @type {Element} */ (event.target);
    const isField = pressed.matches("g[data-tap], g.choosable");
    const isPress = event.key === "Enter" || event.key === " ";
    if (!isPress || !(isField || (event.repeat && pressed.matches("button")))) return;
    event.preventDefault();
    if (!event.repeat) pressed.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  });
}

/**
 * Taps Undo or Redo again, once it says what is next, as often as it was tapped before.
 * @param {Queue} queue
 */
export function repeatSending(queue) {
  const { button, id, more } = sending;
  if (!more || queue.isWaiting(id)) return;
  if (button?.isConnected && queue.saved?.tap.id === id) button.click();
  else sending.more = 0;
}

/**
 * Marks fields with waiting taps as pending.
 * @param {Queue} queue
 */
export function showWaiting(queue) {
  for (const { tap } of queue.list()) {
    if (tap.action) fieldsOf(tap.action).forEach(showPending);
  }
}
