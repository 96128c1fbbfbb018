// Pickers: parts are tapped one by one; when all needed parts are there, they make one action.
//
// A picker is an element with
//   data-action   the action as JSON, with "$name" where a part goes
//   data-needs    the parts without which nothing is sent ("dice" is any part "dice.…")
//   data-picks    the parts that the server knows already, as JSON
//   data-replaces the entry that the action replaces
//   data-preview  where the action is sent to see what it would change, instead of being made
//   data-sets     [{when: parts, sets: [[field, …], …]}]: fields of the sheet that go together
//   data-fields   the part that the fields are, once they are a set
//   data-said     parts as JSON that the fields say, unless they are to have these values
//   data-why      where to ask why parts or fields lead nowhere
//   data-each     each action is an entry of its own; after a refusal all is kept but this part
//   data-none     the value of that part where no button for it matches; where one does, it has its value
//   data-once     what is said when a value is tapped twice for one group
// and inside it
//   data-part, data-value    a button for a part; "colors.+" is the first needed one that is empty
//   data-slide    a finger may slide from the button to another one; see slides.js
//   data-resets   the parts that a tap on the button takes back
//   data-any      parts as JSON: the button matches when one of them is picked with a piece in common
//   data-slot     a button that shows a part and takes it back
//   data-if       parts as JSON: the element is shown while they are picked like this
//   data-typed    on the picker: the part that its keys type, a number from data-least to data-most; data-limits says so
//   data-key      a key: a digit, "±" or "⌫"; data-enter sends the number, data-shows shows it
//   data-announces its parts are dice that the others see while they are tapped
//   data-done     the button for a set to which more fields could be added
//
// Parts tapped but not yet saved are kept here, so that a redrawn page does not forget them.

import { $, $$, onTap, table, target } from "../page/dom.js";
import { keep, kept } from "../page/store.js";
import { dropRefusals } from "../page/toasts.js";
import { refuse } from "./beside.js";
import { firstOf, isReadOnly } from "./fields.js";
import { shake } from "./guard.js";
import { showPicks, showSets } from "./picker-view.js";
import {
  completed,
  filled,
  isComplete,
  isTwice,
  isTyped,
  parsed,
  tapped,
  typed,
  without,
} from "./picks.js";
import { choiceOf, isWhole, picksOf, waysOf } from "./sets.js";
import { answerSlides } from "./slides.js";
import { answerStrokes } from "./strokes.js";

const SHEET = "[data-player],[data-editor]"; // whose fields answer to a picker inside it
const ECHO_MS = 500; // after a pick, in which a tap on the same thing is the second one of a double tap

/**
 * @typedef {import("./picks.js").Picks} Picks
 * @typedef {import("./queue.js").Queue} Queue
 * @typedef {{ picks: Picks, fields: string[], replaces?: string, moment?: string, sent?: boolean,
 *   after?: string, saved?: boolean, ahead?: string }} Local
 *   what was tapped in a picker; `moment` is when, `sent` says that an action has been made of it, `after` is the
 *   picker's last tap that went to the server, `saved` that the server has it, `ahead` what was typed since for the
 *   pad that comes next
 */

/**
 * The page, as far as pickers need it.
 * @typedef {object} Asked
 * @property {Queue["add"]} send
 * @property {Queue["isWaiting"]} isWaiting
 * @property {(path: string, action: import("./queue.js").Action) => void} preview shows what a correction would change
 * @property {() => void} missed the server does not answer
 * @property {(dice: Picks | null) => void} began a part was tapped of which nothing is sent yet; the dice to announce
 */

/** @param {HTMLElement} picker */
const needsOf = (picker) => (picker.dataset.needs ?? "").split(" ");

/** @param {string | undefined} json @returns {Picks} */
const parsedPicks = (json) => JSON.parse(json ?? "{}");

/** @param {HTMLElement} picker */
const saidOf = (picker) => parsedPicks(picker.dataset.said);

/** @param {HTMLElement} picker @returns {import("./sets.js").SetChoice[]} */
const setsOf = (picker) => JSON.parse(picker.dataset.sets ?? "[]");

/** @param {HTMLElement} picker @param {Picks} picks */
const announcedOf = (picker, picks) => ("announces" in picker.dataset ? picks : null);

