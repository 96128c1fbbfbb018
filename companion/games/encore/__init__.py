"""Encore! (Noch mal!): six dice, and boxes crossed in clumps, on one of seven boards."""

from __future__ import annotations

from typing import ClassVar, Final

from companion.core.game import GameKind
from companion.core.words import Sentence, Word
from companion.games.encore.boards import BOARDS
from companion.games.encore.guide import EncoreGuide
from companion.games.encore.layout import SHEET
from companion.games.encore.panel import EncorePanel
from companion.games.encore.rules import Encore

# The least points of each level of the solo game, and its stars. Less than 0 points is the
# lightning bolt. Source: the German rules, page 6.
LEVELS: Final = (
    (41, "4"),
    (33, "3½"),
    (29, "3"),
    (21, "2½"),
    (17, "2"),
    (9, "1½"),
    (5, "1"),
    (1, "½"),
    (0, "0"),
)


class EncoreGame(GameKind[Encore]):
    name = "encore"
    title = Word("Encore!")
    min_players = 1
    max_players = 6
    options: ClassVar = {"board": tuple(BOARDS)}
    position = Encore
    sheet = SHEET
    panel = EncorePanel()
    guide = EncoreGuide()

    def rating(self, total: int) -> Sentence:
        """The stars for a solo game's points."""
        for least, stars in LEVELS:
            if total >= least:
                return Sentence("Rating: %(stars)s of 4 stars", {"stars": stars})
        return Sentence("Rating: a lightning bolt, below 0 stars")


GAME: Final = EncoreGame()
