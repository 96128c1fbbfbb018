// Pickers on a page: what is tapped, shown, sent and kept.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Pickers } from "../../../static/js/table/pickers.js";
import { showPage, tap, texts } from "../kit.js";

let sent;
let isWaiting;
let began;
let announced;
let pickers;

/** Shows a page with a picker; `again` is the same tab, reloaded. */
function show(content, { again = false } = {}) {
  const kept = globalThis.sessionStorage;
  showPage(content);
  if (again) globalThis.sessionStorage = kept;
  pickers = new Pickers({
    send: (asked, what, from) => {
      const id = `tap-${sent.length}`;
      sent.push({ id, ...asked, what, from });
      return id;
    },
    isWaiting: () => isWaiting,
    preview: (path, action) => sent.push({ path, action }),
    missed: () => sent.push("missed"),
    began: (dice) => {
      began += 1;
      announced = dice;
    },
  });
  pickers.restore();
  pickers.settle();
  pickers.show();
}

/** Draws the page again, as the server now sees the table. */
function redraw(moment) {
  document.querySelector("#table").dataset.moment = moment;
  pickers.settle();
  pickers.show();
}

beforeEach(() => {
  began = 0;
  sent = [];
  isWaiting = false;
});

const button = (part, value, more = "") =>
  `<button data-part="${part}" data-value="${value}" ${more}>${value}</button>`;

const picker = (buttons, needs, action, more = "") =>
  `<div id="p" aria-label="Dice" data-picker data-needs="${needs}" data-replaces=""
    data-action='${JSON.stringify(action)}' data-picks="{}" ${more}>${buttons}</div>`;

const choose = (part, value, at = undefined) =>
  tap(`[data-part="${part}"][data-value="${value}"]`, "click", at);
const pressed = () => texts('[aria-pressed="true"]');

const CARD = picker(button("card", 7) + button("card", 8) + button("place", "left"), "card place", {
  do: "a",
  card: "$card",
  place: "$place",
});
const DICE = ["dice.a", "dice.b"].map((part) => button(part, 1) + button(part, 2)).join("");
const ROLL = { do: "r", dice: "$dice" };

test("a further part replaces the entry that was made; a double tap picks once", () => {
  show(picker(DICE, "dice", ROLL));
  choose("dice.a", 1, 1000);
  choose("dice.b", 2, 2000);
  choose("dice.b", 2, 2499);
  assert.equal(sent.length, 2);
  choose("dice.b", 2, 3000);
  assert.deepEqual(
    sent.map(({ action }) => action.dice),
    [{ a: 1 }, { a: 1, b: 2 }, { a: 1 }],
  );
  assert.equal(sent[0].replaces, undefined);
  assert.deepEqual([sent[1].replaces, sent[2].replaces], [sent[0].id, sent[0].id]);
});

test("a value that is allowed once in a group says so the second time", () => {
  const cards = button("grid.+", "o4") + button("grid.+", "y3");
  const slots = ["tl", "tr"].map((place) => `<button data-slot="grid.${place}"></button>`).join("");
  show(picker(slots + cards, "grid.tl grid.tr", { grid: "$grid" }, 'data-once="It lies there."'));
  choose("grid.+", "o4");
  assert.equal(began, 1, "the others hear that a call is still tapped");
  assert.ok(document.querySelector('[data-value="o4"]').matches(".dim"));
  choose("grid.+", "o4");
  assert.deepEqual(texts(".toast p"), ["It lies there."]);
  assert.deepEqual(texts("[data-slot]"), ["o4", ""]);
  tap('[data-slot="grid.tl"]');
  choose("grid.+", "y3");
  choose("grid.+", "o4");
  assert.deepEqual(sent[0].action.grid, { tl: "y3", tr: "o4" });
});

