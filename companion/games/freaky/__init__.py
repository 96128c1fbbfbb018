"""Freaky: cards are laid in rows, and rows with four of a kind are taken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from companion.core.game import GameKind
from companion.core.position import Turn
from companion.core.values import Player
from companion.core.words import Sentence, Word
from companion.games.freaky.cards import CARDS
from companion.games.freaky.guide import FreakyGuide
from companion.games.freaky.panel import FreakyPanel
from companion.games.freaky.rules import HAND, START_ROWS, Freaky
from companion.games.tally.layout import SHEET


class FreakyGame(GameKind[Freaky]):
    """The description of Freaky, in which nobody can let a turn go by."""

    name = "freaky"
    title = Word("Freaky")
    min_players = 2
    max_players = 5
    sheet = SHEET
    count_name = "cards"
    count_question = Sentence("How many cards does everybody have at the end?")
    most_counted = CARDS
    panel = FreakyPanel()
    guide = FreakyGuide()
    close = None

    def start(self, players: tuple[Player, ...], options: Mapping[str, str]) -> Freaky:
        """Hands are dealt, no row is laid out."""
        dealt = START_ROWS + HAND * len(players)
        return Freaky(now=Turn(players), taken=(0,) * len(players), draw_pile=CARDS - dealt)


GAME: Final = FreakyGame()