/** @param {HTMLElement} element @returns {HTMLElement} */
const pickerOf = (element) => /** @type {HTMLElement} */ (element.closest("[data-picker]"));

/** @param {HTMLElement} element */
const sheetOf = (element) => /** @type {HTMLElement | null} */ (element.closest(SHEET));

const whatIsNow = () => $(".says .said")?.textContent?.trim() ?? "";

/** The answer of a field that took nothing yet; it goes when it is over. */
let answer = "";

/**
 * A field that takes nothing yet answers with the hint, such as "Ada is rolling".
 * @param {HTMLElement} field
 */
function sayWhatIsNow(field) {
  answer = whatIsNow();
  if (answer) refuse(answer, field);
}

/**
 * The fields tapped so far with one more, or that alone: one that goes with none of them begins another set.
 * @param {import("./sets.js").SetChoice | null} choice
 * @param {Local} local
 * @param {string} id
 */
function added(choice, { fields }, id) {
  const more = [...fields, id];
  return waysOf(choice, more).length || !waysOf(choice, [id]).length ? more : [id];
}

export class Pickers {
  /** @type {Map<string, Local>} a picker's id → what was tapped in it */
  local = new Map();

  /** The last pick (a picker's id, and a button's part and value or a field), and when it was made. */
  picked = { what: "", at: 0 };

  /** @type {HTMLElement | null} the first field of a stroke that goes with none of its others */
  strayed = null;

  /** @param {Asked} asked */
  constructor(asked) {
    this.asked = asked;
    onTap("[data-part]", (button, { timeStamp }) => this.tap(button, timeStamp));
    onTap("[data-slot]", (slot) => this.clear(slot));
    onTap("[data-key]", (key) => this.type(key));
    onTap("[data-enter]", (button) => this.enter(pickerOf(button)));
    document.addEventListener("keydown", (event) => this.press(event));
    onTap("[data-done]", (button) => {
      const picker = pickerOf(button);
      this.finish(picker, this.of(picker).fields);
    });
    answerSlides(
      // A slide is never the second half of a double tap.
      (button) => this.tap(button, Number.NaN),
      (button) => this.leavesChoice(button),
    );
    document.addEventListener("click", (event) => {
      const field = target(event, ".f");
      if (field) this.tapField(field, event.timeStamp);
    });
    answerStrokes(
      (field, isFirst) => this.draw(field, isFirst),
      (field) => this.lift(field),
      (field) => this.tapField(field, Number.NaN),
    );
  }

  /** Takes up what was tapped before this tab was reloaded. */
  restore() {
    this.local = new Map(kept(this.key, []));
  }

  get key() {
    return `picks:${table().dataset.table}`;
  }

  /**
   * @param {HTMLElement} picker
   * @returns {Local}
   */
  of(picker) {
    const { picks, replaces } = picker.dataset;
    return this.local.get(picker.id) ?? { picks: JSON.parse(picks || "{}"), fields: [], replaces };
  }

  /**
   * @param {HTMLElement} picker
   * @param {Local} local
   */
  change(picker, local) {
    this.local.set(picker.id, { ...local, moment: table().dataset.moment });
    this.keep();
    this.show();
  }

  /** @param {string} id of a picker whose taps are forgotten */
  forget(id) {
    this.local.delete(id);
    this.keep();
  }

  keep() {
    keep(this.key, [...this.local]);
  }

  /**
   * Whether a tap is the second one of a double tap.
   * @param {number} at the time of its event: a loaded phone answers late
   * @param {string[]} pick
   */
  isEcho(at, ...pick) {
    const before = this.picked;
    this.picked = { what: pick.join(" "), at };
    return this.picked.what === before.what && at - before.at < ECHO_MS;
  }

