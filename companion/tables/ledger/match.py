"""A match, folded from its events: its entries as undone and corrected, and the position.

A match is one game that is played at a table, from its start to its end; a `Game` is the kind of
game. Pure: no database and no clock. Rights are checked elsewhere.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from itertools import takewhile
from typing import Any, Final, NamedTuple

from companion.core.game import Game
from companion.core.position import Position
from companion.core.refusal import Refusal
from companion.core.values import Action, Document, Options, Player, clean_name
from companion.games.record import RECORD_FORMAT, play_action, rules_field
from companion.tables.ledger import events as kinds
from companion.tables.ledger.events import Event, damaged, moment_of

PLAYER_KEYS: Final = frozenset({"by", "player"})  # the keys of an action that have a player's name

# How many positions a match keeps: a page asks for the one before the turn, and a round of twelve
# players who bid, count tricks and add a bonus has 36 entries. Older corrections replay the match.
RECENT_POSITIONS: Final = 40


class Entry(NamedTuple):
    """An action that counts: neither undone nor removed, in its last correction."""

    id: str  # the id of the tap that made it
    action: Action
    # The player whose sheet it is for; None for an action that closes a step for all.
    by: Player | None
    turn: int
    actor: str  # the device that entered it, in words; may be empty
    member: str  # the id of that device's membership
    at: datetime
    is_implied: bool = False  # by a player's first act, so that nobody has tapped it
    is_automatic: bool = False  # sent by a page itself, because the player had no choice


@dataclass(frozen=True, slots=True)
class Skip:
    """An entry that has closed a step for players who had not acted, and the position before it."""

    entry: Entry
    before: Position

    @property
    def players(self) -> tuple[Player, ...]:
        """Those who had not acted."""
        return self.before.awaited


@dataclass(frozen=True, slots=True)
class Misfit:
    """The first entry that the rules would no longer allow after a change, and their refusal."""

    entry: str
    by: Player | None
    turn: int
    refusal: Refusal


@dataclass(frozen=True)
class Match:
    """One match: its events, the entries that count, and the position that follows.

    Where an entry no longer fits the rules, the match opens before it. The entry and all later ones
    stay in `events` and do not count; the next change of the match notes that by a `SET_ASIDE`.
    """

    number: int
    game: Game
    options: Options
    started_at: datetime
    first: Position
    events: tuple[Event, ...] = ()
    disabled: frozenset[str] = frozenset()  # the ids of the events that are undone
    entries: tuple[Entry, ...] = ()
    # The last positions, the present one at the end; empty before the first entry.
    recent: tuple[Position, ...] = ()
    rules: int = 1  # the number of the rules by which it was played; `game` is by them
    # The entries that do not count because the first of them no longer fits the rules, unless an
    # event notes that already, and why it does not fit.
    aside: tuple[Entry, ...] = ()
    misfit: Misfit | None = None
    # The end of a match that is over, and was not by today's rules. It stays as it was saved.
    ended: datetime | None = None

    @property
    def position(self) -> Position:
        return self.recent[-1] if self.recent else self.first

    @cached_property
    def options_now(self) -> Options:
        """The options with the changes that were made while it was played."""
        return self.game.options_at(self.position, self.options)

    @cached_property
    def stopped(self) -> Event | None:
        """The event that ended the match early; None if there is none, or the rules ended it."""
        if self.position.over:
            return None
        stops = (event for event in reversed(self.events) if event.kind == kinds.STOPPED)
        return next((event for event in stops if event.id not in self.disabled), None)

    @property
    def moment(self) -> str:
        """The moment that pages show; see `moment_of`."""
        return moment_of(self.number, self.position.fingerprint)

    @property
    def is_over(self) -> bool:
        """Whether nothing can be entered any more: by the rules, or because it was ended early."""
        return self.position.over or self.stopped is not None or self.ended is not None

    @property
    def is_kept(self) -> bool:
        """Whether it is over, and today's rules contradict its log: it stays as it was saved.

        One that was ended early can be resumed.
        """
        return self.ended is not None or (bool(self.aside) and self.stopped is not None)

    @property
    def ended_at(self) -> datetime | None:
        """The time of the last entry, or of the early end, if the match is over."""
        if self.stopped is not None:
            return self.stopped.at
        return self.entries[-1].at if self.position.over and self.entries else self.ended

    def record(self, unseen: Container[str] = ()) -> Document:
        """The match as a `companion-record/1`: the entries that count now, and those set aside.

        Args:
            unseen: the ids of entries that are left out.
        """
        entries = (entry for entry in (*self.entries, *self.aside) if entry.id not in unseen)
        return {
            "format": RECORD_FORMAT,
            "game": self.game.name,
            **rules_field(self.rules),
            "players": list(self.first.players),
            "options": dict(self.options),
            "actions": [dict(entry.action) for entry in entries],
        }

    def closes(self, action: Action) -> bool:
        """Whether the action closes the step for those who have not acted."""
        return self.game.close is not None and action.get("do") == self.game.close["do"]

    @cached_property
    def skip(self) -> Skip | None:
        """The players who were skipped when the step before the present one was closed."""
        position = self.position
        for index in range(len(self.entries) - 1, -1, -1):
            entry = self.entries[index]
            if entry.turn < position.turn - 1:
                return None
            if self.closes(entry.action):
                before = self.position_before(index)
                is_last = before.step >= position.step - 1
                return Skip(entry, before) if is_last and before.awaited else None
        return None

    def skipping(self, player: Player | None, fingerprint: str) -> Entry | None:
        """The entry that closed the step of this fingerprint for a player who had not acted."""
        position = self.first
        for entry in self.entries:
            is_close = self.closes(entry.action) and position.fingerprint == fingerprint
            if is_close and player in position.awaited:
                return entry
            position = _position_after(position, entry.action)
        return None

    @property
    def is_taken_back(self) -> bool:
        """Whether anything of this turn was undone: then nothing happens automatically."""
        turn = self.position.turn
        last = next((entry.id for entry in reversed(self.entries) if entry.turn < turn), "")
        since = takewhile(lambda event: event.id != last, reversed(self.events))
        return any(event.kind == kinds.UNDO for event in since)

    def position_before(self, index: int) -> Position:
        """The position before entry `index`."""
        back = len(self.entries) - index
        if back < len(self.recent):
            return self.recent[-1 - back]
        position = self.first
        for entry in self.entries[:index]:
            position = _position_after(position, entry.action)
        return position

    def index_of(self, entry_id: str) -> int | None:
        """The index of an entry among those that count."""
        places = range(len(self.entries) - 1, -1, -1)
        return next((place for place in places if self.entries[place].id == entry_id), None)

    def action_of(self, entry_id: str) -> Action | None:
        """The action of an entry as it counts now; None when it does not."""
        index = self.index_of(entry_id)
        return None if index is None else self.entries[index].action

    def event(self, event_id: str) -> Event | None:
        """The match's event of this id, even if it is undone."""
        return next((event for event in reversed(self.events) if event.id == event_id), None)

    def with_events(self, events: Sequence[Event], played: Position | None = None) -> Match:
        """The match after further events.

        Args:
            played: the position after them, if it is known; it saves playing a single action
                twice.
        """
        if len(events) == 1 and events[0].kind == kinds.ACTION and played is not None:
            return self._with_action(events[0], played)
        disabled = set(self.disabled)
        for event in events:
            if event.kind == kinds.UNDO:
                disabled.update(_toggled_by(event))
            elif event.kind == kinds.REDO:
                disabled.difference_update(_toggled_by(event))
            elif event.kind == kinds.SET_ASIDE:
                disabled.update(event.body["events"])
        return self._replayed((*self.events, *events), frozenset(disabled))

    def set_aside(self) -> Document:
        """The body of a `SET_ASIDE` about `aside`."""
        first = self.aside[0]
        return {"events": [entry.id for entry in self.aside], "turn": first.turn}

    def toggled(self, event_id: str) -> Match | Misfit:
        """The match with an event undone, or redone if it is undone; or what no longer fits.

        An implied or automatic entry before it goes and comes with it.
        """
        return self._undone(event_id) or self._redone(event_id)

    def _undone(self, event_id: str) -> Match | Misfit | None:
        if event_id in self.disabled:
            return None
        result = self._rebuilt(self.events, self.disabled | {event_id})
        if isinstance(result, Misfit) or not result.entries:
            return result
        last, event = result.entries[-1], self.event(event_id)
        both_automatic = last.is_automatic and event is not None and "alone" in event.body
        if not (last.is_implied or both_automatic):
            return result
        return self._rebuilt(self.events, self.disabled | {event_id, last.id})

    def _redone(self, event_id: str) -> Match | Misfit:
        undos = (event for event in reversed(self.events) if event.kind == kinds.UNDO)
        undo = next(event for event in undos if event.body["event"] == event_id)
        return self._rebuilt(self.events, self.disabled - set(_toggled_by(undo)))

    def _with_action(self, event: Event, after: Position) -> Match:
        return replace(
            self,
            events=(*self.events, event),
            entries=(*self.entries, _entry(event, event.body["action"], self.position.turn)),
            recent=(*(self.recent or (self.first,)), after)[-RECENT_POSITIONS:],
        )

    def _rebuilt(self, events: tuple[Event, ...], disabled: frozenset[str]) -> Match | Misfit:
        """The match with other events, or the first entry that does not fit."""
        result = self._replayed(events, disabled)
        return result.misfit or result

    def _replayed(self, events: tuple[Event, ...], disabled: frozenset[str]) -> Match:
        """The match with other events; replays from the first entry that differs."""
        counting = list(_counting_actions(events, disabled))
        same = 0
        for (event, action), entry in zip(counting, self.entries, strict=False):
            if (event.id, action) != (entry.id, entry.action):
                break
            same += 1
        position = self.position_before(same)
        entries = list(self.entries[:same])
        undone = len(self.entries) - same
        known = self.recent[: max(len(self.recent) - undone, 0)] or (position,)
        recent = deque(known, maxlen=RECENT_POSITIONS)
        aside: list[Entry] = []
        misfit: Misfit | None = None
        for event, action in counting[same:]:
            entry = _entry(event, action, position.turn)
            if misfit is not None:
                aside.append(entry)
                continue
            result = play_action(position, action)
            if isinstance(result, Refusal):
                misfit = Misfit(entry.id, entry.by, entry.turn, result)
                aside.append(entry)
                continue
            position = result
            entries.append(entry)
            recent.append(position)
        return replace(
            self,
            events=events,
            disabled=disabled.union(entry.id for entry in aside),
            entries=tuple(entries),
            recent=tuple(recent),
            aside=tuple(aside),
            misfit=misfit,
        )


