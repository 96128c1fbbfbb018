"""Kniffel: five dice, three rolls, and thirteen lines to fill."""

from __future__ import annotations

from typing import ClassVar, Final

from companion.core.game import GameKind
from companion.core.rolling import Dice
from companion.core.words import Word
from companion.games.kniffel.guide import KniffelGuide
from companion.games.kniffel.layout import SHEET
from companion.games.kniffel.panel import KniffelPanel
from companion.games.kniffel.rules import Kniffel
from companion.games.kniffel.sheet import JOKERS


class KniffelGame(GameKind[Kniffel]):
    """The description of Kniffel, in which nobody can let a turn go by."""

    name = "kniffel"
    title = Word("Kniffel (Yahtzee)")
    min_players = 1
    max_players = 8
    options: ClassVar = {"jokers": JOKERS}
    position = Kniffel
    sheet = SHEET
    panel = KniffelPanel()
    guide = KniffelGuide()
    close = None
    bgg_id = 2243

    def dice(self, position: Kniffel) -> Dice | None:
        """All five, and then those that are rolled again, twice at most."""
        return position.awaited


GAME: Final = KniffelGame()
