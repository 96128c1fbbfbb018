// People to tap beside a form of names and scores.
//   data-name  the button of a person: the name goes into the first free line, or out of its line

import { $$, onTap } from "../page/dom.js";

const names = () => /** @type {HTMLInputElement[]} */ ($$(".total-rows [name=name]"));

/** Shows whose names are in the form. */
function mark() {
  const typed = names().map((input) => input.value);
  for (const chip of $$("[data-name]"))
    chip.setAttribute("aria-pressed", String(typed.includes(chip.dataset.name ?? "")));
}

for (const chips of $$(".people-chips")) chips.hidden = false;

onTap("[data-name]", (chip) => {
  const name = chip.dataset.name ?? "";
  const there = names().find((input) => input.value === name);
  const line = there ?? names().find((input) => !input.value && !score(input).value);
  if (!line) return;
  line.value = there ? "" : name;
  mark();
});

/** @param {HTMLInputElement} input */
const score = (input) =>
  /** @type {HTMLInputElement} */ (input.closest("li")?.querySelector("[name=total]"));

document.addEventListener("input", mark);
mark();
