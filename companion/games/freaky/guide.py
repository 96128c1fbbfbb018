"""The rules of Freaky, in short."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from companion.core.guide import END, GOAL, TURN, Guide
from companion.core.values import Player
from companion.core.words import Sentence
from companion.games.freaky.cards import Card
from companion.games.freaky.panel import card_view
from companion.games.freaky.rules import Freaky

AIM: Final = Sentence("Take as many cards from the table as you can.")
START: Final = Sentence(
    "Deal three cards to everybody and lay three more side by side: each begins a row."
)
PLAY: Final = Sentence(
    "On your turn, play one, two or three cards. A card fits a row if its background, circle or "
    "value matches the last card there."
)
NEW: Final = Sentence("A card that fits no row starts a new one.")
TAKE: Final = Sentence(
    "Then you may take every row in which one background, one circle or one value appears four "
    "times. If you overlook a row, you do not get it."
)
DRAW: Final = Sentence("At the end of your turn, draw until you have three cards again.")
LAST: Final = Sentence(
    "The game ends when the pile has too few cards for that. Whoever has the most cards wins."
)
STEP_START: Final = Sentence("Deal everybody three cards and lay three side by side.")
STEP_PLAY: Final = Sentence("A card fits by background, circle or value, or starts a row.")
STEP_TAKE: Final = Sentence("Take rows that have four of a kind, then draw cards.")
TAKEN: Final = (  # It can be taken because four backgrounds are yellow.
    Card("yellow", "purple", 6),
    Card("yellow", "blue", 2),
    Card("red", "blue", 4),
    Card("yellow", "blue", 4),
    Card("yellow", "green", 1),
)


class FreakyGuide(Guide[Freaky]):
    chapters = ((GOAL, (AIM,)), (TURN, (START, PLAY, NEW, TAKE, DRAW)), (END, (LAST,)))
    begins = Sentence("By the rules, the youngest player starts.")
    facts: ClassVar = {"cards": list(map(card_view, TAKEN))}

    def now(self, position: Freaky, here: Sequence[Player]) -> Sequence[Sentence]:
        if position.over:
            return ()
        if not position.rows_made:
            return (START,)
        if position.active not in here:
            return ()
        if position.cannot_play():
            return (TAKE, DRAW)
        return (PLAY, NEW, TAKE, DRAW) if position.played else (PLAY, NEW)

    def step(self, position: Freaky, here: Sequence[Player]) -> Sentence | None:
        if position.over or not here:
            return None
        if not position.rows_made:
            return STEP_START
        if position.active not in here:
            return None
        return STEP_TAKE if position.played or position.cannot_play() else STEP_PLAY
