"""The contents of a table's page while a game is played: for all devices, and for one device.

The values of the templates in `templates/table/parts/`. `Shared` has those that nobody sees
otherwise; `Own` has, for each part that devices see differently, everything by which it differs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Final

from companion.core.panel import (
    CallTexts,
    FieldTap,
    Left,
    Panel,
    is_yours,
    roll_hint,
)
from companion.core.position import Position
from companion.core.refusal import Refusal
from companion.core.sheet import Field, FilledSheet, Layout, Mark
from companion.core.values import Player
from companion.core.words import Sentence
from companion.tables import Seat, Table
from companion.tables.ledger import events
from companion.tables.ledger.events import Event
from companion.web.table.notes import notes
from companion.web.table.sheet_drawing import won_fields

LAYOUTS_KEPT: Final = 64
"""Layouts whose values that an upright sheet has no room for are kept in memory."""


@dataclass(frozen=True)
class PrintedValues:
    """The printed values of one group of fields: each with `open`, `circled` or `crossed`."""

    name: str
    left: int
    """The open fields of the group."""
    points: tuple[tuple[str, str], ...]


class SharedPlayer:
    """A player of the match as everybody at the table sees them; worked out as it is asked for."""

    def __init__(self, shared: Shared, seat: Seat, known: FilledSheet | None) -> None:
        """The player of a seat.

        Args:
            known: the player's sheet at an earlier version.
        """
        self.id: Final = seat.id
        self.name: Final = seat.name
        self.color: Final = seat.color
        self.is_active: Final = seat.name == shared.position.active
        self.is_waiting: Final = seat.name in shared.waiting
        self.is_skipped: Final = seat.name in shared.skipped
        self._shared: Final = shared
        self._known: Final = known

    @cached_property
    def points(self) -> int:
        """The points that the player has now, also where the table does not show them."""
        return self._shared.panel.points(self._shared.position, self.name)

    @cached_property
    def filled(self) -> FilledSheet | None:
        """The sheet; the object of the earlier version where nothing has changed on it."""
        filled = self._shared.game.filled(self._shared.position, self.name)
        known = self._known
        return known if filled and known and known.sheet is filled.sheet else filled

    @cached_property
    def won(self) -> Mapping[str, str]:
        """The points ticked off on the sheet, where the table shows points."""
        return won_fields(self.filled) if self.filled and self._shared.scores else {}

    @cached_property
    def taps(self) -> Mapping[str, FieldTap]:
        """The fields that answer a tap on the devices that may write on the sheet."""
        return self._shared.panel.taps(self._shared.position, self.name)

    @cached_property
    def early(self) -> Mapping[str, FieldTap]:
        """The active player's fields in the turn's next step, if nobody else acts before."""
        shared = self._shared
        position, close = shared.position, shared.game.close
        if not self.is_active or self.is_waiting or close is None:
            return {}
        after = position.play(close)
        if isinstance(after, Refusal) or after.over or after.turn != position.turn:
            return {}
        taps = shared.panel.taps(after, self.name)
        return {
            field: replace(tap, is_open=False, is_early=True)
            for field, tap in taps.items()
            if tap.is_open
        }

    @cached_property
    def left(self) -> tuple[Left, ...]:
        """The numbers of things that the player has left, such as jokers."""
        return self._shared.panel.left(self._shared.position, self.name)

    @cached_property
    def printed(self) -> tuple[PrintedValues, ...]:
        """The printed values, which an upright sheet on a phone has no room for."""
        if not self.filled:
            return ()
        shared = self._shared
        return printed_values(self.filled, shared.panel.marks(shared.position, self.name))


class Shared:
    """The values that all devices see alike of a game at one version of its table."""

    def __init__(self, table: Table, before: Shared | None = None) -> None:
        """The game at a table.

        Args:
            table: as any device sees it; nothing of that device is looked at.
            before: the table at an earlier version, most of whose sheets are the same.
        """
        self.game: Final = table.game
        self.panel: Final[Panel[Any]] = table.game.panel
        self.scores: Final = table.scores
        self.hints: Final = table.hints
        self.roller: Final = table.roller
        self.all_dice: Final = table.all_dice
        self.position: Final = position_of(table)
        self.waiting: Final = frozenset(self.position.waiting)
        self.skipped: Final = _skipped(table) - self.waiting
        self._entries: Final = table.entries
        self._log: Final = table.log
        sheets = {} if before is None else {name: p.filled for name, p in before.players.items()}
        self.players: Final[Mapping[Player, SharedPlayer]] = {
            name: SharedPlayer(self, seat_called(table, name), sheets.get(name))
            for name in self.position.players
        }

    @property
    def active(self) -> SharedPlayer:
        """The player whose turn it is."""
        return self.players[self.position.active]

    @cached_property
    def calling(self) -> CallTexts | None:
        """The sentences about an open call; None for a game without open calls."""
        return self.panel.calling(self.position)

    @cached_property
    def last_roll(self) -> int | None:
        """The number of the event with the app's last roll; None where the app does not roll."""
        if not self.roller:
            return None
        entries = (event for event in reversed(self._log) if event.kind == events.ACTION)
        return next((event.seq for event in entries if "drawn" in event.body), 0)

    @cached_property
    def acts(self) -> Mapping[Player, Sentence]:
        """Each player's last entry of this turn or the one before, unless the player is awaited."""
        turn = self.position.turn
        recent = [entry for entry in self._entries if entry.turn >= turn - 1]
        # Before its first entry a turn waits for the active player alone.
        has_begun = any(entry.turn == turn for entry in recent)
        awaited = self.waiting if has_begun else {self.position.active}
        return {
            entry.by: self.panel.describe(None, entry.action)
            for entry in recent
            if entry.by is not None and entry.by not in awaited
        }

    @cached_property
    def values(self) -> dict[str, Any]:
        """The values for the templates of all parts."""
        return {
            "game": self.game,
            "scores": self.scores,
            "hints": self.hints,
            "all_dice": self.all_dice,
            "position": self.position,
            "facts": self.panel.facts(self.position, self._entries),
            "news": self.panel.news(self.position),
            "acts": self.acts,
            "players": list(self.players.values()),
            "awaited": self.game.dice(self.position) if self.roller else None,
        }


