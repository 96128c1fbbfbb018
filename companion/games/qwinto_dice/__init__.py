"""Qwinto with dice: the active player rolls, and everybody may write the sum."""

from __future__ import annotations

from typing import Final

from companion.core.game import GameKind
from companion.core.words import Word
from companion.games.qwinto.layout import SHEET
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


GAME: Final = QwintoDiceGame()
