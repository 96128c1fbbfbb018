"""A match in words: the entries of each turn, and later changes with their authors."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import groupby
from typing import Any, Final, TypeAlias

from companion.core.game import Game
from companion.core.position import Position
from companion.core.refusal import Refusal
from companion.core.signs import PASSED, Sign, brought, gain
from companion.core.values import Action, Player, clean_name
from companion.core.words import N_, Sentence
from companion.games.record import play_action
from companion.tables import Refused, Seat, Table
from companion.tables.ledger import events
from companion.tables.ledger.corrections import fits_before
from companion.tables.ledger.events import Event
from companion.tables.ledger.match import Entry
from companion.tables.ledger.table_settings import SETTING_KINDS

Signs: TypeAlias = tuple[Sign, ...]


@dataclass(frozen=True)
class EntryView:
    """One entry as the list of turns shows it."""

    entry: Entry
    description: Sentence
    can_correct: bool
    is_corrected: bool
    late: tuple[Seat, ...]  # see `late_seats`


@dataclass(frozen=True)
class TurnView:
    """One turn of the list of turns."""

    number: int
    active: str
    on_table: tuple[Sign, ...]  # the dice that stood, or the cards
    signs: Mapping[Player, Signs]  # what the turn brought each player; see `signs_of`
    entries: tuple[EntryView, ...]


@dataclass(frozen=True)
class LogLine:
    """One line of who did what at the table, beside plain entries."""

    at: datetime
    actor: str
    description: Sentence


def with_positions(table: Table) -> Iterator[tuple[Entry, Position]]:
    """Each entry of the game with the position before it."""
    match = table.state.match
    if match is None:
        return
    position = match.first
    for entry in table.entries:
        yield entry, position
        after = play_action(position, entry.action)
        if isinstance(after, Refusal):
            raise RuntimeError(f"the log of table {table.id} holds a refused action")
        position = after


def entry_with_position(table: Table, entry_id: str) -> tuple[Entry, Position]:
    """An entry and the position before it; raises `Refused` if there is none."""
    for entry, before in with_positions(table):
        if entry.id == entry_id:
            return entry, before
    raise Refused("no-such-entry")


def is_undone_only(game: Game, action: Action) -> bool:
    """Whether an action can only be undone, because nothing in it could be tapped differently."""
    return game.panel.actions[action["do"]].is_undone_only


def late_seats(table: Table, entry: Entry, before: Position) -> tuple[Seat, ...]:
    """The seats that an entry skipped, and whose sheets this device may still fill in.

    Args:
        before: the position before the entry.
    """
    match = table.state.match
    if match is None or not match.closes(entry.action):
        return ()
    index = match.index_of(entry.id) or 0

    late = []
    for seat in map(table.seat_named, before.awaited):
        if seat is None or not seat.may_enter:
            continue
        writings = table.game.panel.writings(before, seat.name)
        if any(fits_before(match, index, dict(action)) for action in writings):
            late.append(seat)
    return tuple(late)


def _comes_in_parts(game: Game, action: Action | None) -> bool:
    """False for an action that the game does not know: the log goes on over several games."""
    kind = game.panel.actions.get(action["do"]) if action else None
    return kind is not None and kind.comes_in_parts


def turns(table: Table) -> list[TurnView]:
    """The turns of the game, the latest first."""
    corrected = _corrected_entries(table)
    played = groupby(with_positions(table), lambda step: step[1].turn)
    views: list[TurnView] = []
    end = table.shown
    for steps in reversed([list(steps) for _, steps in played]):
        if end is not None:
            views.append(_turn_view(table, steps, end, corrected))
        _, end = steps[0]
    return views


def _corrected_entries(table: Table) -> set[str]:
    """The ids of the entries that a correction replaced or changed to fit it."""
    undone = table.state.match.disabled if table.state.match else ()
    corrected: set[str] = set()
    for line in _without_parts(table.game, table.log):
        if line.kind == events.REPLACE and line.id not in undone:
            corrected |= {line.body["entry"], *line.body["fixes"]}
    return corrected


def _turn_view(
    table: Table, steps: Sequence[tuple[Entry, Position]], end: Position, corrected: Collection[str]
) -> TurnView:
    """One turn: its entries with the position before each, and the position after the last one."""
    _, start = steps[0]
    last, _ = steps[-1]
    shown = []
    for entry, before in steps:
        # An action that the next entry implies has no row of its own.
        if not entry.is_implied or entry is last:
            shown.append(_entry_view(table, entry, before, corrected))
    return TurnView(
        start.turn,
        start.active,
        on_table(table.game, [entry.action for entry, _ in steps]),
        signs_of(table.game, start, end),
        tuple(shown),
    )


def _entry_view(
    table: Table, entry: Entry, before: Position, corrected: Collection[str]
) -> EntryView:
    can_correct = not is_undone_only(table.game, entry.action) and table.me.role != "viewer"
    description = describe(table, before, entry.action)
    late = late_seats(table, entry, before)
    return EntryView(entry, description, can_correct, entry.id in corrected, late)


def on_table(game: Game, actions: Iterable[Action]) -> Signs:
    """A turn's dice or cards; those entered part by part replace one another."""
    signs: Signs = ()
    for action in actions:
        more = game.panel.on_table(action)
        replaces = more and game.panel.actions[action["do"]].comes_in_parts
        signs = more if replaces else signs + more
    return signs


