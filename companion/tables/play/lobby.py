"""The lobby, before, between and after matches: game, seats, seating order, holders of seats.

Every function changes a table through the `TableChange` it is given, or raises `Refused`.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa

from companion.core.game import Game
from companion.core.position import Position, game_over
from companion.core.refusal import Unusable
from companion.core.values import Options
from companion.games.catalog import GAMES
from companion.games.record import checked_options, rules_field
from companion.tables.database.columns import new_id
from companion.tables.database.schema import members
from companion.tables.ledger import events as kinds
from companion.tables.ledger.change import TableChange
from companion.tables.ledger.names import checked_color, checked_seat_name, free_color
from companion.tables.ledger.state import SeatState
from companion.tables.ledger.table_settings import SETTINGS
from companion.tables.refusals import Refused

DRAW: Final = secrets.SystemRandom()  # Draws the starting player, unpredictably


def checked_game(name: object, options: object) -> tuple[Game, Options]:
    """The game of a public name, and all its options with the defaults filled in.

    Raises:
        Refused: `no-such-game`, `bad-option`.
    """
    if not isinstance(name, str) or name not in GAMES:
        raise Refused("no-such-game")
    game = GAMES[name]
    try:
        return game, checked_options(game, {} if options is None else options)
    except Unusable as error:
        raise Refused("bad-option") from error


def set_game(change: TableChange, name: object, options: object = None) -> None:
    """Chooses the game; raises `table-full` when more people sit there than may play it."""
    change.require_host()
    change.require_lobby()
    game, checked = checked_game(name, options)
    if len(change.state.seats) > game.max_players:
        raise Refused("table-full", most=game.max_players)
    if (game.name, checked) != (change.state.game, change.state.options):
        change.append(kinds.GAME_CHOSEN, {"game": game.name, "options": dict(checked)})


def add_seat(change: TableChange, raw_name: object, color: object = "", take: bool = False) -> int:
    """Adds a seat, held by this device with `take`; returns the seat's id.

    An empty `color` stands for the first one that nobody has.
    """
    me = change.require_player()
    change.require_lobby()
    state = change.state
    name = checked_seat_name(raw_name, (seat.name for seat in state.seats))
    most = GAMES[state.game].max_players
    if len(state.seats) >= most:
        raise Refused("table-full", most=most)
    chosen = checked_color(color) if color else free_color(seat.color for seat in state.seats)
    body = {"name": name, "color": chosen, "holder": me.id if take else None}
    change.append(kinds.SEAT_ADDED, {"seat": state.next_seat, **body})
    return state.next_seat


def seat_newcomers(change: TableChange, position: Position) -> None:
    """Adds a seat for each player of a position who has none: a game let somebody join."""
    for player in position.players:
        state = change.state
        if state.seat_named(player) is None:
            name = checked_seat_name(player, (seat.name for seat in state.seats))
            color = free_color(seat.color for seat in state.seats)
            body = {"seat": state.next_seat, "name": name, "color": color, "holder": None}
            change.append(kinds.SEAT_ADDED, body)


def rename_seat(
    change: TableChange, seat_id: object, raw_name: object, color: object = None
) -> None:
    """Changes a seat's name, and its color unless that is None."""
    seat = _own_seat(change, seat_id)
    others = (other.name for other in change.state.seats if other.id != seat.id)
    name = checked_seat_name(raw_name, others)
    new_color = seat.color if color is None else checked_color(color)
    if (name, new_color) == (seat.name, seat.color):
        return
    body = {"seat": seat.id, "name": name, "color": new_color, "old": seat.name}
    change.append(kinds.SEAT_RENAMED, body)


def remove_seat(change: TableChange, seat_id: object) -> None:
    """Removes a seat, which the host and its holder may do."""
    seat = _own_seat(change, seat_id)
    change.append(kinds.SEAT_REMOVED, {"seat": seat.id, "name": seat.name})


def order_seats(change: TableChange, ids: Sequence[object]) -> None:
    """Seats the players clockwise in the order of `ids`, which has every seat once."""
    change.require_host()
    change.require_lobby()
    present = [seat.id for seat in change.state.seats]
    if not all(isinstance(seat, int) for seat in ids) or sorted(ids) != sorted(present):  # type: ignore[type-var]
        raise Refused("no-such-seat")
    if list(ids) != present:
        change.append(kinds.SEATS_ORDERED, {"seats": list(ids), "drawn": False})


def start_with(change: TableChange, seat_id: object) -> None:
    """Rotates the seating order so that this seat starts."""
    change.require_host()
    change.require_lobby()
    seat = seat_with_id(change, seat_id)
    if change.state.seats[0] != seat:
        _rotate_to(change, seat, drawn=False)


def shuffle_start(change: TableChange) -> int:
    """Draws the starting seat by lot and returns its id; the clockwise order stays."""
    change.require_host()
    change.require_lobby()
    if not change.state.seats:
        raise Refused("too-few-players", least=GAMES[change.state.game].min_players)
    seat = DRAW.choice(change.state.seats)
    _rotate_to(change, seat, drawn=True)
    return seat.id


def start(change: TableChange) -> None:
    """Starts the match with the players as they sit."""
    change.require_host()
    change.require_lobby()
    _start(change, change.state.seats, change.state.options or {})