  /** @param {HTMLElement} button @param {number} at */
  tap(button, at) {
    const picker = pickerOf(button);
    const local = this.of(picker);
    const { part = "", value = "", resets = "" } = button.dataset;
    const needs = needsOf(picker);
    if (this.isEcho(at, picker.id, part, value) && local.picks[part] === parsed(value)) return;
    const { once } = picker.dataset;
    if (once && isTwice(local.picks, part, parsed(value))) {
      refuse(once, button);
      return;
    }
    const pick = { part, value: parsed(value), resets: resets.split(" ") };
    const changes = tapped(local.picks, needs, pick);
    if (!changes) return;
    const picks = this.completed(picker, changes);
    const changed = { ...local, picks, fields: [] };
    this.change(picker, changed);
    if (picker.dataset.sets) this.checkChoice(picker, changed, button);
    else if (isComplete(needs, picks)) this.send(picker, changed);
    else this.asked.began(announcedOf(picker, picks));
  }

  // Numbers that are typed

  /** @param {HTMLElement} key */
  type(key) {
    const picker = pickerOf(key);
    const { typed: part = "", least, most, limits = "", preview } = picker.dataset;
    const local = this.of(picker);
    const before = local.sent ? (local.ahead ?? "") : (local.picks[part] ?? "");
    // A value that the server already has is typed anew.
    const isNew = typeof before === "number" && /\d/.test(key.dataset.key ?? "");
    const text = isNew ? "" : String(before);
    const after = typed(text, key.dataset.key ?? "", [Number(least), Number(most)]);
    if (after === null) {
      shake(key);
      refuse(limits, null);
      return;
    }
    if (local.sent) {
      this.change(picker, { ...local, ahead: after });
      return;
    }
    const picks = after ? { ...local.picks, [part]: after } : without(local.picks, part);
    this.change(picker, { ...local, picks });
    if (preview) this.enter(picker);
    else this.asked.began(null);
  }

  /** @param {HTMLElement} picker whose number is whole */
  enter(picker) {
    const { typed: part = "" } = picker.dataset;
    const local = this.of(picker);
    // What was typed ahead is sent once its own pad is there.
    if (local.ahead) shake($("[data-enter]", picker));
    if (!isTyped(local.picks[part]) || local.sent) return;
    this.send(picker, { ...local, picks: { ...local.picks, [part]: Number(local.picks[part]) } });
  }

  /** @param {KeyboardEvent} event a keyboard's key is the one on the page, unless it is for something else */
  press(event) {
    const pad = $("dialog[open]") ? $("dialog[open] [data-typed]") : $(".selected [data-typed]");
    if (!pad || event.ctrlKey || event.metaKey || event.altKey || target(event, "input, select"))
      return;
    const isFree = event.key !== "Enter" || !target(event, "button, a, summary");
    const name = { Backspace: "⌫", "-": "±" }[event.key] ?? event.key;
    const button = $$("[data-key], [data-enter]", pad).find(({ dataset }) =>
      event.key === "Enter" ? "enter" in dataset : dataset.key === name,
    );
    if (!button || !isFree) return;
    event.preventDefault();
    button.click();
  }

  /**
   * The picks with the part of `data-each`, where only one way is left for it.
   * @param {HTMLElement} picker
   * @param {Picks} picks
   */
  completed(picker, picks) {
    const { each = "", none } = picker.dataset;
    if (none === undefined) return picks;
    const ways = $$("[data-any]", picker).map(({ dataset }) => ({
      value: dataset.value ?? "",
      features: parsedPicks(dataset.any),
    }));
    return completed(picks, needsOf(picker), each, ways, none);
  }

  /**
   * Whether one of several buttons has to be tapped after a part.
   * @param {HTMLElement} button for the part
   */
  leavesChoice(button) {
    const picker = pickerOf(button);
    const { part = "", value = "" } = button.dataset;
    const picks = this.completed(picker, { ...this.of(picker).picks, [part]: parsed(value) });
    return picker.dataset.none !== undefined && !isComplete(needsOf(picker), picks);
  }

  /** @param {HTMLElement} slot */
  clear(slot) {
    const picker = pickerOf(slot);
    const local = this.of(picker);
    const picks = without(local.picks, slot.dataset.slot ?? "");
    this.change(picker, { ...local, picks, sent: false });
    this.asked.began(announcedOf(picker, picks));
  }

  /**
   * Restores the picks of a refused tap, unless others have been tapped.
   * @param {import("./queue.js").Picked} picked
   */
  goOn({ picker, picks }) {
    const here = document.getElementById(picker);
    const local = here && this.of(here);
    if (local && !Object.keys(local.picks).length) this.change(here, { ...local, picks });
  }