class Own:
    """The values in which one device differs from others: a method for each part of its own.

    A method returns the values that the part's template gets as `own`. The part is drawn once for
    all devices for which these are equal, so a template must look at nothing else of a device.
    """

    def __init__(self, table: Table, shared: Shared) -> None:
        """The page of one device.

        Args:
            table: as the device sees it, at the version of `shared`.
        """
        self._table: Final = table
        self._shared: Final = shared
        self._entered: Final = {seat.name for seat in table.seats if seat.may_enter}
        self._here: Final = tuple(
            name
            for name in shared.position.players
            if is_played_here(table, seat_called(table, name))
        )
        call = table.call
        self._waits: Final = call is not None and not call.is_made_here
        """Whether another device makes the call, until whose end nobody writes on this one."""
        self.rolls_here: Final = shared.position.active in self._here
        """Whether the active player's taps are made on this device."""

    def steps(self, _: Player) -> dict[str, object]:
        """The steps that the device may undo and redo."""
        return steps(self._table)

    def hint(self, _: Player) -> dict[str, object]:
        """The sentence of the bar at the bottom, and how the present step is done."""
        shared, call, texts = self._shared, self._table.call, self._shared.calling
        if self._waits and call is not None and texts is not None:
            return {"call": texts.again if call.is_made_again else texts.under_way}
        hint, quick = shared.panel.hint(shared.position, self._here), shared.panel.quick_roll_hint
        if quick and not shared.all_dice and hint == roll_hint(shared.position.active, self._here):
            hint = quick if is_yours(shared.position.active, self._here) else hint
        how = shared.game.guide.step(shared.position, self._here)
        may_call = texts is not None and self.rolls_here
        again = roll_hint(shared.position.active, self._here) if may_call else None
        return {"call": None, "hint": hint, "how": how, "again": again}

    def panel(self, _: Player) -> dict[str, object]:
        """The values by which the game's panel offers taps on this device."""
        table = self._table
        return {
            "may_enter": self._shared.position.active in self._entered,
            "rolls_here": self.rolls_here,
            "is_watching": table.me.role == "viewer",
            "waits": self._waits,
            # A call is never final where nobody else hears of it.
            "is_call_final": table.call is None and table.has_other_devices,
        }

    def dock(self, _: Player) -> dict[str, object]:
        """The buttons that belong to no single sheet."""
        shared, table = self._shared, self._table
        call = table.call if table.call is not None and table.call.may_make_final else None
        return {
            "may_enter": shared.position.active in self._entered,
            "rolls_here": self.rolls_here,
            "call": call,
            "go_on": shared.calling.go_on if call is not None and shared.calling else None,
            "close": table.close,
            "alone": self._closed_after,
            "close_text": shared.panel.close_text(shared.position) if table.close else None,
            "skipped": ", ".join(shared.position.waiting),
        }

    @property
    def _closed_after(self) -> str:
        """The entry after which this device closes the step without a tap; "" for none."""
        shared, table = self._shared, self._table
        if shared.all_dice or table.close is None or not self.rolls_here:
            return ""
        return table.entries[-1].id if shared.panel.only_passing(shared.position) else ""

    def notes(self, _: Player) -> dict[str, object]:
        """The acts of others on the sheets of this device's players."""
        return {"notes": notes(self._table)}

    def acts(self, _: Player) -> dict[str, object]:
        """The players whose acts are seen on this device anyway."""
        return {"here": self._here}

    def actions(self, player: Player) -> dict[str, object]:
        """Whether the device may write on the sheet: not while another makes the call."""
        return {"may_write": player in self._entered and not self._waits}

    def sheet(self, player: Player) -> dict[str, object]:
        """Whether the device may write on the sheet, also what is held for the next step."""
        is_early = self.rolls_here and bool(self._shared.players[player].early)
        return {**self.actions(player), "is_early": is_early}


