"""Encore! (Noch mal!): six dice, and boxes crossed in clumps, on one of seven boards."""

from typing import Final

from companion.core import turns
from companion.core.game import Game
from companion.core.words import N_, Word
from companion.games.encore.boards import BOARDS
from companion.games.encore.guide import GUIDE
from companion.games.encore.layout import SHEET
from companion.games.encore.panel import PANEL
from companion.games.encore.rolling import dice
from companion.games.encore.rules import start
from companion.games.encore.solo import rating

GAME: Final = Game(
    name="encore",
    title=Word(N_("Encore!")),
    min_players=1,
    max_players=6,
    start=start,
    options={"board": tuple(BOARDS)},
    sheet=SHEET,
    panel=PANEL,
    guide=GUIDE,
    skip=turns.skip,
    close=turns.CLOSE,
    dice=dice,
    rating=rating,
)
