"""Freaky: cards are laid in rows, and rows with four of a kind are taken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from companion.core.game import GameKind
from companion.core.position import Turn
from companion.core.refusal import Unusable
from companion.core.result import Result
from companion.core.values import Document, Player, is_whole
from companion.core.words import N_, Word
from companion.games.freaky.cards import CARDS
from companion.games.freaky.guide import FreakyGuide
from companion.games.freaky.panel import FreakyPanel
from companion.games.freaky.rules import HAND, START_ROWS, Freaky
from companion.games.tally.layout import SHEET


class FreakyGame(GameKind[Freaky]):
    """The description of Freaky, in which nobody can pass."""

    name = "freaky"
    title = Word("Freaky")
    min_players = 2
    max_players = 5
    sheet = SHEET
    has_sheet = False
    numbers = range(CARDS + 1)
    numbers_text = N_("A player has from %(lowest)s to %(highest)s cards, not %(number)s.")
    panel = FreakyPanel()
    guide = FreakyGuide()
    close = None

    def start(self, players: tuple[Player, ...], options: Mapping[str, str]) -> Freaky:
        """The position after hands were dealt, before any row."""
        dealt = START_ROWS + HAND * len(players)
        return Freaky(now=Turn(players), taken=(0,) * len(players), draw_pile=CARDS - dealt)

    def read_count(self, document: Mapping[str, object]) -> tuple[Document, Result]:
        """The cards that a player has taken; see `GameKind.read_count`."""
        count = document.get("cards")
        if not is_whole(count) or count not in self.numbers:
            raise Unusable(f"'cards' must be a whole number from 0 to {CARDS}.")
        return {"cards": count}, Result(count)


GAME: Final = FreakyGame()
