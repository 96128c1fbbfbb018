"""Qwinto, the card game: lay a card on the 2×2 grid, and everybody may write the sum of three.

Writing and passing are in `qwinto/turn.py`, the sheet's own rules in `qwinto/sheet.py`. Nobody's
hand is known; the grid shows which cards may be in a hand. Source: the rule text of the card game.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import ClassVar, Final, NamedTuple, TypeAlias

from companion.core.colors import COLOR_WORDS
from companion.core.position import game_over, not_your_turn
from companion.core.refusal import Refusal, bad_action
from companion.core.values import Action, Player, changed
from companion.core.words import N_
from companion.games.qwinto.sheet import COLORS, Color
from companion.games.qwinto.turn import QwintoTurn

CardName: TypeAlias = str  # a card as in a record: "o4", "g-2"

Place: TypeAlias = str  # a place of the grid: top or bottom, left or right

Laid: TypeAlias = tuple[tuple[CardName, Place], ...]  # in the order in which they are laid


class DeckCard(NamedTuple):
    color: str
    value: int


GRAY: Final = "gray"  # No row has this colour, so it is never called

CARD_COLORS: Final = (*COLORS, GRAY)

CARD_VALUES: Final = (-2, 0, 1, 2, 3, 4, 5, 6)

# "32 cards (0-6 and -2, each in the colors orange, yellow, purple and gray)"
DECK: Final[Mapping[CardName, DeckCard]] = {
    f"{color[0]}{value}": DeckCard(color, value)
    for color, value in product(CARD_COLORS, CARD_VALUES)
}

PLACES: Final[tuple[Place, ...]] = ("tl", "tr", "bl", "br")
# Place → the two places beside it; the one across the corner is not among them
NEIGHBORS: Final[Mapping[Place, tuple[Place, Place]]] = {
    "tl": ("tr", "bl"),
    "tr": ("tl", "br"),
    "bl": ("tl", "br"),
    "br": ("tr", "bl"),
}

HAND: Final = 3
LAID_AT_MOST: Final = 2

_NOT_DEALT: Final = Refusal(
    "wrong-moment", "The four cards in the middle of the table must be dealt first."
)


@dataclass(frozen=True, kw_only=True)
class QwintoCards(QwintoTurn):
    """A position of the Qwinto card game; see `core.position.Position`."""

    ACTIONS: ClassVar = ("deal", "lay", "write", "pass", "next")
    UNSIGNED: ClassVar = ("deal", "next")

    grid: tuple[CardName, ...] = ()  # the visible cards in the order of `PLACES`, after the deal
    covered: frozenset[CardName] = frozenset()  # they come back when the draw pile runs out
    draw_pile: int = 0  # its number of cards; the active player draws when the turn closes
    laid: Laid = ()  # the cards laid in this turn; the last one makes the call

    @property
    def cards_called(self) -> tuple[CardName, ...]:
        """The three cards that make the call: the last one laid and its two neighbors."""
        if not self.laid:
            return ()
        card, place = self.laid[-1]
        return (card, *map(self.at, NEIGHBORS[place]))

    @property
    def called(self) -> int | None:
        """The sum that everybody may write (below 1: nobody), or None before the lay."""
        return sum(DECK[card].value for card in self.cards_called) if self.laid else None

    @property
    def called_colors(self) -> tuple[Color, ...]:
        """The rows in which the sum may be written; gray is never among them."""
        colors = {DECK[card].color for card in self.cards_called}
        return tuple(color for color in COLORS if color in colors)

    @property
    def fingerprint(self) -> str:
        """Turn, visible cards, and the cards laid in this turn."""
        laid = ",".join(f"{card}@{place}" for card, place in self.laid)
        return f"{self.turn}.{','.join(self.grid)}.{laid}{'.over' if self.over else ''}"

    @property
    def available(self) -> tuple[CardName, ...]:
        """The cards that may be in somebody's hand now, in the deck's order."""
        return tuple(card for card in DECK if self.hand_refusal(card) is None)

    def at(self, place: Place) -> CardName:
        return self.grid[PLACES.index(place)]

    def hand(self, player: Player) -> int:
        """The number of cards in a hand; in a solo game the last hand is not filled up again."""
        others = HAND * (len(self.players) - 1)
        if player != self.active:
            return HAND
        return len(DECK) - len(PLACES) - len(self.covered) - self.draw_pile - others

    def hand_refusal(self, card: CardName) -> Refusal | None:
        """Why this card of the deck cannot be in a hand now, or None."""
        shown = DECK[card]
        values = {"color": COLOR_WORDS[shown.color], "value": shown.value}
        if card in self.grid:
            text = N_(
                "The %(color)s %(value)s lies face up in the middle of the table, so nobody can "
                "hold it."
            )
            return Refusal("card-not-available", text, values)
        if card not in self.covered:
            return None
        text = (
            N_("The %(color)s %(value)s has already been played, and each card is used only once.")
            if self.is_solo
            else N_(
                "The %(color)s %(value)s lies covered in the middle of the table until the cards "
                "are shuffled again, so nobody can hold it."
            )
        )
        return Refusal("card-not-available", text, values)

    def second_cards(self, card: CardName) -> tuple[CardName, ...]:
        """The cards of the same value that may follow this one: a hand may hold them."""
        cards = []
        for other in self.available:
            if other != card and DECK[other].value == DECK[card].value:
                cards.append(other)
        return tuple(cards)

    def lay_refusal(self, cards: Laid) -> Refusal | None:
        """Why the active player cannot lay these one or two cards of the deck, or None."""
        # The rules: "How to play", and "Playing two cards" for the second one
        if self.over:
            return game_over()
        if not self.grid:
            return _NOT_DEALT
        if self.laid:
            return Refusal(
                "wrong-moment", "%(player)s has already laid a card.", {"player": self.active}
            )
        for card, _ in cards:
            refused = self.hand_refusal(card)
            if refused:
                return refused
        return _two_refusal(*cards) if len(cards) == LAID_AT_MOST else None

    def _play_by(self, player: Player, action: Action) -> QwintoCards | Refusal:
        if action["do"] == "lay":
            return self._lay(player, action.get("cards"))
        return super()._play_by(player, action)

    def _play_unsigned(self, action: Action) -> QwintoCards | Refusal:
        if action["do"] == "deal":
            return self._deal(action.get("grid"))
        return super()._play_unsigned(action)

    def _deal(self, raw_grid: object) -> QwintoCards | Refusal:
        grid = _grid(raw_grid)
        if isinstance(grid, Refusal):
            return grid
        if self.over:
            return game_over()
        if self.grid:
            return Refusal("wrong-moment", "The cards are dealt once, before the first turn.")
        return changed(self, grid=grid)

    def _lay(self, player: Player, raw_cards: object) -> QwintoCards | Refusal:
        cards = _laid(raw_cards)
        if isinstance(cards, Refusal):
            return cards
        if not self.over and player != self.active:
            return not_your_turn(self.now)
        refused = self.lay_refusal(cards)
        if refused:
            return refused
        grid, covered = list(self.grid), set(self.covered)
        for card, place in cards:
            covered.add(grid[PLACES.index(place)])
            grid[PLACES.index(place)] = card
        return changed(self, grid=tuple(grid), covered=frozenset(covered), laid=cards)

    def _too_early(self, player: Player) -> Refusal | None:
        if self.laid:
            return None
        if not self.grid:
            return _NOT_DEALT
        return Refusal(
            "wrong-moment",
            "There is nothing to write yet: %(player)s has to lay a card first.",
            {"player": self.active},
        )

    def _row_not_called(self) -> Refusal:
        if not self.called_colors:
            return Refusal("nothing-to-write", "All three cards are gray, so nobody writes.")
        return Refusal(
            "row-not-called",
            "The %(number)s may only be written in a row of the cards' colors: %(rows)s.",
            {
                "number": self.called,
                "rows": tuple(COLOR_WORDS[color] for color in self.called_colors),
            },
        )

    @property
    def _ends(self) -> bool:
        """A solo game also ends "once you have played all the cards (including your hand)"."""
        return super()._ends or (self.is_solo and self.hand(self.active) == 0)

    def _following(self) -> QwintoCards:
        """The next player's turn, after the active player has drawn."""
        # The pile is shuffled again at the moment its last card is drawn, even between the two
        # cards of a double draw; only the four visible cards stay. In a solo game it never is.
        pile, covered = self.draw_pile, self.covered
        for _ in self.laid:
            pile = max(pile - 1, 0)
            if pile == 0 and not self.is_solo:
                pile, covered = len(covered), frozenset()
        return QwintoCards(
            now=self.now.following(),
            sheets=self.sheets,
            grid=self.grid,
            covered=covered,
            draw_pile=pile,
        )


