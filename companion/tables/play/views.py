"""A table as pages show it: the whole state at one version, for one device."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from companion.core.game import Game
from companion.core.position import Position
from companion.core.values import Action, Options, Player
from companion.games.catalog import GAMES
from companion.games.others import kept_game
from companion.tables.ledger import rights
from companion.tables.ledger.events import Event
from companion.tables.ledger.match import Entry, Skip
from companion.tables.ledger.rights import Audience, Member, Role
from companion.tables.ledger.state import Phase, SeatState, State
from companion.tables.ledger.table_settings import TableSettings, settings_of
from companion.tables.play.concealing import concealed


class Seat(NamedTuple):
    """A seat, as one device sees it."""

    id: int
    name: str
    color: str
    held: bool  # whether a device holds it
    mine: bool  # whether this device holds it
    may_enter: bool  # whether this device may write on its sheet


@dataclass(frozen=True, slots=True)
class Call:
    """A call that its player may still change, as one device sees it."""

    entry: str  # the id of the entry that made it, for a tap's `final`
    player: str
    is_made_here: bool  # whether this device makes it, and so may write already
    may_make_final: bool
    # Whether its player is about to make another one, such as a second roll.
    is_made_again: bool
    wait: int  # the seconds that this device has to wait until it may make the call final
    tapped: int  # the version of the table with the caller's last tap


@dataclass(frozen=True, slots=True, kw_only=True)
class Table(TableSettings):
    """A table at one version, as one device sees it."""

    id: str
    version: int
    phase: Phase
    game: Game
    options: Options
    number: int  # the match's number at this table, from 1; 0 before the first
    seats: tuple[Seat, ...]  # the seats clockwise; the first one starts
    me: Member
    position: Position | None  # the present position; None in the lobby
    # The position without the entries that are concealed from this device
    shown: Position | None
    hidden: frozenset[Player]  # the players whose entries are concealed
    entries: tuple[Entry, ...]  # the entries that count and that this device sees, in order
    log: tuple[Event, ...]  # the last events that this device sees, the newest one last
    stopped: bool  # whether the match was ended early, so that nobody has won
    # The action for closing the step for all who have not acted, if this device may.
    close: Action | None
    # The players skipped when the previous step was closed, and who closed it.
    skip: Skip | None
    # The step that this device can undo; a tap may still be refused, see `rights.undoable_event`
    undoable: Event | None
    redoable: Event | None
    call: Call | None  # the call that is not final yet; None when everybody may write
    state: State = field(compare=False, repr=False)

    @property
    def moment(self) -> str:
        """The moment that this page shows, for the taps on it; see `events.moment_of`."""
        return self.state.moment

    @property
    def title(self) -> str:
        """The title of the game that is played here, even if the catalogue does not have it."""
        return kept_game(self.game, self.options).title_of(self.options)

    @property
    def is_founder(self) -> bool:
        """Whether this device made the table: it may be the host at any time, and delete it."""
        return self.me.id == self.state.founder

    @property
    def may_end(self) -> bool:
        """Whether this device may end the match; see `rights.may_end`."""
        return rights.may_end(self.state, self.me)

    @property
    def has_other_devices(self) -> bool:
        """Whether others play on other devices, so that calls made here are open at first."""
        if self.position is None:
            return False
        return rights.has_other_devices(self.state, self.me.id, self.position.active)

    def seat_named(self, name: str) -> Seat | None:
        """The seat of this name; None where there is none."""
        return next((seat for seat in self.seats if seat.name == name), None)


@dataclass(frozen=True, slots=True)
class TableLine:
    """A table in the list of the tables where a device sits."""

    id: str
    game: Game  # or the typed title of a game that the catalogue does not have
    names: tuple[str, ...]  # the players, in seating order
    phase: Phase
    role: Role
    changed_at: datetime


def table_seen_by(audience: Audience, device: str, now: int) -> Table | None:
    """The table as a device sees it; None where it is no longer at the table.

    Args:
        device: the hash of its token; see `columns.device_hash`.
        now: milliseconds since 1970.
    """
    member = audience.members.get(device)
    return None if member is None else table_for(audience.table_id, audience.state, member, now)


def table_for(table_id: str, state: State, me: Member, now: int) -> Table:
    """The table as the member's device sees it; `now` has milliseconds since 1970."""
    match = state.match
    entries, log = match.entries if match else (), state.log
    secret = concealed(state, me)
    if secret is not None:
        entries = tuple(entry for entry in entries if entry.id not in secret.entries)
        log = tuple(event for event in log if not secret.hides(event, me))
    concealed_entries = secret.entries.values() if secret else ()
    position = match.position if match else None
    return Table(
        id=table_id,
        version=state.version,
        phase=state.phase,
        game=match.game if match else GAMES[state.game],
        options=match.options_now if match else state.options or {},
        number=state.number,
        **settings_of(state),
        seats=tuple(_seat(state, me, seat) for seat in state.seats),
        me=me,
        position=position,
        shown=secret.position if secret else position,
        hidden=frozenset(entry.by for entry in concealed_entries if entry.by),
        entries=entries,
        log=log,
        stopped=match is not None and match.stopped is not None,
        close=_close(state, me),
        skip=match.skip if match else None,
        undoable=rights.undoable_event(state, me),
        redoable=rights.redoable_event(state, me),
        call=_call(state, me, now),
        state=state,
    )


def _seat(state: State, me: Member, seat: SeatState) -> Seat:
    return Seat(
        id=seat.id,
        name=seat.name,
        color=seat.color,
        held=seat.holder is not None,
        mine=seat.holder == me.id,
        may_enter=rights.may_enter(state, me, seat),
    )


def _close(state: State, me: Member) -> Action | None:
    match = state.match
    if match is None or match.game.close is None or match.is_over:
        return None
    active = match.position.active
    if active in match.position.awaited or not rights.may_close(state, me, active):
        return None
    by = rights.closing_player(state, me, active)
    return {**match.game.close, "by": by} if by else match.game.close


def _call(state: State, me: Member, now: int) -> Call | None:
    call = rights.open_call(state)
    if call is None:
        return None
    is_here = me.role != "viewer" and rights.is_callers_device(state, me, call)
    may = me.role != "viewer" and rights.may_make_final(state, me, call)
    wait = rights.wait_for_caller(state, me, call, now)
    return Call(call.entry, call.player, is_here, may, call.is_made_again, wait, call.tapped.seq)