def signs_of(
    game: Game,
    start: Position,
    end: Position,
    gained: Callable[[Player], Signs] | None = None,
) -> Mapping[Player, Signs]:
    """The signs of a turn for each player who acted or was skipped.

    Args:
        start: the position before the turn's first entry.
        end: the position after its last one so far, which may be the next turn's first.
        gained: what the turn has brought a player, where it is known; see `brought_between`.
    """
    gained = gained or partial(brought_between, game, start, end)
    awaited = end.awaited if end.turn == start.turn else ()
    nothing = (PASSED,) if game.has_sheet else ()
    signs = {}
    for player in start.awaited:
        if player not in awaited:
            signs[player] = gained(player) or nothing
    return signs


def brought_between(game: Game, start: Position, end: Position, player: Player) -> Signs:
    """What a player has gained from one position to another."""
    before, after = game.filled(start, player), game.filled(end, player)
    if before is not None and after is not None:
        return brought(before, after)
    points = end.score(player)["total"] - start.score(player)["total"]
    return (gain(points),) if points else ()


# Event kind → what its author did; kinds that nobody needs to see again are left out
DESCRIPTIONS: Final[Mapping[str, str]] = {
    events.MADE: N_("opened the table"),
    events.SEAT_ADDED: N_("added %(name)s"),
    events.SEAT_REMOVED: N_("removed %(name)s"),
    events.SEAT_TAKEN: N_("took the seat of %(name)s"),
    events.SEAT_RELEASED: N_("freed the seat of %(name)s"),
    events.JOINED: N_("came to the table"),
    events.SEAT_BACK: N_("gave the seat of %(name)s back"),
    events.HOST_CHANGED: N_("became the host, because the host's phone was silent"),
    events.LINK_MADE: N_("made a link"),
    events.LINK_REVOKED: N_("revoked a link"),
    events.STOPPED: N_("ended the game early"),
    events.SET_ASIDE: N_("went on in turn %(turn)s: what came after no longer fits the rules"),
    events.START: N_("started game %(number)s"),
    events.LOBBY: N_("went back to choosing a game"),
}


def describe(table: Table, before: Position, action: Action | None) -> Sentence:
    """An action in words; None is an entry that was taken back."""
    if action is None:
        return Sentence("taken back")
    return table.game.panel.describe(before, _by_name(action))


