"""The step of a review that asks whose sheets these are: its cards and names to choose from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from flask_babel import gettext

from companion.core.sheet import Box
from companion.core.words import minus
from companion.paper.paper_game import PaperGame
from companion.paper.review import Review
from companion.paper.review_sheet import Column, ReviewSheet
from companion.tables.ledger.names import name_key
from companion.web.page.language import join_names
from companion.web.review.sheet_view import SheetView

MOST_RECENT: Final = 12  # Limit of the people of earlier games who are offered


@dataclass(frozen=True)
class NameCard:
    """A sheet or a column, and its player."""

    view: SheetView
    column: Column
    is_asked: bool  # whether the next tap on a name is for it

    @property
    def sheet(self) -> ReviewSheet:
        return self.column.sheet

    @property
    def place(self) -> int:
        """The column, from 0."""
        return self.column.place

    @property
    def key(self) -> str:
        return self.column.key

    @property
    def name(self) -> str:
        """The player's name; empty while it is open, or when it stays so."""
        return self.column.name

    @property
    def is_nameless(self) -> bool:
        return self.column.is_nameless

    @property
    def is_dropped(self) -> bool:
        return self.column.is_dropped

    @property
    def can_be_dropped(self) -> bool:
        """Whether it is one of several columns that were read, and not the last one left."""
        left = sum(not self.sheet.is_dropped(place) for place in range(self.sheet.columns))
        return self.sheet.is_shared and self.sheet.has_picture and left > 1

    @property
    def label(self) -> str:
        """The number of the sheet or column, in words."""
        return _label(self.view.game, self.column)

    @property
    def total(self) -> str:
        for player in self.view.game.players():
            if self.column.key in [column.key for column in player.pads]:
                return minus(player.filled.result.total)
        return minus(0)

    @property
    def crop(self) -> Box | None:
        """The name in the picture, where the sheet has a line for it."""
        paper = self.sheet.paper
        if not self.sheet.has_picture or self.place >= len(paper.names):
            return None
        line = paper.places.get(paper.names[self.place])
        return line.box if line else None

    @property
    def outline(self) -> Box | None:
        """The column in the sheet that is shown whole; None if all of it is one player's."""
        if not (self.is_whole and self.sheet.is_one_column):
            return None
        return self.column.box

    @property
    def is_whole(self) -> bool:
        """Whether the whole sheet is shown, because its player is asked for."""
        return self.is_asked and self.sheet.has_picture


@dataclass(frozen=True)
class NameChoice:
    name: str
    at: str  # The sheet that has the name already, or empty. A tap swaps the two.


@dataclass(frozen=True)
class Naming:
    cards: tuple[NameCard, ...]
    # The card that is asked for; None when all are named and nobody wants to change one.
    asked: NameCard | None
    choices: tuple[NameChoice, ...]
    open_count: int  # cards that nobody has claimed
    # The id of a shared sheet that is typed in, whose columns can be changed; or empty.
    shared: str
    has_spare: bool  # whether its last column is empty, so that it can go
    has_room: bool  # whether it can have another column

    @property
    def is_settled(self) -> bool:
        """Whether nobody needs to be asked."""
        return bool(self.cards) and not (self.asked or self.shared)

    @property
    def names(self) -> str:
        kept = (card for card in self.cards if not card.is_dropped)
        return join_names([card.name or gettext("not named") for card in kept])


def naming(
    review: Review,
    game: PaperGame,
    views: Mapping[str, SheetView],
    whose: str,
    recent: Callable[[], Sequence[str]],
) -> Naming:
    """The step for the sheets of one game.

    Args:
        views: the game's sheets by their ids.
        whose: the card to ask for, such as "2.0".
        recent: see `review_context`.
    """
    columns: list[Column] = []
    typed = None  # the first shared sheet that is typed in
    for sheet in game.sheets:
        columns += map(partial(Column, sheet), range(sheet.places))
        if typed is None and sheet.is_shared and not sheet.has_picture:
            typed = sheet
    undecided = game.undecided()
    if whose not in [column.key for column in columns]:
        whose = undecided[0].key if undecided else ""
    cards, asked = [], None
    for column in columns:
        card = NameCard(views[column.sheet.id], column, column.key == whose)
        cards.append(card)
        asked = card if card.is_asked else asked
    return Naming(
        cards=tuple(cards),
        asked=asked,
        choices=_choices(review, game, asked.column, recent()) if asked else (),
        open_count=len(undecided),
        shared=typed.id if typed else "",
        has_spare=typed is not None and typed.has_spare_column,
        has_room=typed is not None and typed.places < typed.most_places,
    )


def _label(game: PaperGame, column: Column) -> str:
    sheet = gettext("Sheet %(number)s", number=column.sheet.number)
    if not column.sheet.is_shared:
        return sheet
    label = gettext("Column %(number)s", number=column.place + 1)
    return f"{sheet}, {label}" if len(game.sheets) > 1 else label


def _choices(
    review: Review, game: PaperGame, asked: Column, recent: Sequence[str]
) -> tuple[NameChoice, ...]:
    """The names known in the review, then the people of earlier games."""
    names = review.known_names
    offered = [*names.values()]
    offered += [name for name in recent if name_key(name) not in names][:MOST_RECENT]
    holders: dict[str, Column] = {}
    for sheet in game.sheets:
        if sheet.is_shared and sheet.id != asked.sheet.id:
            continue
        for place, name in enumerate(sheet.players):
            if name:
                holders[name_key(name)] = Column(sheet, place)
    choices = []
    for name in offered:
        holder = holders.get(name_key(name))
        if holder is None:
            choices.append(NameChoice(name, ""))
        elif holder.key != asked.key:
            choices.append(NameChoice(name, _label(game, holder)))
    return tuple(choices)
