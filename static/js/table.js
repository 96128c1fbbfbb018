// The entry of the table's page: puts the modules together. They contain no rule, no game
// and no action: the server answers every tap, and the templates say what each tap sends.

import "./page.js";
import { $, $$, dialog, made, onTap, table, words } from "./page/dom.js";
import { watchKeyboard } from "./page/keyboard.js";
import "./page/picture.js";
import { dropNotes, dropRefusals, toast } from "./page/toasts.js";
import { answerAwake, showAwake, stayAwake } from "./table/awake.js";
import { refuse } from "./table/beside.js";
import { answerClosing, closeAlone, showClosing } from "./table/closing.js";
import { addConflict, showConflicts } from "./table/conflicts.js";
import { Connection } from "./table/connection.js";
import { answersLast, openEditor, preview } from "./table/corrections.js";
import { fieldsOf, restoreFields } from "./table/fields.js";
import { answerGuard, guard, guardMoved, moveFocus, noteSheets } from "./table/guard.js";
import { answerGuide, showGuide } from "./table/guide.js";
import { answerHanding } from "./table/handing.js";
import { showHeld } from "./table/held.js";
import { answerHolding, showHolding } from "./table/holding.js";
import { showLearned } from "./table/learning.js";
import { Live } from "./table/live.js";
import { answerLobby, clearAdded, showLobby } from "./table/lobby.js";
import { showNews } from "./table/news.js";
import { showNotes } from "./table/notes.js";
import { Pickers } from "./table/pickers.js";
import { pointAt } from "./table/pointing.js";
import { Queue } from "./table/queue.js";
import { Redraw } from "./table/redraw.js";
import { answerSheets, seatOf, showSelected, showTurned } from "./table/sheets.js";
import { glowInStep, showLit, showMore } from "./table/sight.js";
import { Swap } from "./table/swap.js";
import { answerTaps, repeatSending, showWaiting } from "./table/taps.js";
import { showTimer, startTimer } from "./table/timer.js";
import { showRoll } from "./table/tumble.js";
import { answerSoundSwitch, signalTurn } from "./table/turn-signal.js";
import { Update } from "./table/update.js";

const POLL_MS = 2000; // between two looks when there is no stream

const page = () => table().dataset;
const shown = () => Number(page().version);

const connection = new Connection(() => queue);
const redraw = new Redraw({
  shown,
  fetch: () => htmx.trigger(table(), "refresh"),
  before: notePage,
  after: drawn,
});

const queue = new Queue(page, {
  changed: () => connection.show(),
  unstored: () => toast(words("cannotKeep"), { understood() {} }),
  saved(version, id, moment) {
    dropRefusals();
    pickers.follow(id, moment);
    swap.follow(id, moment);
    connection.set(true);
    if (live.isTrusted) redraw.expect(version);
    else redraw.want(version);
    // The stream may have been faster than the answer: then nothing is drawn after it.
    if (shown() >= version) drawn();
  },
  refused(item, { code, message, fields = [], entry }, late) {
    if (item.from && item.tap.moment === page().moment) pickers.goOn(item.from);
    const { replaces, action } = item.tap;
    if (code === "does-not-fit" && replaces && action) openEditor(replaces, action);
    live.ask();
    drawn();
    if (action) pointAt(action.by, fields);
    if (entry && action?.by) openEditor(entry, action, seatOf(action.by));
    if (!item.what || (entry && action)) return;
    if (entry) {
      const button = made("button", { textContent: words("changeEntry") });
      button.addEventListener("click", () => openEditor(entry));
      toast(message, { bad: true, buttons: [button] });
    } else if (late) addConflict(`${item.what}: ${message}`);
    else refuse(message, action && fieldsOf(action)[0]);
  },
});

const live = new Live(page, {
  known: () => redraw.known,
  heard(version, unsaved) {
    connection.set(unsaved || true);
    redraw.want(version);
  },
  changed(values) {
    connection.set(true);
    redraw.push(values);
  },
  opened: () => queue.send(),
  missed: () => connection.set(false),
  gone: () => location.reload(),
});

const send = queue.add.bind(queue);
const isWaiting = queue.isWaiting.bind(queue);
const pickers = new Pickers({
  send,
  isWaiting,
  preview,
  missed: () => connection.set(false),
  began(dice) {
    swap.keepOpen();
    if (dice) queue.add({ dice }, "");
  },
});
const swap = new Swap(pickers, send, isWaiting);
const update = new Update(
  () => page().build,
  // A dialog, a name that is being typed or, where nothing is stored, a note would disappear.
  () =>
    queue.list().length > 0 || dialog().open || $("[data-keep]:focus, #toasts .conflict") !== null,
  () => location.reload(),
);

