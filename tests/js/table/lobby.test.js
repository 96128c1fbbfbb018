// The lobby: seats in their order, and people of earlier evenings who are added by a tap.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { answerLobby, clearAdded, showLobby } from "../../../static/js/table/lobby.js";
import { showPage, tap, texts } from "../kit.js";

const seat = (
  id,
  name,
  color,
) => `<li class="seat" data-seat="${id}"><span class="dot ${color}"></span>
  <span class="name">${name}</span><button data-move="-1"></button></li>`;
const FORM = `<form data-add-seat data-color="red"><input id="new-name" name="name">
  <button data-fold="new-color" aria-expanded="false"><span class="dot red"></span></button>
  <fieldset id="new-color" hidden><input type="radio" name="color" value="red">
  <input type="radio" name="color" value="blue"></fieldset></form><div data-people></div>`;

let submitted;

/** A lobby with these seats on a phone that knows these people. */
function show(names, people = [], color = "red") {
  const seats = names.map((name, index) => seat(index + 1, name, color)).join("");
  showPage(`<ol class="seating" data-sort="/t/t1/do/order">${seats}</ol>${FORM}`);
  const form = document.querySelector("form");
  form.requestSubmit = () => submitted.push(form.querySelector("input").value);
  localStorage.setItem("people", JSON.stringify(people));
  answerLobby();
  showLobby();
}

beforeEach(() => {
  submitted = [];
  globalThis.Sortable = { get: () => true };
});

const people = () => JSON.parse(localStorage.getItem("people"));
const ADA = { name: "Ada", color: "red" };
const BEN = { name: "Ben", color: "blue" };

test("people of earlier evenings are offered, but not those who sit here", () => {
  show(["Ada"], [ADA, BEN]);
  assert.deepEqual(texts("[data-person]"), ["Ben"]);
});

test("at most eight are offered, the last ones first", () => {
  const many = Array.from({ length: 12 }, (_, number) => ({ name: `P${number}`, color: "red" }));
  show([], many);
  assert.deepEqual(
    texts("[data-person]"),
    many.slice(0, 8).map(({ name }) => name),
  );
});

test("a tap adds a person with the color of the last time", () => {
  show([], [BEN]);
  tap("[data-person]");
  assert.deepEqual(submitted, ["Ben"]);
  assert.equal(document.querySelector("input[value=blue]").checked, true);
});

test("a color that somebody has by now is left out", () => {
  show([], [BEN]);
  const taken = document.querySelector("input[value=blue]");
  taken.disabled = true;
  tap("[data-person]");
  assert.deepEqual([submitted, Boolean(taken.checked)], [["Ben"], false]);
});

test("people seated here are remembered once, before the others, with their present color", () => {
  show(["Ben", "Carla"], [ADA, BEN]);
  const carla = { name: "Carla", color: "red" };
  assert.deepEqual(people(), [{ name: "Ben", color: "red" }, carla, ADA]);
});

test("a device remembers 24 people", () => {
  const many = Array.from({ length: 24 }, (_, number) => ({ name: `P${number}`, color: "red" }));
  show(["Ada"], many);
  assert.equal(people().length, 24);
  assert.deepEqual(people().slice(0, 2), [ADA, many[0]]);
});

test("a name that has been added leaves its field, one that is typed meanwhile does not", () => {
  show([]);
  const input = document.querySelector("#new-name");
  const elt = document.querySelector("form");
  input.value = "Ada";
  clearAdded({ elt, parameters: { name: "Ada" } });
  assert.equal(input.value, "");
  input.value = "Ben";
  clearAdded({ elt, parameters: { name: "Ada" } });
  assert.equal(input.value, "Ben");
});
