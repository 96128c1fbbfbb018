"""A table's state, folded from its events: its seats, its options and its match.

Pure: no database and no clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

from companion.core.position import Position
from companion.core.refusal import NewerRules
from companion.core.values import Options
from companion.games.catalog import GAMES
from companion.tables.ledger import events as kinds
from companion.tables.ledger.events import Event, damaged
from companion.tables.ledger.match import Match
from companion.tables.ledger.table_settings import SETTING_KINDS, TableSettings
from companion.tables.refusals import Refused

Phase: TypeAlias = Literal["lobby", "playing", "over"]

# Limit of the events that a state keeps for pages; the database keeps all of them
LOG_LINES: Final = 400


@dataclass(frozen=True, slots=True)
class SeatState:
    """A seat, without what depends on the viewer."""

    id: int
    name: str
    color: str
    holder: str | None = None  # the member whose device holds the seat

    @property
    def held(self) -> bool:
        return self.holder is not None


@dataclass(frozen=True)
class State(TableSettings):
    """A table at one version."""

    version: int = 0
    game: str = ""
    options: Options | None = None
    seats: tuple[SeatState, ...] = ()  # the seats clockwise; the first one starts
    next_seat: int = 1
    # The member whose device is the host's; None before the first event.
    host: str | None = None
    founder: str | None = None  # the member whose device made the table, and was its first host
    number: int = 0  # the number of the match, from 1; 0 before the first
    match: Match | None = None  # the match that is played or was played last; None in the lobby
    # The last call that its player made final; see `rights.final_call`.
    final_call: Mapping[str, Any] | None = None
    # The id of the call that its player is about to make again.
    call_made_again: str | None = None
    tapped: Mapping[str, Any] | None = None  # the last `DICE_TAPPED`; it only matters in its moment
    log: tuple[Event, ...] = ()  # the last events, the newest one last

    @property
    def phase(self) -> Phase:
        """The table's phase: `lobby`, `playing`, or `over` after the match."""
        if self.match is None:
            return "lobby"
        return "over" if self.match.is_over else "playing"

    @property
    def weight(self) -> int:
        """How many events the state keeps in memory; the match's last ones are in the log, too."""
        return max(len(self.log), len(self.match.events) if self.match else 0)

    @property
    def moment(self) -> str:
        """The moment that pages show (see `events.moment_of`); empty in the lobby."""
        return self.match.moment if self.match else ""

    def is_played_on_from(self, earlier: State) -> bool:
        """Whether only taps came after the earlier state, so that nobody came, left or moved."""
        if self.version <= earlier.version:
            return self.version == earlier.version
        for event in reversed(self.log):
            if event.seq <= earlier.version:
                return True
            if event.kind not in kinds.TAP_KINDS:
                return False
        return bool(self.log) and self.log[0].seq == earlier.version + 1

    def require_match(self, undo: str | None = None) -> Match:
        """The match, for a change to it.

        Args:
            undo: the event that the change undoes, if any.

        Raises:
            Refused: `not-started` in the lobby; `old-rules` where it `is_kept`.
        """
        if self.match is None:
            raise Refused("not-started")
        stopped = self.match.stopped
        if self.match.is_kept and (stopped is None or stopped.id != undo):
            raise Refused("old-rules")
        return self.match

    def seat(self, seat_id: int) -> SeatState | None:
        """The seat of this id; None where there is none."""
        return next((seat for seat in self.seats if seat.id == seat_id), None)

    def seat_named(self, name: str) -> SeatState | None:
        """The seat of this name; None where there is none."""
        return next((seat for seat in self.seats if seat.name == name), None)

    def held_by(self, member: str) -> tuple[SeatState, ...]:
        """The seats that a member's device plays for."""
        return tuple(seat for seat in self.seats if seat.holder == member)

    def taken_from(self, seat: SeatState) -> str | None:
        """The member who held the seat before its holder took it; None for any other holder."""
        for event in reversed(self.log):
            if event.kind in kinds.SEAT_KINDS and event.body["seat"] == seat.id:
                is_theirs = event.kind == kinds.SEAT_TAKEN and event.body["holder"] == seat.holder
                return event.body.get("before") if is_theirs else None
        return None

    def after(self, events: Iterable[Event], played: Position | None = None) -> State:
        """The state after further events, the next ones in order; see `Match.with_events`.

        Raises:
            Refused: `damaged-table`; `unknown-game` or `newer-rules`, of a later version of the
                program.
        """
        state = self
        match_events: list[Event] = []  # one replay plays a whole match, however often corrected
        lines: list[Event] = []
        last: Event | None = None
        for event in events:
            last = event
            # It only matters in its moment, and so many would push everything else out.
            if event.kind != kinds.DICE_TAPPED:
                lines.append(event)
            if event.kind in kinds.MATCH_KINDS:
                match_events.append(event)
                continue
            changes = _CHANGES[event.kind](state, event.body)
            if "match" in changes:
                match_events = []
            state = replace(state, **changes, version=event.seq)
            if event.kind == kinds.MADE:
                state = replace(state, host=event.member, founder=event.member)
            if event.kind == kinds.START:
                state = replace(state, match=_new_match(state, event))
            if event.kind == kinds.ERASED:
                state, lines = replace(state, log=()), []
        if last is None:
            return self
        match = state.match
        if match is not None and match_events:
            match = match.with_events(match_events, played)
        log = (*state.log, *lines)[-LOG_LINES:]
        return replace(state, match=match, version=last.seq, log=log)

    def seats_with(self, seat_id: int, **changes: Any) -> tuple[SeatState, ...]:
        """All seats, with some fields of one seat changed."""
        return tuple(
            replace(seat, **changes) if seat.id == seat_id else seat for seat in self.seats
        )