test("dice are sent while they are tapped, and when one is cleared", () => {
  const slot = '<button data-slot="dice.0"></button>';
  const dice = button("dice.+", 3) + slot;
  show(picker(dice, "dice.0 dice.1", { dice: "$dice" }, "data-announces"));
  choose("dice.+", 3);
  assert.deepEqual(announced, { "dice.0": 3 });
  tap('[data-slot="dice.0"]');
  assert.deepEqual(announced, {});
  show(picker(dice, "dice.0 dice.1", { dice: "$dice" }));
  choose("dice.+", 3);
  assert.equal(announced, null);
});

test("each action starts afresh, and a refused one continues", () => {
  show(CARD.replace("data-picker", 'data-picker data-each="place"'));
  choose("card", 7);
  choose("place", "left");
  assert.deepEqual(pressed(), []);
  pickers.goOn(sent[0].from);
  assert.deepEqual(pressed(), ["7"]);
  choose("card", 8);
  pickers.goOn(sent[0].from);
  assert.deepEqual(pressed(), ["8"]);
});

test("picks survive a reload, until the table has moved on", () => {
  show(CARD);
  choose("card", 7);
  show(CARD, { again: true });
  assert.deepEqual(pressed(), ["7"]);
  redraw("m2");
  assert.deepEqual(pressed(), []);
});

test("an action begun after a tap belongs to the table that the tap leads to", () => {
  show(CARD.replace("data-picker", 'data-picker data-each="place"'));
  choose("card", 7);
  choose("place", "left");
  choose("card", 8);
  isWaiting = true;
  redraw("m2");
  assert.deepEqual(pressed(), ["8"]);
  isWaiting = false;
  pickers.follow(sent[0].id, "m2");
  redraw("m2");
  assert.deepEqual(pressed(), ["8"]);
  redraw("m3");
  assert.deepEqual(pressed(), []);
});

// Fields that go together

const CHOICES = [
  { when: { die: "red" }, sets: [["A1"], ["A1", "A2"], ["A2", "A3"]] },
  { when: { die: "blue" }, sets: [["B1", "B2"]] },
];
const FIELDS = ["A1", "A2", "A3", "B1", "B2"]
  .map(
    (id) =>
      `<i class="f empty" data-f="${id}"><b class="full"></b><b class="m"><b class="picked"></b></b></i>`,
  )
  .join("");
const SETS = `<article class="sheet" data-player="1">${picker(
  `${["red", "blue", "green"].map((color) => button("die", color)).join("")}
   <button data-done hidden>Done</button>`,
  "fields",
  { do: "x", die: "$die", fields: "$fields" },
  `data-sets='${JSON.stringify(CHOICES)}' data-fields="fields" data-said='{"die": "blue"}'
   data-why="/why?seat=1"`,
)}${FIELDS}</article>`;

const open = () => [...document.querySelectorAll(".f.open")].map(({ dataset }) => dataset.f);
const field = (id) => tap(`[data-f="${id}"]`);

test("what a player's first act implies is sent with it, once", () => {
  const first = `<span hidden data-first='{"do": "roll"}'></span></article>`;
  show(SETS.replace("</article>", first));
  field("A1");
  const cross = { do: "x", die: "red", fields: ["A1", "A2"] };
  field("A2");
  field("A2");
  assert.deepEqual(
    sent.map(({ action, first }) => [first, action]),
    [[{ do: "roll" }, cross]],
  );
});

/** A finger that is drawn from point to point, and lifted; the fields stand side by side, each 20 wide. */
function stroke(...points) {
  const fields = [...document.querySelectorAll("[data-f]")];
  for (const [number, element] of fields.entries()) {
    const box = { left: 20 * number, right: 20 * number + 20, top: 0, bottom: 20 };
    element.getBoundingClientRect = () => box;
  }
  document.elementFromPoint = (x) => (x < 0 ? null : (fields[Math.floor(x / 20)] ?? null));
  const at = (type, x) => {
    const event = new document.defaultView.Event(type, { bubbles: true });
    const element = document.elementFromPoint(x) ?? document.querySelector(".sheet");
    element.dispatchEvent(Object.assign(event, { isPrimary: true, clientX: x, clientY: 10 }));
  };
  at("pointerdown", points[0]);
  for (const x of points) at("pointermove", x);
  at("pointerup", points.at(-1));
}

