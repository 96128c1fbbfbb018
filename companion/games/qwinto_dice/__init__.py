"""Qwinto with dice: the active player rolls, and everybody may write the sum."""

from typing import Final

from companion.core import turns
from companion.core.game import Game
from companion.core.words import N_, Word
from companion.games.qwinto.layout import SHEET
from companion.games.qwinto_dice.guide import GUIDE
from companion.games.qwinto_dice.panel import PANEL
from companion.games.qwinto_dice.rolling import dice
from companion.games.qwinto_dice.rules import start

GAME: Final = Game(
    name="qwinto-dice",
    title=Word(N_("Qwinto")),
    min_players=2,
    max_players=6,
    start=start,
    sheet=SHEET,
    panel=PANEL,
    guide=GUIDE,
    skip=turns.skip,
    close=turns.CLOSE,
    dice=dice,
    bgg_id=183006,
)