def again(change: TableChange, number: int | None = None) -> None:
    """Starts the next match with the same players; the start moves one seat on.

    Args:
        number: the match that is over. Once another one was started, nothing changes: two players
            may tap at the same moment.
    """
    me = change.require_player()
    if me.role != "host" and not change.state.held_by(me.id):
        raise Refused("not-host")
    if number is not None and number < change.state.number:
        return
    match = change.state.match
    if match is None or not match.is_over:
        raise Refused("not-over")
    seats = [seat for seat in change.state.seats if seat.name in match.position.present]
    _start(change, (*seats[1:], seats[0]), match.options_now)


def stop(change: TableChange, number: int | None = None) -> None:
    """Ends the match of this number early, without a winner; it can be undone like an entry."""
    change.require_host()
    _require_number(change, number)
    match = change.state.match
    if match is None or not match.entries:
        raise Refused("not-started")
    if match.is_over:
        raise Refused(game_over())
    body = {"entry": "", "old": None, "action": None}
    change.append(kinds.STOPPED, body, new_id())


def to_lobby(change: TableChange, number: int | None = None) -> None:
    """Goes back to the lobby from the match of this number, unless something is entered in it."""
    change.require_host()
    _require_number(change, number)
    match = change.state.match
    if match is None:
        return
    if not match.is_over and match.entries:
        raise Refused("not-over")
    change.append(kinds.LOBBY, {})
    if match.options_now != change.state.options:
        game = {"game": match.game.name, "options": dict(match.options_now)}
        change.append(kinds.GAME_CHOSEN, game)


def _require_number(change: TableChange, number: int | None) -> None:
    """Raises `Refused` with `earlier-game` if the page showed an earlier match; None fits any."""
    if number is not None and number < change.state.number:
        raise Refused("earlier-game")


def take_seat(change: TableChange, seat_id: object, *, is_held: bool = False) -> None:
    """Gives a free seat to this device; one that another device holds only with `is_held`."""
    me = change.require_player()
    seat = seat_with_id(change, seat_id)
    if seat.holder == me.id:
        return
    if seat.holder is not None and not is_held:
        raise Refused("seat-taken", player=seat.name)
    before = {} if seat.holder is None else {"before": seat.holder}
    change.append(kinds.SEAT_TAKEN, {"seat": seat.id, "name": seat.name, "holder": me.id, **before})


def return_seat(change: TableChange, seat_id: object) -> None:
    """Gives a seat back to the device from which its holder took it, if it did."""
    change.require_player()
    seat = seat_with_id(change, seat_id)
    before = change.state.taken_from(seat)
    if before is None:
        return
    here = sa.select(members.c.id).where(
        members.c.id == before, members.c.table_id == change.table_id
    )
    holder = change.connection.execute(here).scalar()  # None for one that was sent away since
    change.append(kinds.SEAT_BACK, {"seat": seat.id, "name": seat.name, "holder": holder})


def release_seat(change: TableChange, seat_id: object) -> None:
    """Frees a seat, for its holder and the host."""
    me = change.require_player()
    seat = seat_with_id(change, seat_id)
    if seat.holder is None:
        return
    if seat.holder != me.id:
        change.require_host()
    change.append(kinds.SEAT_RELEASED, {"seat": seat.id, "name": seat.name})


def set_setting(change: TableChange, name: str, value: object) -> None:
    """Sets one of `SETTINGS`, for the host; raises `Refused` with `bad-tap` for another value."""
    change.require_host()
    setting = SETTINGS[name]
    if value not in setting.choices or type(value) is not type(setting.choices[0]):
        raise Refused("bad-tap", why=setting.kind)
    if value != getattr(change.state, name):
        change.append(setting.kind, {setting.key: value})


def seat_with_id(change: TableChange, seat_id: object) -> SeatState:
    """The seat; raises `Refused` with `no-such-seat`."""
    seat = change.state.seat(seat_id) if isinstance(seat_id, int) else None
    if seat is None:
        raise Refused("no-such-seat")
    return seat


def _own_seat(change: TableChange, seat_id: object) -> SeatState:
    """A seat that this device may rename or remove: the host any seat, a player their own."""
    me = change.require_player()
    seat = seat_with_id(change, seat_id)
    if me.role != "host" and seat.holder != me.id:
        raise Refused("not-host")
    change.require_lobby()
    return seat


def _rotate_to(change: TableChange, first: SeatState, *, drawn: bool) -> None:
    seats = change.state.seats
    place = seats.index(first)
    order = [seat.id for seat in (*seats[place:], *seats[:place])]
    change.append(kinds.SEATS_ORDERED, {"seats": order, "drawn": drawn})


def _start(change: TableChange, seats: Sequence[SeatState], options: Options) -> None:
    state = change.state
    game = GAMES[state.game]
    if len(seats) < game.min_players:
        raise Refused("too-few-players", least=game.min_players)
    if len(seats) > game.max_players:
        raise Refused("table-full", most=game.max_players)
    players: list[dict[str, Any]] = [
        {"seat": seat.id, "name": seat.name, "color": seat.color} for seat in seats
    ]
    body = {"game": game.name, "options": dict(options), "players": players}
    change.append(kinds.START, {"number": state.number + 1, **rules_field(game.rules), **body})