test("a stroke taps the fields between two of its points, and begins up to half a field beside", () => {
  const three = [{ when: { die: "red" }, sets: [["A1", "A2", "A3"]] }];
  const show3 = () => show(SETS.replace(JSON.stringify(CHOICES), JSON.stringify(three)));
  show3();
  stroke(10, 50);
  assert.deepEqual(sent[0].action.fields, ["A1", "A2", "A3"]);
  show3();
  stroke(-9, 50);
  assert.deepEqual(sent[1].action.fields, ["A1", "A2", "A3"]);
  show3();
  stroke(-11, 50);
  assert.equal(sent.length, 2);
});

test("a stroke that may not begin where it does is answered as a tap there", () => {
  show(`<article class="sheet" data-player="1"><i class="f empty" data-f="A1"></i><i class="f empty" data-f="A2"></i>
    </article><p class="says"><span class="said">Ada is rolling</span></p>`);
  document.body.insertAdjacentHTML("beforeend", '<div id="toasts"></div>');
  stroke(5, 30);
  assert.deepEqual(texts(".toast p"), ["Ada is rolling"]);
});

test("a redraw between two fields of a set keeps both", () => {
  show(SETS);
  field("A1");
  redraw("m1");
  field("A2");
  assert.deepEqual(sent[0].action.fields, ["A1", "A2"]);
});

test("a set to which more could be added is sent by its button", () => {
  show(SETS);
  choose("die", "red");
  assert.equal(document.querySelector("[data-done]").hidden, true);
  field("A1");
  const said = ["role", "tabindex", "aria-pressed"];
  assert.deepEqual(
    ["A1", "A2", "B1"].map((id) =>
      said.map((name) => document.querySelector(`[data-f="${id}"]`).getAttribute(name)),
    ),
    [
      ["button", "0", "true"],
      ["button", "0", null],
      ["img", null, null],
    ],
  );
  assert.deepEqual(sent, []);
  assert.deepEqual(open(), ["A2"]);
  assert.equal(document.querySelector("[data-done]").hidden, false);
  tap("[data-done]");
  assert.deepEqual(sent[0].action.fields, ["A1"]);
});

test("each complete set answers a correction, without a button", () => {
  show(SETS.replace("data-why=", 'data-preview="turns/x" data-why='));
  choose("die", "red");
  field("A1");
  field("A2");
  const answered = sent.map(({ path, action }) => [path, action.fields]);
  assert.deepEqual(answered, [
    ["turns/x", ["A1"]],
    ["turns/x", ["A1", "A2"]],
  ]);
});

test("a second tap clears a field, a double tap does not, and other parts clear all", (context) => {
  let now = 0;
  context.mock.method(performance, "now", () => now);
  show(SETS);
  choose("die", "red");
  field("A1");
  field("A1");
  assert.deepEqual(open(), ["A2"]);
  now += 500;
  field("A1");
  assert.deepEqual(open(), ["A1", "A2", "A3"]);
  field("A1");
  choose("die", "blue");
  assert.deepEqual(open(), ["B1", "B2"]);
});

test("parts that lead to no set of fields are dim, given what was picked", () => {
  show(SETS);
  const dim = () => texts("[data-part].dim");
  assert.deepEqual(dim(), ["green"]);
  choose("die", "red");
  assert.deepEqual(dim(), ["green"], "what may be chosen instead is not");
});

test("a field of another set moves the choice, and undo clears it first", () => {
  show(SETS);
  choose("die", "red");
  field("A1");
  assert.equal(pickers.clearFields(), true);
  assert.deepEqual(open(), ["A1", "A2", "A3"]);
  assert.equal(pickers.clearFields(), false);
  field("A1");
  field("A3");
  assert.deepEqual(sent[0].action.fields, ["A2", "A3"]);
});

