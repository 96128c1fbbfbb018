// The dialog, notes, buttons that light up fields and remembered names of every page with a script.
// The entry of the pages that need no more.

import { markBack, watchBack } from "./page/back.js";
import { $, $$, dialog, onTap, the, words } from "./page/dom.js";
import { showFault, watchFaults } from "./page/faults.js";
import { install } from "./page/install.js";
import { light } from "./page/lights.js";
import { store, stored } from "./page/store.js";
import { answerNotes, toast } from "./page/toasts.js";
import { sendZone } from "./page/zone.js";

answerNotes();

// The dialog

onTap("[data-close]", () => dialog().close());
watchBack(dialog());
dialog().addEventListener("click", (event) => {
  // Its content covers all of it but the dimmed page around it.
  if (event.target === dialog()) dialog().close();
});
dialog().addEventListener("close", () => {
  document.body.append(the("#toasts"));
  the("#dialog-content").replaceChildren();
});
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target?.id !== "dialog-content") return;
  if (!dialog().open) {
    dialog().showModal();
    markBack();
  }
  // One dialog may follow another: it begins at its top as well, with the focus inside.
  dialog().scrollTop = 0;
  if (!dialog().contains(document.activeElement)) $("[data-close]", dialog())?.focus();
});

onTap("[data-fullscreen]", () => {
  document.documentElement.requestFullscreen?.().catch(() => {});
  dialog().close();
});

onTap("[data-copy]", async (button) => {
  try {
    await navigator.clipboard.writeText(button.dataset.copy ?? "");
    toast(words("copied"));
  } catch {
    // Not on plain http, where the link can be selected by hand.
    getSelection()?.selectAllChildren(the(".link"));
  }
});

// Requests

document.addEventListener("htmx:responseError", ({ detail: { xhr, target, requestConfig } }) => {
  if (target?.id === "table" && requestConfig.verb === "get") {
    // A server that fails is asked again; see table/redraw.js.
    if (xhr.status === 403 || xhr.status === 404) location.reload();
    return;
  }
  const answer = new DOMParser().parseFromString(xhr.responseText, "text/html");
  const note = answer.body.textContent?.trim();
  if (showFault(requestConfig.elt, $(".fault", answer))) return;
  if (note) toast(note, { bad: true });
});
watchFaults();

// A field that somebody is typing in is not redrawn, nor what is wrong with it, and a choice that is open stays open.
Idiomorph.defaults.callbacks.beforeNodeMorphed = (old) =>
  !(old instanceof HTMLElement && "keep" in old.dataset);
Idiomorph.defaults.callbacks.beforeNodeRemoved = (node) =>
  !(node instanceof HTMLElement && node.matches(".fault") && $("[aria-invalid][data-keep]"));
Idiomorph.defaults.callbacks.beforeAttributeUpdated = (name, node) =>
  !(name === "open" && node.hasAttribute("data-stays-open"));

// A total's terms light up the fields that they are made of.

onTap("[data-lights]", (button) => {
  light(button, (button.dataset.lights ?? "").split(" "), {
    around: ".player",
    buttons: "[data-lights]",
    drawing: ".sheet",
    field: "f",
  });
});

// The name of the person who holds this phone

document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  const name = /** @type {HTMLInputElement | null} */ ($("[data-remember-name]", form));
  if (name) store("me", name.value.trim());
});
for (const input of /** @type {HTMLInputElement[]} */ ($$("[data-remember-name]"))) {
  input.value ||= stored("me", "");
}

install();
sendZone();