  // Sending

  /**
   * @param {HTMLElement} picker
   * @param {Local} local
   */
  send(picker, local) {
    const action = filled(JSON.parse(picker.dataset.action ?? ""), local.picks);
    const what = picker.getAttribute("aria-label") ?? "";
    const { preview, each } = picker.dataset;
    if (preview) {
      this.asked.preview(preview, action);
      return;
    }
    const first = firstOf(picker);
    if (each !== undefined) {
      // The next tap belongs to the next entry.
      const from = { picker: picker.id, picks: without(local.picks, each) };
      const after = this.asked.send({ action, first }, what, from);
      this.change(picker, { picks: {}, fields: [], after });
    } else {
      const replaces = local.replaces || undefined;
      const after = this.asked.send({ action, replaces, first }, what);
      this.change(picker, { ...local, sent: true, after, replaces: replaces ?? after });
    }
  }

  /**
   * Picks that were begun after a tap belong to the table as that tap has made it.
   * @param {string} id of a tap that has been saved
   * @param {string} moment that it has made
   */
  follow(id, moment) {
    for (const local of this.local.values()) {
      if (local.after === id) Object.assign(local, { moment, saved: true });
    }
    this.keep();
  }

  /**
   * Whether a tap can only be meant for the picker that is there now: a part after which others are still needed, a
   * digit, and the tick, which does nothing before a digit.
   * @param {Element} element
   */
  isForNow(element) {
    if (element.closest("[data-key], [data-enter]")) return true;
    const button = /** @type {HTMLElement | null} */ (element.closest("[data-part]"));
    if (!button || button.closest("[data-sets]")) return false;
    const picker = pickerOf(button);
    const needs = needsOf(picker);
    const { part = "", value = "", resets = "" } = button.dataset;
    const pick = { part, value: parsed(value), resets: resets.split(" ") };
    const picks = tapped(this.of(picker).picks, needs, pick);
    return picks !== null && !isComplete(needs, this.completed(picker, picks));
  }

  // Fields of the sheet that go together

  /**
   * @param {HTMLElement} picker
   * @param {Local} local
   */
  choice(picker, local) {
    return choiceOf(setsOf(picker), local.picks, saidOf(picker));
  }

  /**
   * Says why the picks lead nowhere.
   * @param {HTMLElement} picker
   * @param {Local} local
   * @param {HTMLElement} tapped
   */
  checkChoice(picker, local, tapped) {
    const { f } = tapped.dataset;
    if (!this.choice(picker, local)) this.askWhy(picker, local.picks, f ? [f] : [], tapped);
  }

  /** @param {HTMLElement} field @param {number} at */
  tapField(field, at) {
    const sheet = sheetOf(field);
    if (!sheet || "tap" in field.dataset || isReadOnly(sheet)) return;
    const picker = $("[data-sets]", sheet);
    if (picker && field.matches(".choosable")) this.field(picker, field, at);
    // A box that is full of its color is there to be crossed; others are crossed by what is picked.
    else if (picker && field.matches(".empty") && $(".full ~ .m .picked", field)) {
      if (!this.of(picker).sent) this.checkChoice(picker, this.of(picker), field);
    } else if (!picker && field.matches(".empty:not(.value)")) sayWhatIsNow(field);
  }

  /**
   * @param {HTMLElement} picker
   * @param {HTMLElement} field that was tapped
   * @param {number} at
   */
  field(picker, field, at) {
    const id = field.dataset.f ?? "";
    const local = this.of(picker);
    const choice = this.choice(picker, local);
    if (!choice) return;
    const isOn = local.fields.includes(id);
    if (this.isEcho(at, picker.id, id) && isOn) return;
    const fields = isOn ? local.fields.filter((other) => other !== id) : added(choice, local, id);
    const ways = waysOf(choice, fields);
    const [way, another] = ways;
    if (!way) {
      this.askWhy(picker, { ...local.picks, ...choice.when }, fields, field);
      return;
    }
    this.change(picker, { ...local, fields });
    if (!isOn && !another) this.finish(picker, way);
    // A correction answers each whole set at once: a button for that would move the sheet under the finger.
    else if (picker.dataset.preview && isWhole(ways, fields)) this.finish(picker, fields);
  }