def _skipped(table: Table) -> frozenset[Player]:
    """The players who were skipped in this turn though a field fitted."""
    skip, position = table.skip, position_of(table)
    if skip is None or skip.before.turn != position.turn:
        return frozenset()
    panel = table.game.panel
    return frozenset(name for name in skip.players if not panel.is_idle(skip.before, name))


def position_of(table: Table) -> Position:
    """The present position; raises `ValueError` in the lobby."""
    if table.position is None:
        raise ValueError("the table is still in the lobby")
    return table.position


def seat_called(table: Table, name: Player) -> Seat:
    """The seat of a player of the match."""
    return next(seat for seat in table.seats if seat.name == name)


def focus(table: Table) -> Seat:
    """The seat whose sheet a narrow screen shows first: one played here with something to do.

    A device that only watches follows the active player.
    """
    position = position_of(table)
    seats = [seat_called(table, name) for name in position.players]
    here = [seat for seat in seats if is_played_here(table, seat)]
    panel = table.game.panel
    idle = [name for name in position.waiting if panel.is_idle(position, name)]
    asked = [name for name in position.waiting if table.all_dice or name not in idle]
    waiting = [seat for seat in here if seat.name in (asked or [position.active])]
    # The active player acts first, then the others in their order, those with a phone before.
    waiting.sort(key=lambda seat: (seat.name != position.active, not seat.mine))
    mine = [seat for seat in here if seat.mine]
    return next(iter([*waiting, *mine, *here, seat_called(table, position.active)]))


def is_played_here(table: Table, seat: Seat) -> bool:
    """Whether this device is the one on which the seat's player taps."""
    if seat.mine:
        return True
    holds_none = not any(other.mine for other in table.seats)
    return seat.may_enter and not seat.held and (holds_none or table.me.role == "host")


def played_elsewhere(table: Table) -> tuple[Seat, ...]:
    """The seats whose players write on other devices; none for a device that people share."""
    if sum(seat.mine for seat in table.seats) != 1:
        return ()
    return tuple(seat for seat in table.seats if not is_played_here(table, seat))


def steps(table: Table) -> dict[str, object]:
    """The steps that this device may undo and redo: the id and the sentence of each, or None."""

    def said(step: Event | None) -> tuple[str, Sentence] | None:
        return None if step is None else (step.id, step_description(table, step))

    return {"undo": said(table.undoable), "redo": said(table.redoable)}


def step_description(table: Table, step: Event) -> Sentence:
    """A step that can be undone or redone, in words."""
    match, action = table.state.match, step.body["action"]
    if step.kind == events.STOPPED:
        return Sentence("the early end")
    if action is None:
        return Sentence("the last change")
    index = match.index_of(step.id) if match else None
    before = None
    if match and index is not None and match.closes(match.entries[index].action):
        before = match.position_before(index)
    return table.game.panel.describe(before, action)


@lru_cache(maxsize=LAYOUTS_KEPT)
def _left_out(layout: Layout) -> tuple[Field, ...]:
    """The fields with printed values that the upright sheet has no room for."""
    end = layout.upright_width or layout.height
    return tuple(field for field in layout.fields if field.kind == "value" and field.box.y > end)


def printed_values(filled: FilledSheet, others: Mapping[str, Mark]) -> tuple[PrintedValues, ...]:
    """The values that the upright sheet leaves out, by the groups of their fields.

    Args:
        others: marks that other players' entries have put on the sheet; see `Panel.marks`.
    """
    layout = filled.layout
    left_out = _left_out(layout)
    if not left_out:
        return ()
    marks = {**others, **filled.marks}
    points: dict[str, list[tuple[str, str]]] = {}
    for field in left_out:
        state = str(marks.get(field.id) or "open")
        points.setdefault(field.group, []).append((field.print, state))
    left = Counter(
        field.group for field in layout.fields if field.kind == "cross" and not marks.get(field.id)
    )
    return tuple(PrintedValues(name, left[name], tuple(both)) for name, both in points.items())
