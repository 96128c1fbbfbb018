"""Qwixx: everybody may use the white dice, and the active player a colored one as well."""

from typing import Final

from companion.core import turns
from companion.core.game import Game
from companion.core.words import N_, Word
from companion.games.qwixx.guide import GUIDE
from companion.games.qwixx.layout import SHEET
from companion.games.qwixx.panel import PANEL, adapt
from companion.games.qwixx.rolling import dice
from companion.games.qwixx.rules import start

GAME: Final = Game(
    name="qwixx",
    title=Word(N_("Qwixx")),
    min_players=2,
    max_players=5,
    start=start,
    sheet=SHEET,
    panel=PANEL,
    guide=GUIDE,
    skip=turns.skip,
    adapt=adapt,
    close=turns.CLOSE,
    dice=dice,
    bgg_id=131260,
)
