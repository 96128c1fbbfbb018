"""A finished match as a picture (SVG): winner, totals, date, and small sheets."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from flask import render_template
from flask_babel import gettext, ngettext

from companion.core.sheet import FilledSheet
from companion.core.words import minus
from companion.fitting import fitted_line
from companion.folders import FONTS
from companion.tables import FinishedMatch, Participant
from companion.web.page.formats import day, lasted
from companion.web.page.language import join_names, say
from companion.web.table.end import solo_result_in
from companion.web.table.sheet_drawing import FieldView, field_views, won_fields

Pixels = float

WIDTH: Final[Pixels] = 1080.0  # The usual width of pictures in chats
MARGIN: Final[Pixels] = 60.0
GAP: Final[Pixels] = 36.0
ROW: Final[Pixels] = 92.0  # Height of a player's row with the total
NAME: Final[Pixels] = 52.0  # Height of the line with the player's name above a sheet


@dataclass(frozen=True)
class FittedText:
    content: str
    size: Pixels


@dataclass(frozen=True)
class RankRow:
    name: FittedText
    total: str
    won: bool
    y: Pixels


@dataclass(frozen=True)
class SmallSheet:
    """One player's sheet. Lengths inside are millimetres."""

    x: Pixels
    y: Pixels
    scale: float
    name: FittedText
    total: str
    filled: FilledSheet
    fields: tuple[FieldView, ...]


@cache
def _font(name: str) -> str:
    """A font as a data URL: a browser loads no files for a picture on its own."""
    raw = (FONTS.parent / f"{name}.woff2").read_bytes()
    return "data:font/woff2;base64," + b64encode(raw).decode("ascii")


def headline(match: FinishedMatch) -> str:
    """The winners, or their points where one has no name; empty if nobody has won."""
    if (solo := solo_result_in(match)) is not None:
        return solo.headline
    if match.is_unfinished:
        return gettext("The game was ended early.")
    winners = [player for player in match.ranking if player.won]
    if not winners:
        return ""
    if not all(player.name for player in winners):
        most = winners[0].total
        if most is None:  # gone with their name
            return ""
        return ngettext("%(points)s point wins", "%(points)s points win", most, points=minus(most))
    names = join_names([player.name or "" for player in winners])
    if len(winners) > 1:
        return gettext("%(players)s share the win", players=names)
    return gettext("%(player)s wins", player=names)


def svg(match: FinishedMatch, sheets: Sequence[FilledSheet | None]) -> str:
    inner = WIDTH - 2 * MARGIN
    about = [day(match.ended_at), match.place, lasted(match.minutes) if match.minutes else ""]
    y = 300.0
    rows = []
    for player in match.ranking:
        name = FittedText(*fitted_line(_name(player), inner - 260, 46))
        total = "–" if player.total is None else minus(player.total)
        rows.append(RankRow(name, total, player.won, y))
        y += ROW + 10
    y += GAP
    small, y = _sheets(match, sheets, y)
    return render_template(
        "record/result.svg",
        font=_font,
        won_fields=won_fields,
        title=FittedText(*fitted_line(say(match.title), inner - 120, 44)),
        about=FittedText(*fitted_line(" · ".join(filter(None, about)), inner - 120, 32)),
        headline=FittedText(*fitted_line(headline(match) or say(match.title), inner, 76)),
        rows=rows,
        sheets=small,
        width=WIDTH,
        height=round(y + 76),
        margin=MARGIN,
        inner=inner,
        row=ROW,
    )


def _sheets(
    match: FinishedMatch, sheets: Sequence[FilledSheet | None], y: Pixels
) -> tuple[list[SmallSheet], Pixels]:
    """The players' sheets in two columns, and where they end."""
    drawn = [
        (player, filled)
        for player, filled in zip(match.ranking, sheets, strict=True)
        if filled is not None and filled.kind.sharing is None
    ]
    columns = 1 if len(drawn) == 1 else 2
    wide = (WIDTH - 2 * MARGIN - GAP * (columns - 1)) / columns
    small: list[SmallSheet] = []
    for start in range(0, len(drawn), columns):
        high = 0.0
        for place, (player, filled) in enumerate(drawn[start : start + columns]):
            layout = filled.layout
            scale = wide / layout.width
            small.append(
                SmallSheet(
                    x=MARGIN + place * (wide + GAP),
                    y=y,
                    scale=scale,
                    name=FittedText(*fitted_line(_name(player), wide - 120, 32)),
                    total="–" if player.total is None else minus(player.total),
                    filled=filled,
                    fields=tuple(field_views(filled)),
                )
            )
            high = max(high, layout.height * scale)
        y += NAME + high + GAP
    return small, y


def _name(player: Participant) -> str:
    return player.name or (gettext("Somebody") if player.is_deleted else gettext("not named"))