def _toggled_by(event: Event) -> tuple[str, ...]:
    """The ids of the events that an undo or a redo is about."""
    return (event.body["event"], *event.body.get("with", ()))


def player_of_action(action: Action | None) -> Player | None:
    """The player whose sheet an action is for."""
    return clean_name(action.get("by")) if action else None


def _counting_actions(
    events: Sequence[Event], disabled: frozenset[str]
) -> Iterator[tuple[Event, dict[str, Any]]]:
    """The actions that count, in order, with the events that made their entries."""
    corrected: dict[str, dict[str, Any] | None] = {}
    for event in events:
        if event.kind in (kinds.REPLACE, kinds.INSERT) and event.id not in disabled:
            if event.kind == kinds.REPLACE:
                corrected[event.body["entry"]] = event.body["action"]
            corrected.update(event.body["fixes"])
    for event in _in_order(events):
        if event.id not in disabled:
            action = corrected.get(event.id, event.body["action"])
            if action is not None:
                yield event, action


def _in_order(events: Sequence[Event]) -> list[Event]:
    """The events that made entries, each insertion before its entry."""
    order: list[Event] = []
    ids: list[str] = []
    for event in events:
        if event.kind in kinds.ENTRY_KINDS:
            place = len(ids)
            if event.kind == kinds.INSERT:
                if event.body["before"] not in ids:
                    raise damaged("an entry is not there")
                place = ids.index(event.body["before"])
            order.insert(place, event)
            ids.insert(place, event.id)
    return order


def _entry(event: Event, action: Action, turn: int) -> Entry:
    return Entry(
        event.id,
        action,
        player_of_action(action),
        turn,
        event.actor,
        event.member,
        event.at,
        is_implied="unsaid" in event.body,
        is_automatic="alone" in event.body,
    )


def _position_after(position: Position, action: Action) -> Position:
    result = play_action(position, action)
    if isinstance(result, Refusal):  # an entry that counts has been played before
        raise RuntimeError(result.message)
    return result
