"""A table before its game: seats, games, boards as small pictures."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from markupsafe import Markup

from companion.core import sheet_style
from companion.core.game import AnyGame, Game
from companion.core.sheet import Box, Layout, Millimetres
from companion.core.words import N_
from companion.games.catalog import GAMES
from companion.tables import Table
from companion.tables.ledger import events
from companion.tables.ledger.names import free_color
from companion.web.page.context import current_tables
from companion.web.page.security import device

# Key of `SEAT_COLORS` → the colour's word. It has nothing to do with the colours of a sheet.
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

GAP: Final[Millimetres] = 0.6


def lobby_context(table: Table) -> dict[str, Any]:
    """The template's values for a table before its first game."""
    return {
        "table": table,
        "games": list(GAMES.values()),
        "options": table.game.panel.options_with(table.options),
        "titles": _titles(table.game),
        "seat_colors": SEAT_COLOR_WORDS,
        "next_color": free_color(seat.color for seat in table.seats),
        "taken": {seat.color for seat in table.seats},
        "drawn": _draw_shown(table),
        "thumbnail": thumbnail,
    }


def _titles(game: Game) -> list[str]:
    """The titles that can be played by a game: the device's most played ones, then known ones."""
    if not isinstance(game, AnyGame):
        return []
    played = (one.title for one in current_tables().history.games(device()) if not one.packages)
    return list(dict.fromkeys((*played, *game.known_titles)))


def _draw_shown(table: Table) -> int:
    """The table's version when the starting player was drawn by lot; 0 if chosen otherwise."""
    orders = [event for event in table.log if event.kind == events.SEATS_ORDERED]
    return orders[-1].seq if orders and orders[-1].body["drawn"] else 0


@cache
def thumbnail(layout: Layout) -> Markup:
    """A small picture of a sheet, to recognize its board."""
    # The sheet's coloured boxes for crosses as SVG, one path for each colour
    fields = [field for field in layout.fields if field.kind == "cross"]
    colored = [field for field in fields if field.color in sheet_style.COLORS]
    boxes = [field.box for field in colored]
    left, top = min(box.x for box in boxes), min(box.y for box in boxes)
    width = max(box.x + box.width for box in boxes) - left
    height = max(box.y + box.height for box in boxes) - top
    squares: dict[str, str] = {}
    for field in colored:
        squares[field.color] = squares.get(field.color, "") + _square(field.box, left, top)
    paths = Markup("")
    for color, path in squares.items():
        paths += Markup('<path fill="{}" d="{}"/>').format(sheet_style.COLORS[color], path)
    return Markup(
        '<svg class="thumbnail" viewBox="0 0 {:.0f} {:.0f}" aria-hidden="true">{}</svg>'
    ).format(width, height, paths)


def _square(box: Box, left: Millimetres, top: Millimetres) -> str:
    x, y = box.x - left + GAP / 2, box.y - top + GAP / 2
    width, height = box.width - GAP, box.height - GAP
    return f"M{x:.1f} {y:.1f}h{width:.1f}v{height:.1f}h-{width:.1f}z"
