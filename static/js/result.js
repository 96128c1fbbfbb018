// A finished game: its picture is shared or saved, and it is printed.

import "./page.js";
import "./page/picture.js";
import { $$, onTap } from "./page/dom.js";

for (const button of /** @type {HTMLElement[]} */ ($$("[data-print]"))) button.hidden = false;

onTap("[data-print]", () => globalThis.print());