def _two_refusal(first: tuple[CardName, Place], second: tuple[CardName, Place]) -> Refusal | None:
    """Why these cards cannot be laid one after the other: "Playing two cards"."""
    if DECK[first[0]].value != DECK[second[0]].value:
        return Refusal(
            "not-same-value", "Two cards may be laid only when both show the same number."
        )
    if second[1] not in NEIGHBORS[first[1]]:
        return Refusal(
            "not-neighbors",
            "The second card goes beside the first one, not across the corner or on top of it.",
        )
    return None


def _grid(raw: object) -> tuple[CardName, ...] | Refusal:
    """The four cards of a `deal` in the order of `PLACES`, or why they are not valid."""
    if not isinstance(raw, Mapping) or set(raw) != set(PLACES):
        return bad_action("Each of the four places in the middle needs one card.")
    return _different([_card(raw[place]) for place in PLACES])


def _laid(raw: object) -> Laid | Refusal:
    """The cards of a `lay` with their places, or why they are not valid."""
    if not isinstance(raw, list | tuple) or not 1 <= len(raw) <= LAID_AT_MOST:
        return bad_action("Lay one card, or two of the same value.")
    names, places = [], []
    for pair in raw:
        if not isinstance(pair, list | tuple) or len(pair) != len(("card", "place")):
            return bad_action("A card needs a place in the middle.")
        name, place = pair
        if not isinstance(place, str) or place not in PLACES:
            return bad_action("There is no such place in the middle.")
        names.append(_card(name))
        places.append(place)
    cards = _different(names)
    return cards if isinstance(cards, Refusal) else tuple(zip(cards, places, strict=True))


def _card(raw: object) -> CardName | Refusal:
    if not isinstance(raw, str):
        return bad_action("A card is named by its color and its number, as in 'o4'.")
    if raw not in DECK:
        return Refusal("bad-card", "There is no card '%(card)s' in this game.", {"card": raw})
    return raw


def _different(cards: list[CardName | Refusal]) -> tuple[CardName, ...] | Refusal:
    """The cards, or the refusal of one that is not a card or is named twice."""
    names = []
    for card in cards:
        if isinstance(card, Refusal):
            return card
        names.append(card)
    if len(set(names)) < len(names):
        return bad_action("There is only one of each card, and here one is named twice.")
    return tuple(names)
