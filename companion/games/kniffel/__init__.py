"""Kniffel: five dice, three rolls, and thirteen lines to fill."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from companion.core.game import GameKind
from companion.core.rolling import Dice, Face
from companion.core.words import Word
from companion.games.kniffel.guide import KniffelGuide
from companion.games.kniffel.layout import SHEET
from companion.games.kniffel.panel import KniffelPanel
from companion.games.kniffel.rules import FIVE, ROLLS, Kniffel
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
        if position.over or position.rolls >= ROLLS:
            return None
        lying = FIVE.picks(position.dice)

        def roll(faces: Mapping[str, Face]) -> dict[str, Any]:
            return {"do": "roll", "by": position.active, "dice": FIVE.shown({**lying, **faces})}

        return Dice(FIVE.awaited(position.dice), roll, is_chosen=bool(lying))


GAME: Final = KniffelGame()
