"""The games in a review, as its page shows them: which there are, which sheets are there twice."""

from __future__ import annotations

from dataclasses import dataclass

from flask_babel import gettext

from companion.core.game import Game
from companion.games.catalog import GAMES
from companion.paper.game import PaperGame
from companion.paper.review import Review
from companion.paper.sheets import ReviewSheet
from companion.web.page.language import say


@dataclass(frozen=True)
class PartView:
    """One of several games in a review."""

    title: str
    subtitle: str
    """The board's name, or empty."""
    numbers: str
    """The numbers of its sheets, such as "1, 2, 4"."""
    sheet: str
    """The id of its first sheet."""
    is_shown: bool


def part_views(review: Review, shown: PaperGame) -> list[PartView]:
    return [part_view(part, part.key == shown.key) for part in review.parts]


def part_view(part: PaperGame, is_shown: bool) -> PartView:
    first = part.sheets[0]
    paper = first.own_paper
    return PartView(
        title=say(GAMES[part.played].title) if part.played else say(paper.title),
        subtitle=say(paper.subtitle) if paper.subtitle else "",
        numbers=", ".join(str(part.numbers[sheet.id]) for sheet in part.sheets),
        sheet=first.id,
        is_shown=is_shown,
    )


@dataclass(frozen=True)
class DoubleView:
    """Two sheets that look like one, photographed twice."""

    text: str
    first: str
    again: str
    """The ids of both."""
    choices: tuple[tuple[str, str, str], ...]
    """(id to keep, id to remove, label), the surer one first."""


def double_views(game: PaperGame) -> list[DoubleView]:
    views = []
    for first, again in game.doubles():
        numbers = {sheet.id: game.numbers[sheet.id] for sheet in (first, again)}
        text = gettext(
            "%(one)s and %(other)s look like the same sheet, photographed twice.",
            one=_with_number(game, first),
            other=_with_number(game, again),
        )
        pair = sorted((first, again), key=lambda sheet: (len(sheet.unsure), numbers[sheet.id]))
        choices = tuple(
            (kept.id, gone.id, gettext("Keep sheet %(number)s", number=numbers[kept.id]))
            for kept, gone in (pair, pair[::-1])
        )
        views.append(DoubleView(text, first.id, again.id, choices))
    return views


def _with_number(game: PaperGame, sheet: ReviewSheet) -> str:
    """The number of a sheet, and its player's name if there is one."""
    label = gettext("Sheet %(number)s", number=game.numbers[sheet.id])
    return label if sheet.is_shared or not sheet.player() else f"{label} ({sheet.player()})"


def asked_for(game: PaperGame) -> list[Game]:
    """The games to choose from, if the sheets do not tell."""
    if len(game.candidates) < 2 or not game.sheets or game.is_given:
        return []
    return [GAMES[name] for name in game.candidates]
