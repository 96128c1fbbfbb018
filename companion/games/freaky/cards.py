"""The cards of Freaky and the rows they lie in: matching cards, and complete rows.

It knows no players and no turns. Source: the rule text of Freaky.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product, starmap
from typing import Final, NamedTuple, TypeAlias

from companion.core.refusal import Refusal, bad_action

COLORS: Final = ("red", "orange", "yellow", "green", "blue", "purple")  # of backgrounds and circles

VALUES: Final = range(1, 7)

# The whole deck. Six backgrounds, six circles and six values make 216 different cards. No list of
# the 108 that exist has been found, so any card is accepted, any number of times.
CARDS: Final = 108

# "Any of the card features show up at least four times in the same row"
FEATURES_TO_TAKE: Final = 4

RowNumber: TypeAlias = int


class Card(NamedTuple):
    """The three features of a card."""

    background: str
    circle: str
    value: int

    def __str__(self) -> str:
        """The card as in a record: "yellow/purple/6"."""
        return f"{self.background}/{self.circle}/{self.value}"

    def matches(self, other: Card) -> bool:
        """Whether at least one feature is the same, of the same kind."""
        return any(mine == theirs for mine, theirs in zip(self, other, strict=True))


@dataclass(frozen=True)
class Row:
    """A row on the table. It keeps its number until it is taken; no later row gets that number."""

    number: RowNumber
    cards: tuple[Card, ...]

    @property
    def last(self) -> Card:
        """The last card of the row, which the next one has to match."""
        return self.cards[-1]

    @property
    def is_complete(self) -> bool:
        """Whether one feature shows up often enough, anywhere in the row, to take it."""
        backgrounds, circles, values = map(Counter, zip(*self.cards, strict=True))
        counts = *backgrounds.values(), *circles.values(), *values.values()
        return max(counts) >= FEATURES_TO_TAKE


def card_of(name: object) -> Card | Refusal:
    """The card of a record's text such as "yellow/purple/6", or why it is not a card."""
    if not isinstance(name, str):
        return bad_action("A card is named by background, circle and value.")
    if name not in _BY_NAME:
        return Refusal("bad-card", "There is no card '%(card)s' in this game.", {"card": name})
    return _BY_NAME[name]


_BY_NAME: Final[Mapping[str, Card]] = {
    str(card): card for card in starmap(Card, product(COLORS, COLORS, VALUES))
}
