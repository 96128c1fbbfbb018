"""The step of a review that asks whose sheets these are: its cards and names to choose from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from flask import url_for
from flask_babel import gettext

from companion.core.sheet import Box, Millimetres
from companion.paper.game import PaperGame
from companion.paper.review import Review
from companion.paper.sheets import ReviewSheet
from companion.tables.ledger.names import name_key

MOST_RECENT: Final = 12
"""Limit of the people of earlier games who are offered."""


@dataclass(frozen=True)
class NameCard:
    """A sheet or a column, and its player."""

    sheet: str
    place: int
    label: str
    """The number of the sheet or column, in words."""
    name: str
    """The player's name; empty while it is open, or when it stays so."""
    is_nameless: bool
    """Whether it stays without a name."""
    is_asked: bool
    """Whether the next tap on a name is for it."""
    crop: Box | None
    """The handwritten name in the picture, or the whole sheet where it has no line for a name."""
    picture: str
    """The picture's address; empty without one."""
    size: tuple[Millimetres, Millimetres]
    note: str
    """A remark where another spelling of the name was typed; empty otherwise."""


@dataclass(frozen=True)
class NameChoice:
    """A name to tap."""

    name: str
    at: str
    """The sheet that has the name already, or empty. A tap swaps the two."""


@dataclass(frozen=True)
class Naming:
    """The whole step."""

    cards: tuple[NameCard, ...]
    asked: NameCard | None
    """The card that is asked for; None when all are named and nobody wants to change one."""
    choices: tuple[NameChoice, ...]
    earlier: int
    """The number of the earlier pad whose players may go on on the asked one; 0 without."""
    open_count: int
    """Cards of which nobody has said whose they are."""
    shared: str
    """The id of a shared sheet that is typed in, whose columns can be changed; or empty."""
    has_spare: bool
    """Whether its last column is empty, so that it can go."""
    has_room: bool
    """Whether it can have another column."""


def naming(
    review_id: str,
    review: Review,
    game: PaperGame,
    whose: str,
    recent: Callable[[], Sequence[str]],
) -> Naming:
    """The step for the sheets of one game; `whose` is the card to ask for, such as "2.0"."""
    places = [(sheet, place) for sheet in game.sheets for place in range(_places(sheet))]
    undecided = [(sheet.id, place) for sheet, place in game.undecided()]
    wanted = [(sheet.id, place) for sheet, place in places if f"{sheet.id}.{place}" == whose]
    asked = next(iter((*wanted, *undecided)), None)
    cards = tuple(
        _card(review_id, game, sheet, place, asked == (sheet.id, place)) for sheet, place in places
    )
    typed = next(
        (sheet for sheet in game.sheets if sheet.is_shared and not sheet.has_picture), None
    )
    return Naming(
        cards=cards,
        asked=next((card for card in cards if card.is_asked), None),
        choices=_choices(review, game, asked, recent()) if asked else (),
        earlier=_earlier(game, asked[0]) if asked else 0,
        open_count=len(undecided),
        shared=typed.id if typed else "",
        has_spare=typed is not None and typed.has_spare_column,
        has_room=typed is not None and typed.places < typed.most_places,
    )


def _places(sheet: ReviewSheet) -> int:
    return sheet.places if sheet.is_shared else 1


def _card(
    review_id: str, game: PaperGame, sheet: ReviewSheet, place: int, is_asked: bool
) -> NameCard:
    paper = sheet.paper
    name, typed = sheet.player(place), sheet.typed.get(str(place), "")
    blanks = {blank.id: blank.box for blank in paper.blanks}
    crop = None
    if sheet.has_picture:
        has_line = place < len(paper.names)
        crop = blanks[paper.names[place]] if has_line else Box(0, 0, paper.width, paper.height)
    return NameCard(
        sheet=sheet.id,
        place=place,
        label=_label(game, sheet, place),
        name=name,
        is_nameless=place in sheet.nameless,
        is_asked=is_asked,
        crop=crop,
        picture=url_for("review.picture", review_id=review_id, name=sheet.picture_name)
        if sheet.has_picture
        else "",
        size=(paper.width, paper.height),
        note=gettext("“%(typed)s” and “%(name)s” are one person.", typed=typed, name=name)
        if typed and name
        else "",
    )


def _label(game: PaperGame, sheet: ReviewSheet, place: int) -> str:
    number = gettext("Sheet %(number)s", number=game.numbers[sheet.id])
    if not sheet.is_shared:
        return number
    column = gettext("Column %(number)s", number=place + 1)
    return f"{number}, {column}" if len(game.sheets) > 1 else column


def _earlier(game: PaperGame, asked: str) -> int:
    earlier = game.earlier_pad(next(sheet for sheet in game.sheets if sheet.id == asked))
    return game.numbers[earlier.id] if earlier else 0


def _choices(
    review: Review, game: PaperGame, asked: tuple[str, int], recent: Sequence[str]
) -> tuple[NameChoice, ...]:
    """The names known in the review, then the people of earlier games."""
    names = {name_key(name): name for name in reversed(review.names)}
    offered = [names[key] for key in dict.fromkeys(map(name_key, review.names))]
    offered += [name for name in recent if name_key(name) not in names][:MOST_RECENT]
    taken = {
        name_key(sheet.player(place)): (sheet, place)
        for sheet in game.sheets
        if not sheet.is_shared or sheet.id == asked[0]
        for place in range(len(sheet.players))
        if sheet.player(place)
    }
    choices = []
    for name in offered:
        holder = taken.get(name_key(name))
        if holder and (holder[0].id, holder[1]) == asked:
            continue
        choices.append(NameChoice(name, _label(game, *holder) if holder else ""))
    return tuple(choices)