def _by_name(action: Action) -> Action:
    """The action with its player's name as the position knows it, without outer blanks."""
    return {**action, "by": clean_name(action["by"])} if "by" in action else action


_UNDONE: Final[Mapping[str, str]] = {
    events.UNDO: N_("undid a correction: %(old)s → %(new)s"),
    events.REDO: N_("corrected again: %(old)s → %(new)s"),
}
_TAKEN: Final = N_("undid: %(old)s")
_BROUGHT: Final = N_("brought back: %(new)s")


def changes(table: Table) -> list[LogLine]:
    """Changes other than plain entries and who made them, the latest first."""
    # Entries of an earlier game could only be described with that game's panel and positions.
    starts = [line.seq for line in table.log if line.kind == events.START]
    last_start = starts[-1] if starts else 0
    found = []
    for line in reversed(_without_parts(table.game, table.log)):
        if line.kind in events.MATCH_KINDS and line.seq <= last_start:
            continue
        if sentence := _description(table, line):
            found.append(LogLine(line.at, line.actor, sentence))
    return found


def _without_parts(game: Game, log: Sequence[Event]) -> list[Event]:
    """The log without the parts of an action that replace what was tapped of it before."""
    kept: list[Event] = []
    last = ("", "")
    for line in log:
        is_part = (
            line.kind == events.REPLACE
            and line.body["action"] is not None
            and (line.body["entry"], line.member) == last
            and _comes_in_parts(game, line.body["old"])
        )
        if line.kind != events.REPLACE:
            last = (line.id, line.member) if line.kind == events.ACTION else ("", "")
        if not is_part:
            kept.append(line)
    return kept


def _description(table: Table, line: Event) -> Sentence | None:
    if setting := SETTING_KINDS.get(line.kind):
        return setting.description(line.body)
    if line.kind == events.REPLACE:
        text = (
            N_("corrected: %(old)s → %(new)s") if line.body["action"] else N_("took back: %(old)s")
        )
        return _with_actions(table, text, line.body["old"], line.body["action"])
    if line.body.get("target") == events.STOPPED:
        goes_on = line.kind == events.UNDO
        return Sentence(N_("let the game go on") if goes_on else N_("ended the game early"))
    if line.kind == events.INSERT:
        return _with_actions(table, N_("added: %(new)s"), None, line.body["action"])
    if line.kind in (events.UNDO, events.REDO):
        old, new = line.body["old"], line.body["action"]
        text = _TAKEN if old else _BROUGHT
        if old and new:
            text = _UNDONE[line.kind]
        return _with_actions(table, text, old, new)
    text = DESCRIPTIONS.get(line.kind, "")
    if line.kind == events.HOST_CHANGED and line.member == table.state.founder:
        text = N_("took the host's role back")
    return Sentence(text, line.body) if text else None


def _with_actions(
    table: Table, text: str, old: dict[str, Any] | None, new: dict[str, Any] | None
) -> Sentence | None:
    describe = table.game.panel.describe
    actions = {"old": old, "new": new}
    phrases = {name: describe(None, action) for name, action in actions.items() if action}
    return Sentence(text, {"old": "", "new": "", **phrases})


def steps(table: Table) -> Mapping[str, tuple[str, Sentence] | None]:
    """The steps that this device may undo and redo: the id and the sentence of each, or None."""

    def in_words(step: Event | None) -> tuple[str, Sentence] | None:
        return None if step is None else (step.id, step_description(table, step))

    return {"undo": in_words(table.undoable), "redo": in_words(table.redoable)}


def step_description(table: Table, step: Event) -> Sentence:
    """A step that can be undone or redone, in words."""
    match, action = table.state.match, step.body["action"]
    if step.kind == events.STOPPED:
        return Sentence("the early end")
    if action is None:
        return Sentence("the last change")
    index = match.index_of(step.id) if match else None
    before = match.position_before(index) if match and index is not None else None
    return table.game.panel.describe(before, action)