test("a field that takes nothing yet says what comes first, for as long as that is true", () => {
  show(`<article class="sheet" data-player="1"><i class="f empty" data-f="A1"></i></article>
    <p class="says"><span class="said">Ada is rolling</span></p><div id="toasts"></div>`);
  const notes = () => document.querySelectorAll("#toasts .toast").length;
  field("A1");
  redraw("1");
  assert.equal(notes(), 1);
  document.querySelector(".said").textContent = "You may write: tap a glowing field";
  redraw("2");
  assert.equal(notes(), 0);
});

// Numbers that are typed

const KEYS = (known, more = "") => `<div class="selected">
  <div id="p" aria-label="Points" data-picker data-typed="points" data-least="-99" data-most="99"
    data-limits="−99 to 99"
    data-needs="points" data-replaces="" data-picks='${JSON.stringify(known)}' ${more}
    data-action='{"do":"count","points":"$points"}'><output data-shows="points"></output>
  ${["1", "2", "±", "⌫"].map((key) => `<button data-key="${key}">${key}</button>`).join("")}
  <button data-enter>✓</button></div></div><div id="toasts"></div>`;
const press = (...keys) => {
  for (const key of keys) tap(`[data-key="${key}"]`);
};
const shown = () => document.querySelector("output").textContent;

test("a number is typed key by key, and sent once it is entered", () => {
  show(KEYS({}));
  press("1", "1", "±", "2");
  assert.equal(shown(), "−11");
  assert.ok(document.querySelector("[data-key='2']").matches(".not-yet"));
  assert.equal(document.querySelector("#toasts").textContent, "−99 to 99", "it is too large");
  assert.deepEqual(sent, []);
  tap("[data-enter]");
  assert.deepEqual(sent[0].action, { do: "count", points: -11 });
  tap("[data-enter]");
  assert.equal(sent.length, 1);
});

test("digits typed before the next pad is shown continue there", () => {
  show(KEYS({}));
  press("1", "2");
  tap("[data-enter]");
  isWaiting = true;
  press("2");
  redraw("m1");
  tap("[data-enter]");
  assert.equal(sent.length, 1, "nothing is sent for a pad that is not there yet");
  assert.ok(document.querySelector("[data-enter]").matches(".not-yet"));
  pickers.follow(sent[0].id, "m2");
  isWaiting = false;
  document.querySelector("[data-picker]").id = "q";
  redraw("m2");
  press("1");
  assert.equal(shown(), "21");
  tap("[data-enter]");
  assert.equal(sent[1].action.points, 21);
});

test("digits typed after a refused number go to nobody", () => {
  show(KEYS({}));
  press("1");
  tap("[data-enter]");
  press("2");
  redraw("m2");
  assert.equal(shown(), "");
});

test("keys, and dice before the last one, need no guard", () => {
  const isForNow = (selector) => pickers.isForNow(document.querySelector(selector));
  show(KEYS({}));
  assert.ok(isForNow("[data-key]"));
  assert.ok(isForNow("[data-enter]"));
  show(
    `<div id="p" data-picker data-needs="dice.1 dice.2" data-action='{}'>${button("dice.+", "3")}</div>`,
  );
  assert.ok(isForNow("[data-part]"));
  tap("[data-part]", "click", 0);
  assert.ok(!isForNow("[data-part]"), "the last die sends them all");
});

test("a sign alone is not a number", () => {
  show(KEYS({}));
  press("±");
  assert.equal(document.querySelector("[data-enter]").disabled, true);
});

test("a correction starts the number again, and shows at each key what it would change", () => {
  show(KEYS({ points: 12 }, 'data-preview="there"'));
  press("2", "1");
  assert.deepEqual(
    sent.map(({ action }) => action.points),
    [2, 21],
  );
});

test("digits stay while others type, and disappear with the moment", () => {
  show(KEYS({}));
  press("2");
  redraw("m1");
  assert.equal(shown(), "2");
  redraw("m2");
  assert.equal(shown(), "");
});
