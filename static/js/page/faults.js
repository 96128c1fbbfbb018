// A refused form says why at the field to blame, or in a note if there is none.

import { $, $$ } from "./dom.js";

/**
 * Shows a refusal at its field, and moves the focus there.
 * @param {Element} source the form, or the field that was sent by itself
 * @param {HTMLElement | null} fault what the server answers, with the field's name
 * @returns {boolean} whether the field is there
 */
export function showFault(source, fault) {
  if (!fault) return false;
  const { field: name = "", place } = fault.dataset;
  const named = `[name="${CSS.escape(name)}"]:not([type="hidden"])`;
  const field = source.matches("input") ? source : $$(named, source)[Number(place)];
  if (!(field instanceof HTMLElement)) return false;
  clearFaults(document);
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", fault.id);
  (field.closest("label, fieldset, [role='radiogroup']") ?? field).after(fault);
  field.focus();
  return true;
}

/** @param {ParentNode} root where nothing is wrong any more */
function clearFaults(root) {
  for (const field of $$("[aria-invalid]", root)) {
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-describedby");
  }
  for (const fault of $$(".fault", root)) fault.remove();
}

/** Takes a fault away when its field is changed, or its form is sent again. */
export function watchFaults() {
  document.addEventListener("input", ({ target }) => {
    const field = /** @type {Element} */ (target);
    if (field.hasAttribute("aria-invalid")) clearFaults(document);
  });
  document.addEventListener("htmx:beforeRequest", ({ detail: { elt } }) => {
    if ($("[aria-invalid]", elt)) clearFaults(elt);
  });
}
