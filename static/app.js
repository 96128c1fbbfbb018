// What the pages need beside htmx: taps that are never lost, live updates, pickers, small comforts.
// Nothing here knows a rule: the server answers every tap.

(() => {
  "use strict";

  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
  const words = (name) => $("#words").dataset[name];
  const table = () => $("#table");
  const refresh = () => table() && !fetching && htmx.trigger(table(), "refresh");
  let fetching = false;   // whether the table is being fetched; what is missed then is seen after it

  const TIMEOUT_MS = 10000;     // for one request
  const POLL_MS = 2000;         // between two looks when there is no stream
  const RETRY_MS = [500, 1000, 2000, 4000];
  const TOAST_MS = 5000;
  const ASLEEP_MS = 25000;      // a stream that has been silent for so long is not trusted

  function stored(key, fallback) {
    try { return JSON.parse(localStorage.getItem(key)) ?? fallback; } catch { return fallback; }
  }
  function store(key, value) {
    try { localStorage.setItem(key, JSON.stringify(value)); } catch { /* a private window */ }
  }

  // What is not answered in time counts as not answered; it is asked again.
  const inTime = () => (globalThis.AbortSignal?.timeout ? { signal: AbortSignal.timeout(TIMEOUT_MS) } : {});

  // A random id; crypto.randomUUID is missing on a plain http address.
  function newId() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  // Notes at the lower edge

  function toast(text, { bad = false, lines = [], understood = null } = {}) {
    const note = document.createElement("div");
    note.className = `toast${bad ? " bad" : ""}${understood ? " conflict" : ""}`;
    note.append(Object.assign(document.createElement("p"), { textContent: text }));
    if (lines.length) {
      const list = document.createElement("ul");
      for (const line of lines) list.append(Object.assign(document.createElement("li"), { textContent: line }));
      note.append(list);
    }
    const close = () => note.remove();
    if (understood) {
      const button = Object.assign(document.createElement("button"), { textContent: words("understood") });
      button.addEventListener("click", () => { understood(); close(); });
      note.append(button);
    } else {
      $$("#toasts .toast:not(:has(button))").forEach((old) => old.remove());
      setTimeout(close, TOAST_MS + text.length * 30);
      note.addEventListener("click", close);
    }
    // A modal dialog makes the rest inert, so its notes stand inside it.
    const open = $("dialog[open]");
    (open ?? document.body).append($("#toasts"));
    $("#toasts").append(note);
  }

  const alike = (one, other) => JSON.stringify({ ...one, id: 0 }) === JSON.stringify({ ...other, id: 0 });

  // The queue of taps: kept on this device until the server says that they are saved.
  // A tap: {tap: what is sent, what: for people, from: see `send`, late: whether it had to wait}

  const queue = {
    key: () => `taps:${table()?.dataset.table}`,
    sending: false,
    saved: null,   // {tap, version}: the last one saved, which the page may not show yet
    list() { return table() ? stored(this.key(), []) : []; },
    save(list) { store(this.key(), list); showConnection(); },
    push(tap, what, from) {
      // Two taps on one thing before the first one is answered and drawn are one tap.
      const list = this.list();
      const last = list.at(-1);
      if (last && alike(last.tap, tap)) return;
      const isDrawn = !this.saved || Number(table().dataset.version) >= this.saved.version;
      if (!last && !isDrawn && alike(this.saved.tap, { ...tap, moment: this.saved.tap.moment })) return;
      this.save([...list, { tap, what, from }]);
      this.send();
    },
    async send(attempt = 0) {
      if (this.sending || !table()) return;
      const list = this.list();
      if (!list.length) return;
      this.sending = true;
      const late = attempt > 0 || list.some((item) => item.late);
      let answer = null;
      try {
        const response = await fetch(`/t/${table().dataset.table}/taps`, {
          ...inTime(),
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify(list[0].tap),
        });
        const body = await response.json().catch(() => null);
        // Only the table's own word counts: a hotel's log-in page answers with 200 as well.
        const isOurs = response.ok ? Number.isInteger(body?.version) : response.status < 500 && body?.refused;
        if (isOurs) answer = { ok: response.ok, body };
      } catch { /* no network: the tap stays */ }
      this.sending = false;
      if (!answer) {
        this.save(this.list().map((item) => ({ ...item, late: true })));
        setTimeout(() => this.send(attempt + 1), RETRY_MS[Math.min(attempt, RETRY_MS.length - 1)]);
        return;
      }
      this.answered(list[0], answer, late);
      if (this.list().length) this.send();
    },
    answered(item, { ok, body }, late) {
      let rest = this.list().filter((other) => other.tap.id !== item.tap.id);
      if (ok) {
        this.saved = { tap: item.tap, version: body.version };
        $$("#toasts .toast.bad:not(.conflict)").forEach((old) => old.remove());
        // What was tapped after it saw the table as this tap has made it.
        rest = rest.map((other) => (other.tap.moment === item.tap.moment
          ? { ...other, tap: { ...other.tap, moment: body.moment } } : other));
        this.save(rest);
        if (table().dataset.moment === item.tap.moment) table().dataset.moment = body.moment;
        connected(true);
        want(body.version);
        // The stream may have been faster than the answer: then nothing is drawn after it.
        if (Number(table().dataset.version) >= body.version) { pickers.settle(); pickers.show(); }
        return;
      }
      this.save(rest);
      const { message } = body.refused;
      if (item.from && item.tap.moment === table().dataset.moment) pickers.goOn(item.from);
      if (late) conflicts.add(`${item.what}: ${message}`);
      else toast(message, { bad: true });
      if (body.refused.code === "does-not-fit" && item.tap.replaces && item.tap.action) {
        openEditor(item.tap.replaces, item.tap.action);
      }
      refresh();
    },
  };

  // Taps that could not be saved: told until somebody has understood, also after a reload.
  const conflicts = {
    key: () => `conflicts:${table().dataset.table}`,
    add(line) { store(this.key(), [...stored(this.key(), []), line]); this.show(); },
    show() {
      const lines = table() ? stored(this.key(), []) : [];
      $$("#toasts .conflict").forEach((old) => old.remove());
      if (lines.length) toast(words("conflict"), { bad: true, lines, understood: () => store(this.key(), []) });
    },
  };

  // `from`: the picks to go on with in case that it is refused.
  function send(tap, what, from = null) {
    const root = table();
    if (!root) return;
    queue.push({ id: newId(), moment: root.dataset.moment, ...tap }, what, from);
  }

  // `write row=yellow field=6` → {do: "write", row: "yellow", field: 6}
  function actionOf(text, by) {
    const [verb, ...pairs] = text.split(" ");
    const action = { do: verb };
    if (by && verb !== "next") action.by = by;
    for (const pair of pairs) {
      const [name, value] = pair.split("=");
      action[name] = /^-?\d+$|^\[/.test(value) ? JSON.parse(value) : value;
    }
    return action;
  }

  // Pickers: parts are tapped one by one; when all that is needed is there, it is one action.
  //   data-action   the action as JSON, with "$name" where a part goes
  //   data-needs    the parts without which nothing is sent ("dice" is any part "dice.…")
  //   data-picks    the parts that the server knows already
  //   data-replaces the entry that the action replaces
  //   data-sets     [{when: parts, sets: [[field, …], …]}]: fields of the sheet that go together
  //   data-each     each action is an entry of its own; after a refusal all is kept but this part
  //   data-quiet    more parts may follow, and others act on what is sent: it waits for a pause
  // A button's part "colors.+" fills the first empty one of those that are needed.
  // Parts tapped but not yet saved are kept here, so that a redrawn page does not forget them.

  const QUIET_MS = 1000;

  const pickers = {
    local: new Map(),
    pause: 0,
    of(picker) {
      return this.local.get(picker.id)
        ?? { picks: JSON.parse(picker.dataset.picks || "{}"), fields: [], replaces: picker.dataset.replaces };
    },
    change(picker, local) {
      this.local.set(picker.id, { ...local, moment: table().dataset.moment });
      keepUi();
      this.show();
    },
    needs(picker) { return picker.dataset.needs.split(" "); },
    tap(button) {
      const picker = button.closest("[data-picker]");
      const local = this.of(picker);
      const picks = { ...local.picks };
      const value = valueOf(button.dataset.value);
      let { part } = button.dataset;
      if (part.endsWith(".+")) {
        const group = part.slice(0, -1);
        part = this.needs(picker).find((need) => need.startsWith(group) && !(need in picks));
        if (!part) return;
      }
      const isOptional = this.needs(picker).includes(part.split(".")[0]) && part.includes(".");
      if (picks[part] === value && isOptional && Object.keys(picks).length > 1) delete picks[part];
      else picks[part] = value;
      for (const reset of (button.dataset.resets ?? "").split(" ")) delete picks[reset];
      if (JSON.stringify(picks) === JSON.stringify(local.picks)) return;
      const changed = { ...local, picks, fields: [] };
      this.change(picker, changed);
      if (picker.dataset.sets) this.checkChoice(picker, changed);
      else if (this.isComplete(picker, picks)) this.sendSoon(picker, changed);
    },
    sendSoon(picker, local) {
      clearTimeout(this.pause);
      const parts = new Set($$("[data-part]", picker).map((button) => button.dataset.part));
      if (!("quiet" in picker.dataset) || Object.keys(local.picks).length === parts.size) {
        this.send(picker, local);
      } else {
        this.change(picker, { ...local, sent: false });
        this.pause = setTimeout(() => this.sendNow(), QUIET_MS);
      }
    },
    // Sends what still waits for a pause; also when the page is left.
    sendNow() {
      clearTimeout(this.pause);
      for (const picker of $$("[data-quiet]")) {
        const local = this.local.get(picker.id);
        if (local && !local.sent && this.isComplete(picker, local.picks)) this.send(picker, local);
      }
    },
    goOn({ picker, picks }) {
      const here = document.getElementById(picker);
      if (here && !this.local.has(picker)) this.change(here, { ...this.of(here), picks });
    },
    clear(slot) {
      const picker = slot.closest("[data-picker]");
      const local = this.of(picker);
      const picks = { ...local.picks };
      delete picks[slot.dataset.slot];
      this.change(picker, { ...local, picks });
    },
    isComplete(picker, picks) {
      const parts = Object.keys(picks);
      return this.needs(picker).every((need) => parts.some((part) => part === need || part.startsWith(`${need}.`)));
    },
    send(picker, local) {
      const action = filled(JSON.parse(picker.dataset.action), local.picks);
      const what = picker.getAttribute("aria-label");
      const sent = { ...local, sent: true };
      if (picker.dataset.preview) {
        preview(picker.dataset.preview, action);
        return;
      }
      if ("each" in picker.dataset) {
        // What is tapped next belongs to the next one.
        send({ action }, what, { picker: picker.id, picks: omit(local.picks, picker.dataset.each) });
        this.local.delete(picker.id);
        keepUi();
        this.show();
        return;
      }
      if (local.replaces) {
        send({ action, replaces: local.replaces }, what);
      } else {
        sent.replaces = newId();
        send({ id: sent.replaces, action }, what);
      }
      this.change(picker, sent);
    },

    // Fields of the sheet that go together, such as the boxes of one crossing
    choice(picker, local) {
      const fits = JSON.parse(picker.dataset.sets).filter(({ when }) => this.needs(picker).every((need) => local.picks[need] === when[need])
        && Object.entries(local.picks).every(([part, value]) => when[part] === value));
      return fits.length === 1 ? fits[0] : null;
    },
    checkChoice(picker, local) {
      const { picks } = local;
      const isJoker = $$("[data-if]", picker).some((part) => !part.hidden && !(part.dataset.ifPart in picks));
      if (this.isComplete(picker, picks) && !isJoker && !this.choice(picker, local)) askWhy(picker, picks, []);
    },
    field(picker, id) {
      const local = this.of(picker);
      const choice = this.choice(picker, local);
      if (!choice) return;
      const isOn = local.fields.includes(id);
      const fields = isOn ? local.fields.filter((other) => other !== id) : [...local.fields, id];
      const ways = choice.sets.filter((set) => fields.every((field) => set.includes(field)));
      if (!ways.length) { askWhy(picker, { ...local.picks, ...choice.when }, fields); return; }
      this.change(picker, { ...local, fields });
      if (!isOn && ways.length === 1) this.finish(picker, ways[0]);
    },
    finish(picker, fields) {
      const local = this.of(picker);
      const { when } = this.choice(picker, local);
      this.send(picker, { ...local, fields, picks: { ...local.picks, ...when, [picker.dataset.fields]: fields } });
    },
    showSets(picker) {
      const local = this.of(picker);
      const sheet = picker.closest("[data-player],[data-editor]");
      const choice = local.sent ? null : this.choice(picker, local);
      const ways = choice?.sets.filter((set) => local.fields.every((field) => set.includes(field))) ?? [];
      const open = new Set(ways.flat());
      for (const field of $$("[data-f]", sheet)) {
        const id = field.dataset.f;
        const isPending = local.fields.includes(id);
        field.classList.toggle("open", open.has(id) && !isPending);
        field.classList.toggle("pending", isPending);
        field.classList.toggle("choosable", Boolean(choice));
        if (open.has(id)) field.setAttribute("tabindex", "0"); else field.removeAttribute("tabindex");
      }
      const done = $("[data-done]", picker);
      if (done) done.hidden = !ways.some((set) => set.length === local.fields.length && local.fields.length);
    },

    // Once everything is saved, or the table has moved on, the page says what was picked.
    settle() {
      const isSaved = !queue.list().length;
      for (const [id, local] of this.local) {
        if (local.sent ? isSaved : local.moment !== table()?.dataset.moment) { this.local.delete(id); keepUi(); }
      }
    },
    show() {
      for (const picker of $$("[data-picker]")) {
        const { picks } = this.of(picker);
        for (const button of $$("[data-part]", picker)) {
          button.setAttribute("aria-pressed", String(picks[button.dataset.part] === valueOf(button.dataset.value)));
          if (button.dataset.any) {
            const isReady = button.dataset.any.split(" ").every((pair) => pair.split("=")[0] in picks);
            button.classList.toggle("matches", isReady && button.dataset.any.split(" ").some((pair) => {
              const [part, value] = pair.split("=");
              return picks[part] === valueOf(value);
            }));
          }
        }
        for (const slot of $$("[data-slot]", picker)) {
          const group = slot.dataset.slot.replace(/\d+$/, "+");
          const button = $$("[data-part]", picker).find((other) => (other.dataset.part === slot.dataset.slot || other.dataset.part === group)
            && valueOf(other.dataset.value) === picks[slot.dataset.slot]);
          slot.replaceChildren(...(button ? [...button.cloneNode(true).childNodes] : []));
          slot.className = button ? `slot full ${button.className}` : "slot";
          slot.disabled = !button;
        }
        const next = $$("[data-slot]", picker).find((slot) => slot.disabled);
        next?.classList.add("awaited");
        for (const part of $$("[data-if]", picker)) {
          const [name, value] = part.dataset.if.split("=");
          part.hidden = picks[name] !== valueOf(value);
        }
        if (picker.dataset.sets) this.showSets(picker);
      }
    },
  };

  const omit = (picks, part) => Object.fromEntries(Object.entries(picks).filter(([name]) => name !== part));
  const valueOf = (text) => (/^-?\d+$/.test(text) ? Number(text) : text);

  // "$name" becomes the part of that name, or all parts "name.…" as an object or a list.
  function filled(template, picks) {
    if (Array.isArray(template)) return template.map((inner) => filled(inner, picks));
    if (template && typeof template === "object") {
      // A name stays as it is: somebody may be called "Ke$ha".
      return Object.fromEntries(Object.entries(template).map(([key, inner]) => [key, key === "by" ? inner : filled(inner, picks)]));
    }
    if (typeof template !== "string") return template;
    if (!/^\$[\w.]+$/.test(template)) return template.replace(/\$([\w.]*\w)/g, (_, name) => picks[name]);
    const name = template.slice(1);
    if (name in picks) return picks[name];
    const parts = Object.entries(picks).filter(([part]) => part.startsWith(`${name}.`)).map(([part, value]) => [part.slice(name.length + 1), value]);
    const isList = parts.every(([part]) => /^\d+$/.test(part));
    return isList ? parts.sort(([a], [b]) => a - b).map(([, value]) => value) : Object.fromEntries(parts);
  }

  async function askWhy(picker, picks, fields) {
    const address = new URL(picker.dataset.why, location.href);
    for (const [part, value] of Object.entries({ ...picks, fields: fields.join(" ") })) address.searchParams.set(part, value);
    try {
      const response = await fetch(address, { headers: { "Content-Type": "application/json" } });
      const { message } = await response.json();
      if (message) toast(message, { bad: true });
    } catch { connected(false); }
  }

  // A field that answers to a picker says what is to be picked before it.
  function askFirst(field) {
    const sheet = field?.closest("[data-player],[data-editor]");
    const picker = sheet && $("[data-first]", sheet);
    if (!picker) return;
    const local = pickers.of(picker);
    const isMissing = !pickers.isComplete(picker, local.picks)
      || $$("[data-if]", picker).some((part) => !part.hidden && !(part.dataset.ifPart in local.picks));
    if (isMissing) toast(picker.dataset.first);
    else if (!local.sent) pickers.checkChoice(picker, local);
  }

  // Correcting an earlier entry: what would change is shown before anything is changed.

  function preview(path, action) {
    htmx.ajax("POST", path, { target: "#preview", swap: "innerHTML", values: { action: JSON.stringify(action) } })
      .then(() => $("#preview")?.scrollIntoView({ block: "nearest" }));
  }
  function openEditor(entry, action) {
    const path = `/t/${table().dataset.table}/turns/${entry}`;
    htmx.ajax("GET", path, { target: "#dialog-content", swap: "innerHTML" }).then(() => preview(path, action));
  }

  // Taps

  document.addEventListener("click", (event) => {
    const target = event.target.closest("[data-tap],[data-part],[data-send],[data-tab],[data-swap],[data-lights],[data-close],[data-move],[data-turn],[data-copy],[data-person],[data-fullscreen],[data-slot],[data-done],[data-reason],.choosable");
    if (!target) askFirst(event.target.closest(".f.cross.empty:not(.plain)"));
    if (!target || target.disabled) return;
    const { dataset } = target;
    if ("tap" in dataset) {
      const editor = target.closest("[data-editor]");
      const by = target.closest("[data-by]")?.dataset.by;
      const action = actionOf(dataset.tap, by);
      if (editor) { preview(editor.dataset.editor, action); return; }
      const field = target.closest(".f");
      if (field?.classList.contains("open")) field.classList.replace("open", "pending");
      send({ action }, target.getAttribute("aria-label") ?? target.textContent.trim());
    } else if ("reason" in dataset) {
      toast(dataset.reason, { bad: true });
    } else if ("part" in dataset) {
      pickers.tap(target);
    } else if ("slot" in dataset) {
      pickers.clear(target);
    } else if ("done" in dataset) {
      const picker = target.closest("[data-picker]");
      pickers.finish(picker, pickers.of(picker).fields);
    } else if (target.matches(".choosable")) {
      pickers.field($("[data-sets]", target.closest("[data-player],[data-editor]")), dataset.f);
    } else if ("send" in dataset) {
      send({ moment: undefined, ...JSON.parse(dataset.send) }, target.getAttribute("aria-label") ?? target.textContent.trim());
      if (target.closest("dialog")) $("#dialog").close();
    } else if ("tab" in dataset) {
      select(dataset.tab, true);
    } else if ("swap" in dataset) {
      swapPickers(target);
    } else if ("lights" in dataset) {
      light(target);
    } else if ("close" in dataset) {
      $("#dialog").close();
    } else if ("move" in dataset) {
      move(target);
    } else if ("turn" in dataset) {
      turn(dataset.turn);
    } else if ("copy" in dataset) {
      copy(dataset.copy);
    } else if ("person" in dataset) {
      addPerson(JSON.parse(dataset.person));
    } else if ("fullscreen" in dataset) {
      document.documentElement.requestFullscreen?.().catch(() => {});
      $("#dialog").close();
    }
  });

  // Fields of a drawing are no buttons, so Enter and Space are theirs to answer.
  document.addEventListener("keydown", (event) => {
    if ((event.key === "Enter" || event.key === " ") && event.target.matches("g[data-tap], g.choosable")) {
      event.preventDefault();
      event.target.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    }
    if (event.key.startsWith("Arrow") && event.target.matches("[role=tab]")) {
      const tabs = $$("[role=tab]");
      const step = event.key === "ArrowRight" || event.key === "ArrowDown" ? 1 : -1;
      const next = tabs[(tabs.indexOf(event.target) + step + tabs.length) % tabs.length];
      next.focus();
      select(next.dataset.tab, true);
    }
  });

  // Which sheet a narrow screen shows

  let chosen = null;    // {seat, focus}: chosen by hand, until the game asks for another sheet

  function select(seat, byHand) {
    if (byHand) { chosen = { seat, focus: table().dataset.focus }; keepUi(); }
    for (const player of $$(".play .player")) player.classList.toggle("selected", player.dataset.player === seat);
    for (const tab of $$("[data-tab]")) {
      tab.setAttribute("aria-selected", String(tab.dataset.tab === seat));
      tab.tabIndex = tab.dataset.tab === seat ? 0 : -1;
    }
    const call = $(".play .call");
    // The dice belong to the active player's sheet; on another's they would only be in the way.
    call?.classList.toggle("own-turn", call.dataset.seat === seat);
  }
  function showSelected() {
    const root = table();
    if (!root || !$(".play")) return;
    if (chosen && chosen.focus !== root.dataset.focus) chosen = null;
    const seat = chosen && $(`[data-tab="${chosen.seat}"]`) ? chosen.seat : root.dataset.focus;
    select(seat, false);
  }

  function swapPickers(button) {
    const [one, other] = button.dataset.swap.split(" ").map((id) => document.getElementById(id));
    const toOther = other.hidden;
    one.hidden = toOther;
    other.hidden = !toOther;
    button.setAttribute("aria-pressed", String(toOther));
    rolling = toOther ? table().dataset.moment : null;
    pickers.show();
    keepUi();
  }
  let rolling = null;   // the moment in which "roll again" was tapped
  let settled = null;   // the one in which somebody wrote before the second roll was tapped in
  function showRolling() {
    const button = $("[data-swap]");
    const isNow = rolling && rolling === table()?.dataset.moment;
    if (isNow && button) {
      if (button.getAttribute("aria-pressed") === "false") swapPickers(button);
    } else if (isNow) {
      settled = rolling;
      rolling = null;
      pickers.local.delete("reroll");
      keepUi();
      toast(words("settled"), { bad: true, understood: () => { settled = null; showRolling(); } });
    }
    // The first roll's dice now lie where the second one's did: no tap meant for those may change it.
    const dice = $("#dice");
    if (dice) dice.inert = settled !== null && settled === table().dataset.moment;
  }

  // What is tapped but not sent, and which sheet is looked at, outlives a reload of this tab.
  const uiKey = () => `ui:${table().dataset.table}`;
  function keepUi() {
    try { sessionStorage.setItem(uiKey(), JSON.stringify({ chosen, rolling, local: [...pickers.local] })); } catch { /* a private window */ }
  }
  function restoreUi() {
    try {
      const kept = JSON.parse(sessionStorage.getItem(uiKey())) ?? {};
      chosen = kept.chosen ?? null;
      rolling = kept.rolling ?? null;
      pickers.local = new Map(kept.local ?? []);
    } catch { /* nothing kept, or nothing that can be read */ }
  }

  function light(button) {
    const player = button.closest(".player");
    const on = button.getAttribute("aria-pressed") !== "true";
    for (const other of $$("[data-lights]", player)) other.setAttribute("aria-pressed", "false");
    button.setAttribute("aria-pressed", String(on));
    const fields = on ? button.dataset.lights.split(" ") : [];
    $(".sheet", player).classList.toggle("has-lit", on);
    for (const field of $$("[data-f]", player)) field.classList.toggle("lit", fields.includes(field.dataset.f));
  }

  // A tablet lies flat, and its players sit around it: each sheet can be turned towards its player.
  function turn(seat) {
    const turned = stored("turned", {});
    const next = { "": "180", 180: "90", 90: "270", 270: "" };
    turned[seat] = next[turned[seat] ?? ""];
    store("turned", turned);
    showTurned();
  }
  function showTurned() {
    const turned = stored("turned", {});
    for (const player of $$("[data-player]")) player.dataset.turned = turned[player.dataset.player] ?? "";
  }

  // Lobby: order by dragging or by buttons, people of earlier evenings

  function sendOrder(list) {
    const order = $$("[data-seat]", list).map((seat) => seat.dataset.seat).join(",");
    htmx.ajax("POST", list.dataset.sort, { target: "#table", swap: "morph:outerHTML", values: { order } });
  }
  function move(button) {
    const seat = button.closest("[data-seat]");
    seat.parentElement.insertBefore(seat, seat.previousElementSibling);
    sendOrder(seat.parentElement);
  }
  function prepareLobby() {
    const list = $("[data-sort]");
    if (list && !globalThis.Sortable && !$("script[data-late]")) {
      const script = Object.assign(document.createElement("script"), { src: list.dataset.sortable, onload: prepareLobby });
      script.dataset.late = "";
      document.head.append(script);
    }
    if (list && globalThis.Sortable && !globalThis.Sortable.get(list)) {
      globalThis.Sortable.create(list, {
        handle: ".handle", animation: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 150,
        forceFallback: true, onEnd: () => sendOrder(list),
      });
    }
    const place = $("[data-people]");
    if (!place) return;
    const seated = $$(".seat .name").map((name) => name.textContent);
    place.replaceChildren(...stored("people", []).filter((person) => !seated.includes(person.name)).slice(0, 8).map((person) => {
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.person = JSON.stringify(person);
      const dot = document.createElement("span");
      dot.className = `dot ${person.color}`;
      const name = document.createElement("bdi");
      name.textContent = person.name;
      button.append(dot, name);
      return button;
    }));
  }
  function remember(person) {
    const people = stored("people", []).filter((other) => other.name !== person.name);
    store("people", [person, ...people].slice(0, 24));
  }
  function addPerson(person) {
    const form = $("[data-add-seat]");
    const color = $(`input[value="${person.color}"]`, form);
    $("input[name=name]", form).value = person.name;
    if (color) color.checked = true;
    form.requestSubmit();
  }

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      toast(words("copied"));
    } catch {
      // Not on plain http: the link stands there to be marked by hand.
      getSelection().selectAllChildren($(".link"));
    }
  }

  // Live: a stream that carries the version only; polling where there is none

  let stream = null;
  let lastSign = 0;
  let isConnected = true;

  function connected(state) {
    if (state !== isConnected) { isConnected = state; showConnection(); }
  }
  function showConnection() {
    const note = $("#connection");
    if (!note) return;
    const waiting = queue.list().filter((item) => item.late).length;
    const parts = [];
    if (!isConnected || waiting) parts.push(words("offline"));
    if (waiting === 1) parts.push(words("waitingOne"));
    if (waiting > 1) parts.push(words("waiting").replace("{count}", waiting));
    note.textContent = parts.join(" ");
    note.hidden = !parts.length;
  }
  function want(version) {
    known = Math.max(known, Number(version) || 0);
    if (table() && Number(table().dataset.version) < known) refresh();
  }
  let known = 0;    // the newest version that this page has heard of
  function heard(version) {
    lastSign = Date.now();
    connected(true);
    want(version);
  }
  function listen() {
    stream?.close();
    if (!table() || document.hidden || !globalThis.EventSource) return;
    stream = new EventSource(table().dataset.live);
    stream.addEventListener("message", (event) => heard(event.data));
    stream.addEventListener("open", () => { lastSign = Date.now(); queue.send(); });
    stream.addEventListener("error", () => { lastSign = 0; });
  }
  async function poll() {
    if (!table() || document.hidden) return;
    const isStreaming = stream?.readyState === 1 && Date.now() - lastSign < ASLEEP_MS;
    if (isStreaming) return;
    let isMute = false;
    try {
      const response = await fetch(`/t/${table().dataset.table}/version`, inTime());
      const body = await response.json().catch(() => null);
      // A router may cut a stream without a word; then it says that it is open, and nothing else.
      isMute = stream?.readyState === 1 && body?.version > known;
      if (Number.isInteger(body?.version)) { heard(body.version); queue.send(); }
      else if (response.status === 403 || response.status === 404) location.reload();
      else connected(false);
    } catch { connected(false); }
    if (isMute || stream?.readyState === 2) listen();
  }
  function woken() {
    if (document.hidden) {
      pickers.sendNow();
      // A browser holds six connections to one place, and a forgotten tab must not keep one of them.
      stream?.close();
      stream = null;
      return;
    }
    if (!table()) return;
    lastSign = 0;
    listen();
    poll();
    queue.send();
    stayAwake();
  }

  // The screen stays awake while a game is running, where the browser allows it.
  let lock = null;
  async function stayAwake() {
    if (table()?.dataset.phase !== "playing" || document.hidden || lock) return;
    try {
      lock = await navigator.wakeLock.request("screen");
      lock.addEventListener("release", () => { lock = null; });
    } catch {
      // The menu says it too, see showAwake; once on this device is enough for a note.
      if (!stored("awake-told", false)) toast(words("awake"));
      store("awake-told", true);
    }
  }
  function showAwake() {
    const note = $("[data-awake]");
    if (note) note.hidden = Boolean(lock);
  }

  // htmx

  // Whoever plays by keyboard goes on where the game goes on.
  function keepFocus() {
    if (!hadFocus || document.activeElement !== document.body) return;
    const next = $(".player.selected .f.open[tabindex]") ?? $(".tab[aria-selected=true]") ?? $("#main");
    next?.focus({ preventScroll: true });
  }

  // What waits to be saved does not look unwritten after a redraw.
  function showWaiting() {
    for (const { tap: { action } } of queue.list()) {
      if (!action?.by) continue;
      const boxes = Object.values(action).filter(Array.isArray).flat();
      const sheet = $$("[data-player]").find((player) => player.dataset.by === action.by);
      for (const field of sheet ? $$("[data-f]", sheet) : []) {
        const same = field.dataset.tap && JSON.stringify(actionOf(field.dataset.tap, action.by)) === JSON.stringify({ do: action.do, by: action.by, ...action });
        if (same || boxes.includes(field.dataset.f)) {
          field.classList.remove("open");
          field.classList.add("pending");
        }
      }
    }
  }

  let phase = table()?.dataset.phase;
  function drawn() {
    if (table() && Number(table().dataset.version) < known) setTimeout(refresh);
    if (phase !== table()?.dataset.phase) { phase = table()?.dataset.phase; scrollTo(0, 0); }
    showSelected();
    showRolling();
    showTurned();
    pickers.settle();
    pickers.show();
    prepareLobby();
    showWaiting();
    showConnection();
    keepFocus();
    stayAwake();
    for (const input of $$("[data-remember-name]")) input.value ||= stored("me", "");
  }
  // Which sheet is selected and what is turned lives on this device; a redrawn page must not flicker.
  document.addEventListener("htmx:afterSwap", (event) => {
    drawn();
    if (event.detail.target?.id === "dialog-content" && !$("#dialog").open) { $("#dialog").showModal(); $("#dialog").scrollTop = 0; }
    showAwake();
  });
  document.addEventListener("htmx:responseError", (event) => {
    const { xhr, target } = event.detail;
    if (target?.id === "table" && (xhr.status === 403 || xhr.status === 404) && event.detail.requestConfig.verb === "get") {
      location.reload();
      return;
    }
    const note = new DOMParser().parseFromString(xhr.responseText, "text/html").body.textContent.trim();
    if (note) toast(note, { bad: true });
  });
  document.addEventListener("htmx:sendError", () => connected(false));
  const isFetch = (event) => event.detail.requestConfig?.verb === "get" && event.detail.target?.id === "table";
  document.addEventListener("htmx:beforeSend", (event) => { if (isFetch(event)) fetching = true; });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (!isFetch(event)) return;
    fetching = false;
    if (table() && event.detail.successful && Number(table().dataset.version) < known) setTimeout(refresh);
  });
  // What was done in a dialog is to be seen at the table; its switches show themselves how they are.
  document.addEventListener("htmx:afterRequest", (event) => {
    const { elt, target, successful } = event.detail;
    if (successful && target?.id === "table" && elt.closest("#dialog") && !elt.matches(".check")) $("#dialog").close();
  });
  document.addEventListener("htmx:beforeRequest", (event) => {
    const form = event.target.closest?.("[data-add-seat]");
    if (form) {
      const data = new FormData(form);
      remember({ name: data.get("name").trim(), color: data.get("color") });
    }
  });
  let hadFocus = false;
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { target, xhr, requestConfig } = event.detail;
    hadFocus = Boolean(table()?.contains(document.activeElement));
    // What was picked to correct one entry is nothing for the next one.
    if (target?.id === "dialog-content") pickers.local.delete("edit-dice");
    if (target?.id === "table" && event.detail.shouldSwap) {
      // Answers may overtake each other, and what asked may be gone: then htmx knows no morph.
      const fresh = Number(xhr.responseText.match(/data-version="(\d+)"/)?.[1] ?? 0);
      if (!requestConfig.elt.isConnected || fresh < Number(table().dataset.version)) {
        known = Math.max(known, fresh);
        event.detail.shouldSwap = false;
        if (!fetching && known > Number(table().dataset.version)) setTimeout(refresh);
        return;
      }
    }
    const form = event.detail.requestConfig?.elt;
    const input = $("#new-name");
    // The answer may come when the next name is being typed already.
    const sent = event.detail.requestConfig?.parameters?.name;
    if (event.detail.shouldSwap && form?.matches?.("[data-add-seat]") && input?.value === sent) input.value = "";
  });
  // What somebody is typing is not the server's to redraw.
  globalThis.Idiomorph.defaults.callbacks.beforeNodeMorphed = (old) => !(old.dataset && "keep" in old.dataset);
  document.addEventListener("submit", (event) => {
    const name = $("[data-remember-name]", event.target);
    if (name) store("me", name.value.trim());
  });
  $("#dialog").addEventListener("close", () => {
    document.body.append($("#toasts"));
    $("#dialog-content").replaceChildren();
  });
  $("#dialog").addEventListener("click", (event) => { if (event.target.id === "dialog") $("#dialog").close(); });

  document.addEventListener("visibilitychange", woken);
  addEventListener("pageshow", (event) => { if (event.persisted) woken(); });
  addEventListener("online", woken);
  addEventListener("storage", (event) => { if (event.key?.startsWith("taps:")) showConnection(); });
  setInterval(poll, POLL_MS);
  if (table()) restoreUi();
  drawn();
  if (table()) { conflicts.show(); listen(); queue.send(); }
})();
