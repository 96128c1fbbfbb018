"""The contents of a table's page while a game is played: the values of each part's template.

`Shared` has the parts that everybody sees alike, `Own` those that differ between devices. A part is
drawn once for all devices and versions for which its values are equal, and its template in
`templates/table/parts/` gets nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Final, TypeAlias

from companion.core.panel import (
    CallTexts,
    FieldTap,
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
from companion.web.table.notes import changes_for_others, notes
from companion.web.table.sheet_drawing import won_fields

LAYOUTS_KEPT: Final = 64
"""Layouts whose values that an upright sheet has no room for are kept in memory."""

Values: TypeAlias = Mapping[str, Any]
"""The values of a part's template, by their names."""
Place: TypeAlias = tuple[str, Player]
"""The kind of a part, which its template is named after, and whose part it is; "" for nobody's."""
SHEET: Final = "sheet"
"""The part that holds a player's sheet; its values are the arguments of `faces`."""


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
        self._shared: Final = shared
        self._known: Final = known

    @cached_property
    def head(self) -> Values:
        """The player's name and points; None where the table does not show points."""
        shared = self._shared
        return {
            "name": self.name,
            "color": self.color,
            "is_active": self.is_active,
            "points": shared.panel.points(shared.position, self.name) if shared.scores else None,
        }

    @cached_property
    def filled(self) -> FilledSheet | None:
        """The sheet; the object of the earlier version where nothing has changed on it."""
        filled = self._shared.game.filled(self._shared.position, self.name)
        known = self._known
        return known if filled and known and known.sheet is filled.sheet else filled

    @cached_property
    def sheet(self) -> Values:
        """The sheet for devices that may not write on it, as arguments of `faces`."""
        panel, position, filled = self._shared.panel, self._shared.position, self.filled
        return {
            "filled": filled,
            "taps": {},
            "player": self.name,
            "others": panel.marks(position, self.name),
            "barred": panel.barred(position, self.name),
            "won": won_fields(filled) if filled and self._shared.scores else {},
        }

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
    def actions(self) -> Values:
        """The choices and the button for passing, for the devices that may write."""
        shared = self._shared
        return {
            "game": shared.game,
            "id": self.id,
            "name": self.name,
            "choice": shared.panel.player_facts(shared.position, self.name),
            "passing": shared.panel.passing(shared.position, self.name),
            "skip": shared.game.skip(self.name),
        }

    @cached_property
    def no_actions(self) -> Values:
        """The same for all other devices."""
        nothing = dict.fromkeys(("choice", "passing", "skip"))
        return {"game": self._shared.game, "id": self.id, "name": self.name, **nothing}


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
        self._skipped: Final = _skipped(table) - self.waiting
        self._table: Final = table
        sheets = {} if before is None else {name: p.filled for name, p in before.players.items()}
        self.players: Final[Mapping[Player, SharedPlayer]] = {
            name: SharedPlayer(self, seat_called(table, name), sheets.get(name))
            for name in self.position.players
        }

    @property
    def parts(self) -> dict[Place, Values]:
        """The values of the parts that everybody sees alike."""
        panel, position = self.panel, self.position
        found: dict[Place, Values] = {
            ("turn", ""): {"number": position.turn},
            ("news", ""): {"news": panel.news(position)},
        }
        for name, player in self.players.items():
            state = {"is_waiting": player.is_waiting, "is_skipped": name in self._skipped}
            found["tab", name] = {**player.head, **state}
            found["total", name] = {"points": player.head["points"]}
            if left := panel.left(position, name):
                found["left", name] = {"left": left}
            filled = player.filled
            printed = filled and printed_values(filled, panel.marks(position, name))
            if printed:
                found["printed", name] = {"printed": printed}
        return found

    @cached_property
    def root(self) -> dict[str, str]:
        """The `data-` attributes of the table's element, which the scripts read."""
        position, table = self.position, self._table
        rolled = {"rolled": str(self._last_roll)} if self.roller else {}
        return {
            "version": str(table.version),
            "phase": table.phase,
            "moment": position.fingerprint,
            "active": str(self.players[position.active].id),
            "by": position.active,
            "timer": str(table.turn_timer),
            "waiting": " ".join(str(self.players[name].id) for name in position.waiting),
            "step": str(position.step),
            "handing": "yes" if table.handing else "",
            **rolled,
        }

    @cached_property
    def facts(self) -> Values:
        """The game's own values."""
        return self.panel.facts(self.position, self._table.entries)

    @cached_property
    def call(self) -> Values:
        """The values for the game's panel that depend on no device."""
        awaited = self.game.dice(self.position) if self.roller else None
        return {
            "game": self.game,
            "facts": self.facts,
            "active": self.position.active,
            "awaited": awaited,
            "moment": self.position.fingerprint if awaited else "",
            "hints": self.hints,
            "all_dice": self.all_dice,
            # Where there are no sheets, the players' counts stand in the panel.
            "players": () if self.game.has_sheet else [p.head for p in self.players.values()],
        }

    @cached_property
    def asked(self) -> Collection[Player]:
        """The players who have something to do."""
        panel, position = self.panel, self.position
        idle = () if self.all_dice else {p for p in self.waiting if panel.is_idle(position, p)}
        return self.waiting.difference(idle) or {position.active}

    @cached_property
    def calling(self) -> CallTexts | None:
        """The sentences about an open call; None for a game without open calls."""
        return self.panel.calling(self.position)

    @cached_property
    def recent(self) -> tuple[Event, ...]:
        """The latest changes that devices made to others' sheets."""
        return changes_for_others(self._table.state)

    @property
    def _last_roll(self) -> int:
        """The number of the event with the app's last roll; 0 for none."""
        entries = (event for event in reversed(self._table.log) if event.kind == events.ACTION)
        return next((event.seq for event in entries if "drawn" in event.body), 0)

    @cached_property
    def acts(self) -> Mapping[Player, Sentence]:
        """Each player's last entry of this turn or the one before, unless the player is awaited."""
        turn = self.position.turn
        recent = [entry for entry in self._table.entries if entry.turn >= turn - 1]
        # Before its first entry a turn waits for the active player alone.
        has_begun = any(entry.turn == turn for entry in recent)
        awaited = self.waiting if has_begun else {self.position.active}
        return {
            entry.by: self.panel.describe(None, entry.action)
            for entry in recent
            if entry.by is not None and entry.by not in awaited
        }