  /**
   * A finger is drawn over a field. Where the field goes with none of a stroke's, nothing changes.
   * @param {HTMLElement} field
   * @param {boolean} isFirst
   */
  draw(field, isFirst) {
    const picker = $("[data-sets]", sheetOf(field) ?? undefined);
    const id = field.dataset.f ?? "";
    if (!picker || this.of(picker).fields.includes(id)) return;
    const local = this.of(picker);
    const choice = this.choice(picker, local);
    const fields = isFirst ? added(choice, local, id) : [...local.fields, id];
    if (isFirst) this.strayed = null;
    if (waysOf(choice, fields).length) this.change(picker, { ...local, fields });
    else this.strayed ??= field;
  }

  /**
   * The finger is lifted after a stroke: its fields are finished if they are a whole set.
   * @param {HTMLElement} field with which the stroke began
   */
  lift(field) {
    const picker = $("[data-sets]", sheetOf(field) ?? undefined);
    if (!picker) return;
    const local = this.of(picker);
    const ways = waysOf(this.choice(picker, local), local.fields);
    if (isWhole(ways, local.fields)) this.finish(picker, local.fields);
    else if (ways.length === 1) this.finish(picker, ways[0] ?? []);
    else if (this.strayed) this.field(picker, this.strayed, Number.NaN);
  }

  /**
   * @param {HTMLElement} picker
   * @param {string[]} fields
   */
  finish(picker, fields) {
    const local = this.of(picker);
    const when = picksOf(setsOf(picker), local.picks, fields, saidOf(picker));
    const picks = { ...local.picks, ...when, [picker.dataset.fields ?? ""]: fields };
    this.send(picker, { ...local, fields, picks });
  }

  /**
   * Takes back the fields tapped for a set that is not whole yet.
   * @returns whether there were any
   */
  clearFields() {
    const begun = $$("[data-sets]").filter((picker) => {
      const { fields, sent } = this.of(picker);
      return fields.length > 0 && !sent;
    });
    for (const picker of begun) this.change(picker, { ...this.of(picker), fields: [] });
    return begun.length > 0;
  }

  /**
   * @param {HTMLElement} picker
   * @param {Picks} picks
   * @param {string[]} fields
   * @param {Element} tapped
   */
  async askWhy(picker, picks, fields, tapped) {
    const address = new URL(picker.dataset.why ?? "", location.href);
    const asked = { ...picks, fields: fields.join(" ") };
    for (const [part, value] of Object.entries(asked))
      address.searchParams.set(part, String(value));
    try {
      const response = await fetch(address, { headers: { "Content-Type": "application/json" } });
      const { message } = await response.json();
      if (message) refuse(message, tapped);
    } catch {
      this.asked.missed();
    }
  }

  // Drawing

  /** Once a picker's taps are saved and shown, or the table has moved on, the page says what was picked. */
  settle() {
    for (const [id, { after, sent, moment, saved, ahead }] of this.local) {
      const isOld = sent || moment !== table().dataset.moment;
      if (!isOld || this.asked.isWaiting(after)) continue;
      this.forget(id);
      if (saved && ahead) this.goAhead(ahead);
    }
  }

  /**
   * Goes on with what was typed before the page showed the pad that it is for.
   * @param {string} text
   */
  goAhead(text) {
    const pad = $(".selected [data-typed]");
    if (pad && !this.local.has(pad.id))
      this.change(pad, { ...this.of(pad), picks: { [pad.dataset.typed ?? ""]: text } });
  }

  show() {
    if (answer && answer !== whatIsNow()) dropRefusals(answer);
    for (const picker of $$("[data-picker]")) {
      const local = this.of(picker);
      const { typed: part = "" } = picker.dataset;
      showPicks(picker, local.ahead ? { ...local.picks, [part]: local.ahead } : local.picks);
      const sheet = picker.dataset.sets && sheetOf(picker);
      if (sheet && !isReadOnly(sheet)) {
        showSets(picker, sheet, local.sent ? null : this.choice(picker, local), local.fields);
      }
    }
  }
}
