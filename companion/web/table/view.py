"""The table page's content, made plain for the templates: who plays here, values, the ranking.

It asks the position and the sheet's description, and decides only how things are grouped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from flask_babel import gettext
from markupsafe import Markup

from companion.core.panel import Panel
from companion.core.sheet import Field, FilledSheet, Layout, Mark, Millimetres, Term
from companion.core.words import N_, Sentence
from companion.games.catalog import GAMES
from companion.tables import Seat, Step, Table, free_color
from companion.tables.ledger import events
from companion.web.page.language import join_names
from companion.web.table import podium
from companion.web.table.drawing import draw
from companion.web.table.thumbnails import thumbnail

SLIM: Final[Millimetres] = 66.0
"""A sheet that is no wider, upright, leaves a third of a phone's width or more to the call."""
LAYOUTS_KEPT: Final = 64
"""Layouts whose values that an upright sheet has no room for are kept in memory."""


@dataclass(frozen=True)
class ValueView:
    """The printed values of one group of fields: each with `open`, `circled` or `crossed`."""

    name: str
    left: int
    """The open fields of the group."""
    points: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class FinalView:
    """One player's sheet at the end of the game."""

    seat: Seat
    name: str
    total: int
    is_winner: bool
    place: int
    """From 1; players with equal results share a place, and those after them lose as many."""
    drawing: Markup | None
    terms: tuple[Term, ...]


def end_context(table: Table) -> dict[str, Any]:
    """The template's values for a game that is over."""
    position = table.position
    if position is None:
        raise ValueError("the table is still in the lobby")
    panel = table.game.panel
    winners = position.winners()
    sheets = {name: table.game.filled(position, name) for name in position.players}
    results = {name: podium.final_result(position, name, sheets[name]) for name in sheets}
    places = podium.places(results, winners)
    players = []
    for name, filled in sheets.items():
        drawing = None
        if filled is not None:
            title = gettext("Sheet of %(player)s", player=name)
            marks, barred = panel.marks(position, name), panel.barred(position, name)
            drawing = draw(filled, {}, title, marks, barred)
        players.append(
            FinalView(
                seat=seat_called(table, name),
                name=name,
                total=position.score(name)["total"],
                is_winner=name in winners,
                place=places[name],
                drawing=drawing,
                terms=() if filled is None else filled.terms,
            )
        )
    return {
        "table": table,
        "position": position,
        "panel": panel,
        "players": players,
        "ranking": sorted(players, key=lambda player: player.place),
        "podium": podium.steps(players) if winners else (),
        "winner_names": join_names(winners) if winners else "",
        "step_description": step_description,
    }


def sheet_width(sheets: Iterable[FilledSheet]) -> str:
    """How wide the sheets are on an upright phone: `slim`, `wide`, or `none` without sheets."""
    layout = next((filled.layout for filled in sheets), None)
    if layout is None:
        return "none"
    return "slim" if (layout.upright_width or layout.height) <= SLIM else "wide"


def seat_called(table: Table, name: str) -> Seat:
    """The seat of a player of the match."""
    return next(seat for seat in table.seats if seat.name == name)


def focus(table: Table) -> Seat:
    """Whose sheet a narrow screen shows first: one played here that has something to do."""
    position = table.position
    if position is None:
        raise ValueError("the table is still in the lobby")
    seats = [seat_called(table, name) for name in position.players]
    here = [seat for seat in seats if is_played_here(table, seat)]
    waiting = [seat for seat in here if seat.name in position.waiting]
    # The active player acts first, then the others in their order, those with a phone before.
    waiting.sort(key=lambda seat: (seat.name != position.active, not seat.mine))
    mine = [seat for seat in here if seat.mine]
    return next(iter([*waiting, *mine, *here, *seats]))


def is_played_here(table: Table, seat: Seat) -> bool:
    """Whether this device is the one on which the seat's player taps."""
    if seat.mine:
        return True
    holds_none = not any(other.mine for other in table.seats)
    return seat.may_enter and not seat.held and (holds_none or table.me.role == "host")


def step_description(panel: Panel[Any], step: Step | None) -> Sentence:
    """A step that can be undone or redone, in words."""
    if step is not None and step.kind == events.STOPPED:
        return Sentence(N_("the early end"))
    if step is None or step.action is None:
        return Sentence(N_("the last change"))
    return panel.describe(step.before, step.action)


@lru_cache(maxsize=LAYOUTS_KEPT)
def _left_out(layout: Layout) -> tuple[Field, ...]:
    """The fields with printed values that the upright sheet has no room for."""
    end = layout.upright_width or layout.height
    return tuple(field for field in layout.fields if field.kind == "value" and field.box.y > end)


def printed_values(
    filled: FilledSheet, others: Mapping[str, Mark] | None = None
) -> tuple[ValueView, ...]:
    """The values that the upright sheet leaves out, by the groups of their fields.

    Args:
        others: marks that other players' entries have put on the sheet; see `Panel.marks`.
    """
    marks, layout = {**(others or {}), **filled.marks}, filled.layout
    points: dict[str, list[tuple[str, str]]] = {}
    for field in _left_out(layout):
        state = str(marks.get(field.id) or "open")
        points.setdefault(field.group, []).append((field.print, state))
    left = Counter(
        field.group for field in layout.fields if field.kind == "cross" and not marks.get(field.id)
    )
    return tuple(ValueView(name, left[name], tuple(both)) for name, both in points.items())


SEAT_COLOR_WORDS: Final[Mapping[str, str]] = {
    "red": N_("red"),
    "blue": N_("blue"),
    "green": N_("green"),
    "yellow": N_("yellow"),
    "purple": N_("purple"),
    "orange": N_("orange"),
    "pink": N_("pink"),
    "teal": N_("teal"),
}
"""Key of `SEAT_COLORS` → the colour's word. It has nothing to do with the colours of a sheet."""


def lobby_context(table: Table) -> dict[str, Any]:
    """The template's values for a table at which nothing has been started."""
    return {
        "table": table,
        "games": list(GAMES.values()),
        "options": table.game.panel.options,
        "seat_colors": SEAT_COLOR_WORDS,
        "next_color": free_color(seat.color for seat in table.seats),
        "taken": {seat.color for seat in table.seats},
        "drawn": _draw_shown(table),
        "thumbnail": thumbnail,
    }


def _draw_shown(table: Table) -> int:
    """The table's version at which the starting player was drawn by lot; 0 if chosen otherwise."""
    orders = [event for event in table.log if event.kind == events.SEATS_ORDERED]
    return orders[-1].seq if orders and orders[-1].body["drawn"] else 0
