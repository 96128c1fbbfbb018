"""Qwinto, the card game: the active player lays a card, and everybody may write the sum."""

from typing import Final

from companion.core import turns
from companion.core.game import Game
from companion.core.words import N_, Word
from companion.games.qwinto.layout import SHEET
from companion.games.qwinto_cards.guide import GUIDE
from companion.games.qwinto_cards.panel import PANEL
from companion.games.qwinto_cards.rules import start

GAME: Final = Game(
    name="qwinto-cards",
    title=Word(N_("Qwinto: the card game")),
    min_players=1,
    max_players=4,
    start=start,
    sheet=SHEET,
    panel=PANEL,
    guide=GUIDE,
    skip=turns.skip,
    close=turns.CLOSE,
)
