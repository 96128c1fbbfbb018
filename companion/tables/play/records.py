"""Game records (`companion-record/1`): a table's match as a record, a new table from a record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from companion.core.position import Position
from companion.core.refusal import Refusal, Unusable
from companion.core.values import Document, Player
from companion.games.record import Record, play_action, rules_field
from companion.tables.database.columns import new_id
from companion.tables.ledger import events as kinds
from companion.tables.ledger.change import TableChange
from companion.tables.ledger.events import LONGEST_ACTION, Event, encode
from companion.tables.ledger.match import Match
from companion.tables.ledger.names import SEAT_COLORS, checked_name
from companion.tables.ledger.state import State
from companion.tables.play.lobby import seat_newcomers
from companion.tables.refusals import Refused

COLORS: Final = "colors"  # in a record, of the seats, in the order of its players
MOST_ACTIONS: Final = 2_000  # in an imported record; the longest real match has about 150


def match_number(events: Iterable[Event], number: int) -> Match:
    """Match `number` of a table, at the start of the next one.

    Args:
        events: the table's log from its beginning.

    Raises:
        Refused: `not-started`, when there is no such match, or it was deleted; or as `State.after`.
    """
    upto: list[Event] = []
    started = False
    for event in events:
        erased_start = event.kind == kinds.ERASED and event.body.get("start")
        if started and (event.kind in (kinds.START, kinds.LOBBY) or erased_start):
            break
        started = started or (event.kind == kinds.START and event.body["number"] == number)
        upto.append(event)
    match = State().after(upto).match
    if not started or match is None:
        raise Refused("not-started")
    return match


def played(record: Record) -> list[Position]:
    """The first position and the one after each of the record's actions, which are all legal.

    Raises:
        Unusable: the record is larger than any real one.
        Refused: the first action that the rules do not allow; `index` says which.
    """
    if len(record.actions) > MOST_ACTIONS:
        raise Unusable(f"A record may have at most {MOST_ACTIONS} actions.")
    positions = [record.first_position()]
    for index, action in enumerate(record.actions):
        result = play_action(positions[-1], action)
        if isinstance(result, Refusal):
            raise Refused(result, index=index)
        positions.append(result)
        try:
            too_long = len(encode(action)) > LONGEST_ACTION
        except (ValueError, TypeError, RecursionError) as error:
            raise Unusable(f"Action {index} cannot be kept as JSON.") from error
        if too_long:
            raise Unusable(f"Action {index} is too long.")
    return positions


def with_colors(record: Document, seats: Mapping[Player, str]) -> Document:
    """The record with the colors of the players' seats, where they are not the usual ones.

    Rules and `replay` ignore them.

    Args:
        seats: color by name. Without a color for each player the record stays as it is.
    """
    colors = list(map(seats.get, record["players"]))
    if None in colors or colors == usual_colors(len(colors)):
        return record
    return {**record, COLORS: colors}


def usual_colors(count: int) -> list[str]:
    return [SEAT_COLORS[seat % len(SEAT_COLORS)] for seat in range(count)]


def colors_in(document: object, count: int) -> list[str]:
    """The colors that a record names; the usual ones where it names none, or other ones."""
    named = document.get(COLORS) if isinstance(document, dict) else None
    if not isinstance(named, list) or len(named) != count:
        return usual_colors(count)
    return named if all(color in SEAT_COLORS for color in named) else usual_colors(count)


def fill(
    change: TableChange,
    record: Record,
    positions: Sequence[Position],
    colors: Sequence[str],
    table_key: str,
) -> None:
    """Fills a new table with a record; its host holds no seat.

    Args:
        positions: the record as `played`.
        colors: of the players' seats, in the record's order.
        table_key: see `Store.make`.

    Raises:
        Refused: `bad-name`; a seat cannot have a player's name.
    """
    names = list(map(checked_name, record.players))
    game = {"game": record.game.name, "options": dict(record.options)}
    change.append(kinds.MADE, game, table_key)
    players: list[dict[str, Any]] = []
    for seat, (name, color) in enumerate(zip(names, colors, strict=True), start=1):
        change.append(
            kinds.SEAT_ADDED, {"seat": seat, "name": name, "color": color, "holder": None}
        )
        players.append({"seat": seat, "name": name, "color": color})
    rules = rules_field(record.rules)
    change.append(kinds.START, {"number": 1, **rules, **game, "players": players})
    for action, position in zip(record.actions, positions[1:], strict=True):
        seat_newcomers(change, position)
        change.append(kinds.ACTION, {"action": action}, new_id(), position)