_Body: TypeAlias = Mapping[str, Any]
_Changes: TypeAlias = dict[str, Any]


def _made(state: State, body: _Body) -> _Changes:
    if body["game"] not in GAMES:
        raise Refused("unknown-game")
    return {"game": body["game"], "options": body["options"]}


def _seat_added(state: State, body: _Body) -> _Changes:
    seat = SeatState(body["seat"], body["name"], body["color"], body["holder"])
    return {"seats": (*state.seats, seat), "next_seat": seat.id + 1}


def _seat_renamed(state: State, body: _Body) -> _Changes:
    return {"seats": state.seats_with(body["seat"], name=body["name"], color=body["color"])}


def _seat_removed(state: State, body: _Body) -> _Changes:
    return {"seats": tuple(seat for seat in state.seats if seat.id != body["seat"])}


def _seats_ordered(state: State, body: _Body) -> _Changes:
    return {"seats": _seats(state, body["seats"])}


def _seats(state: State, ids: Iterable[int]) -> tuple[SeatState, ...]:
    found = [state.seat(seat) for seat in ids]
    if None in found:
        raise damaged("a seat is not there")
    return tuple(filter(None, found))


def _seat_taken(state: State, body: _Body) -> _Changes:
    return {"seats": state.seats_with(body["seat"], holder=body["holder"])}


def _seat_released(state: State, body: _Body) -> _Changes:
    return {"seats": state.seats_with(body["seat"], holder=None)}


def _seat_back(state: State, body: _Body) -> _Changes:
    return {} if "holder" not in body else _seat_taken(state, body)


def _link_revoked(state: State, body: _Body) -> _Changes:
    return {
        "seats": tuple(
            replace(seat, holder=None) if seat.holder in body["members"] else seat
            for seat in state.seats
        )
    }


def _start(state: State, body: _Body) -> _Changes:
    return {
        **_made(state, body),
        "match": None,
        "number": body["number"],
        "seats": _seats(state, (player["seat"] for player in body["players"])),
    }


def _erased(state: State, body: _Body) -> _Changes:
    """The state without a deleted match, which leaves its number and its seating order only."""
    # The event is where the match began (`start`), and again where it was deleted, for
    # processes that had folded the match before
    if "number" not in body:
        return {}
    ends_game = body["start"] or state.number == body["number"]
    seats = [seat for wanted in body["seats"] if (seat := state.seat(wanted)) is not None]
    others = [seat for seat in state.seats if seat.id not in body["seats"]]
    over = {"match": None} if ends_game else {}
    number = max(state.number, body["number"])
    return {**over, "number": number, "seats": (*seats, *others)}


_CHANGES: Final[Mapping[str, Callable[[State, _Body], _Changes]]] = {
    kinds.MADE: _made,
    kinds.GAME_CHOSEN: _made,
    kinds.SEAT_ADDED: _seat_added,
    kinds.SEAT_RENAMED: _seat_renamed,
    kinds.SEAT_REMOVED: _seat_removed,
    kinds.SEATS_ORDERED: _seats_ordered,
    kinds.SEAT_TAKEN: _seat_taken,
    kinds.SEAT_RELEASED: _seat_released,
    kinds.SEAT_LENT: lambda state, body: {},
    kinds.SEAT_BACK: _seat_back,
    kinds.CALL_CONFIRMED: lambda state, body: {"final_call": body, "call_made_again": None},
    kinds.CALL_REOPENED: lambda state, body: {
        "call_made_again": body["entry"] if body["on"] else None,
        "final_call": None,
    },
    kinds.DICE_TAPPED: lambda state, body: {"tapped": body},
    kinds.JOINED: lambda state, body: {},
    kinds.HOST_CHANGED: lambda state, body: {"host": body["member"]},
    kinds.LINK_MADE: lambda state, body: {},
    kinds.LINK_REVOKED: _link_revoked,
    kinds.LOBBY: lambda state, body: {"match": None},
    kinds.ERASED: _erased,
    kinds.START: _start,
} | {kind: setting.changes for kind, setting in SETTING_KINDS.items()}


def _new_match(state: State, event: Event) -> Match:
    rules = event.body.get("rules", 1)
    try:
        game = GAMES[state.game].by_rules(rules)
    except NewerRules as error:
        raise Refused("newer-rules") from error
    players = tuple(player["name"] for player in event.body["players"])
    options = state.options or {}
    first = game.start(players, options)
    return Match(state.number, game, options, event.at, first, rules=rules)