class Own:
    """The values in which one device differs from others: a method for each part of its own."""

    def __init__(self, table: Table, shared: Shared) -> None:
        """The page of one device.

        Args:
            table: as the device sees it, at the version of `shared`.
        """
        self._table: Final = table
        self._shared: Final = shared
        self._entered: Final = {seat.name for seat in table.seats if seat.may_enter}
        self._seats_here: Final = seats_here(table)
        self._here: Final = tuple(
            name for name in shared.position.players if name in self._seats_here
        )
        call = table.call
        self._waits: Final = call is not None and not call.is_made_here
        """Whether another device makes the call, until whose end nobody writes on this one."""
        self._rolls_here: Final = shared.position.active in self._here
        """Whether the active player's taps are made on this device."""
        self._may_enter: Final = shared.position.active in self._entered
        """Whether this device may write for the active player."""

    @property
    def root(self) -> dict[str, str]:
        """The `data-` attributes of the table's element, which the scripts read."""
        others = self._seats_elsewhere
        return {
            **self._shared.root,
            "focus": str(self.focus),
            "rolls": "yes" if self._rolls_here else "no",
            "others": " ".join(str(seat.id) for seat in others),
            "helps": " ".join(str(seat.id) for seat in others if seat.may_enter),
        }

    @property
    def focus(self) -> int:
        """The seat whose sheet a narrow screen shows first: one played here with something to do.

        A device that only watches follows the active player.
        """
        shared, active = self._shared, self._shared.position.active
        here = [self._seats_here[name] for name in self._here]
        waiting = [seat for seat in here if seat.name in shared.asked]
        # The active player acts first, then the others in their order, those with a phone before.
        waiting.sort(key=lambda seat: (seat.name != active, not seat.mine))
        mine = [seat for seat in here if seat.mine]
        return next((seat.id for seat in [*waiting, *mine, *here]), shared.players[active].id)

    @property
    def _seats_elsewhere(self) -> list[Seat]:
        """The seats whose players write on other devices; none for a device that people share."""
        seats = self._table.seats
        if sum(seat.mine for seat in seats) != 1:
            return []
        return [seat for seat in seats if seat.name not in self._seats_here]

    @property
    def parts(self) -> dict[Place, Values]:
        """The values of the parts that differ between devices."""
        shared, table = self._shared, self._table
        players = shared.players
        others = [(p.color, p.name) for p in players.values() if p.name not in self._here]
        found: dict[Place, Values] = {
            ("steps", ""): steps(table),
            ("hint", ""): self._hint,
            ("panel", ""): self._panel,
            ("dock", ""): self._dock,
            ("notes", ""): {"notes": notes(table, shared.recent)},
            ("acts", ""): {
                "acts": [(color, name, shared.acts.get(name)) for color, name in others]
            },
        }
        for name, player in players.items():
            # Not while another device makes the call.
            may_write = name in self._entered and not self._waits
            found["actions", name] = player.actions if may_write else player.no_actions
            if player.filled:
                taps = player.taps if may_write else {}
                early = player.early if self._rolls_here else {}
                is_tapped = taps or early
                sheet = player.sheet
                found[SHEET, name] = {**sheet, "taps": {**taps, **early}} if is_tapped else sheet
        return found

    @property
    def _hint(self) -> Values:
        """The sentence of the bar at the bottom, and how the present step is done."""
        shared, call, texts = self._shared, self._table.call, self._shared.calling
        if self._waits and call is not None and texts is not None:
            return {"call": texts.again if call.is_made_again else texts.under_way}
        hint, quick = shared.panel.hint(shared.position, self._here), shared.panel.quick_roll_hint
        if quick and not shared.all_dice and hint == roll_hint(shared.position.active, self._here):
            hint = quick if is_yours(shared.position.active, self._here) else hint
        how = shared.game.guide.step(shared.position, self._here)
        may_call = texts is not None and self._rolls_here
        again = roll_hint(shared.position.active, self._here) if may_call else None
        return {"call": None, "hint": hint, "how": how, "again": again}

    @property
    def _panel(self) -> Values:
        """The game's panel, and by what it offers taps on this device."""
        table = self._table
        own = {
            "may_enter": self._may_enter,
            "rolls_here": self._rolls_here,
            "is_watching": table.me.role == "viewer",
            "waits": self._waits,
            # A call is never final where nobody else hears of it.
            "is_call_final": table.call is None and table.has_other_devices,
        }
        return {**self._shared.call, "own": own}

    @property
    def _dock(self) -> Values:
        """The buttons that belong to no single sheet."""
        shared, table = self._shared, self._table
        call = table.call if table.call is not None and table.call.may_make_final else None
        own = {
            "may_enter": self._may_enter,
            "rolls_here": self._rolls_here,
            "call": call,
            "go_on": shared.calling.go_on if call is not None and shared.calling else None,
            "close": table.close,
            "alone": self._closed_after,
            "close_text": shared.panel.close_text(shared.position) if table.close else None,
            "skipped": ", ".join(shared.position.waiting) if table.close else "",
        }
        facts = shared.facts if self._may_enter else None
        return {"game": shared.game, "facts": facts, "own": own}

    @property
    def _closed_after(self) -> str:
        """The entry after which this device closes the step without a tap; "" for none."""
        shared, table = self._shared, self._table
        if shared.all_dice or table.close is None or not self._rolls_here:
            return ""
        return table.entries[-1].id if shared.panel.only_passing(shared.position) else ""


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


def seats_here(table: Table) -> dict[Player, Seat]:
    """The seats whose players tap on this device, by their names."""
    holds_none = not any(seat.mine for seat in table.seats)
    writes_for_others = holds_none or table.me.role == "host"
    return {
        seat.name: seat
        for seat in table.seats
        if seat.mine or (writes_for_others and seat.may_enter and not seat.held)
    }


def steps(table: Table) -> Values:
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
