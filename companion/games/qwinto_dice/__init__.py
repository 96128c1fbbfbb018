"""Qwinto with dice: the active player rolls, and everybody may write the sum."""

from __future__ import annotations

from typing import Final

from companion.core.colors import COLOR_WORDS
from companion.core.game import GameKind
from companion.core.rolling import FACES, Dice, Die
from companion.core.words import Sentence, Word
from companion.games.qwinto.layout import SHEET
from companion.games.qwinto.sheet import COLORS
from companion.games.qwinto_dice.guide import QwintoDiceGuide
from companion.games.qwinto_dice.panel import QwintoDicePanel
from companion.games.qwinto_dice.rules import QwintoDice


class QwintoDiceGame(GameKind[QwintoDice]):
    name = "qwinto-dice"
    title = Word("Qwinto")
    min_players = 2
    max_players = 6
    position = QwintoDice
    sheet = SHEET
    panel = QwintoDicePanel()
    guide = QwintoDiceGuide()
    bgg_id = 183006

    def dice(self, position: QwintoDice) -> Dice | None:
        """Any of the three, or the same ones again."""
        if position.over or (position.rolls and not position.may_reroll):
            return None
        colors = position.called_colors or COLORS
        return Dice(
            tuple(Die(color, Sentence(COLOR_WORDS[color]), tuple(FACES)) for color in colors),
            lambda faces: {"do": "roll", "by": position.active, "dice": dict(faces)},
            is_chosen=not position.rolls,
            left=1 if position.rolls else 0,
        )


GAME: Final = QwintoDiceGame()