answerGuard((target) => pickers.isForNow(target));
answerTaps(send, () => pickers.clearFields(), drawn);
answerSheets(drawn);
answerLobby();
answerHanding();
answerHolding();
watchKeyboard();
answerClosing();
answerSoundSwitch();
answerGuide();
glowInStep();
answerAwake();
startTimer();
onTap("[data-swap]", (button) => swap.tap(button));
onTap("[data-unfold]", (button) => {
  const isOpen = button.parentElement?.classList.toggle("unfolded") ?? false;
  button.setAttribute("aria-expanded", String(isOpen));
});

// Drawing. The state of this device alone is shown at once, so that a redrawn page does not flicker.

let { phase } = page();

/** Brings what has just been drawn up to date with what only this device knows. The order matters. */
function drawn() {
  // The places of the sheets, before anything moves.
  noteSheets();
  redraw.catchUp();
  if (phase !== page().phase) {
    ({ phase } = page());
    scrollTo(0, 0);
    // What was said of the game so far is no longer true.
    dropNotes();
  }
  // What people have typed and picked, before what follows from it.
  restoreFields();
  showSelected();
  swap.show();
  showTurned();
  pickers.settle();
  pickers.show();
  // The states of fields and buttons: those of waiting and held taps come after those that a picker leaves.
  showLobby();
  showLearned();
  showWaiting(queue);
  showHeld(send);
  showHolding();
  showLit();
  showMore();
  // Everything has its place now: what has moved is guarded, then the focus is brought back.
  guardMoved();
  connection.show();
  keepFocus();
  // Words and signals.
  showClosing();
  signalTurn();
  showGuide();
  showNews();
  showNotes();
  showRoll();
  showTimer();
  stayAwake();
  update.check();
  // What sends, last: it may draw the page again.
  closeAlone(send);
  repeatSending(queue);
}

let hadFocus = false;

function notePage() {
  noteSheets();
  hadFocus = table().contains(document.activeElement);
}

/** The player whose turn the page showed last. */
let { active } = page();

/** Moves a lost focus to the hint, where a second key does nothing; a focused target may be another player's by now. */
function keepFocus() {
  const here = document.activeElement;
  if (hadFocus && here === document.body)
    moveFocus($(".hint.says:not([hidden])") ?? $(".tab[aria-selected=true]") ?? $("#main"));
  else if (here && active !== page().active && here.matches(".play :not([data-send])")) guard(here);
  ({ active } = page());
}

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  notePage();
  if (detail.target?.id === "preview") detail.shouldSwap &&= answersLast(detail.requestConfig);
  if (detail.target?.id !== "table" || !detail.shouldSwap) return;
  // If what asked is gone, htmx knows no morph any more.
  detail.shouldSwap = redraw.admits(versionIn(detail), detail.requestConfig.elt.isConnected);
  if (detail.shouldSwap) clearAdded(detail.requestConfig);
});
document.addEventListener("htmx:afterSwap", ({ detail }) => {
  if (detail.target?.id === "dialog-content") {
    // Values picked to correct one entry are nothing for the next one.
    for (const picker of $$("[data-editor] [data-picker]")) pickers.forget(picker.id);
  }
  drawn();
  showAwake();
});

// Requests

/** @param {HtmxDetail} detail */
const isFetch = ({ requestConfig, target }) =>
  requestConfig?.verb === "get" && target?.id === "table";

/**
 * The version of the table in an answer; 0 if it has none, such as a hotel's log-in page.
 * @param {HtmxDetail} detail
 */
const versionIn = ({ xhr }) => Number(xhr.responseText.match(/data-version="(\d+)"/)?.[1] ?? 0);

document.addEventListener("htmx:beforeSend", ({ detail }) => {
  if (isFetch(detail)) redraw.isFetching = true;
});
document.addEventListener("htmx:afterRequest", ({ detail }) => {
  if (isFetch(detail)) {
    const hasCome = detail.successful && versionIn(detail) > 0;
    connection.set(hasCome);
    redraw.fetched(hasCome);
  }
  // A button closes the dialog; a setting leaves it open and shows its own state.
  const isDone = detail.successful && detail.target?.id === "table";
  if (isDone && detail.elt.closest("#dialog") && !detail.elt.matches(".check, .timer-choice"))
    dialog().close();
});
document.addEventListener("htmx:sendError", () => connection.set(false));

// The phone goes to sleep, wakes up, or finds its network again

function woken() {
  if (document.hidden) {
    stayAwake();
    // A browser holds six connections to one place, and a forgotten tab must not keep one of them.
    live.leave();
    return;
  }
  live.wake();
  queue.send();
  stayAwake();
}

document.addEventListener("visibilitychange", woken);
addEventListener("pageshow", (event) => {
  if (event.persisted) woken();
});
addEventListener("online", woken);
addEventListener("resize", () => {
  showLit(true);
  showMore();
});
addEventListener("scroll", showMore, { capture: true, passive: true });
addEventListener("storage", (event) => {
  if (event.key?.startsWith("taps:")) connection.show();
});
addEventListener("beforeunload", (event) => queue.isAtRisk && event.preventDefault());
setInterval(() => live.poll(), POLL_MS);

pickers.restore();
swap.restore();
drawn();
showConflicts();
live.listen();
queue.send();
