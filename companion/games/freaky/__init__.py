"""Freaky: cards are laid in rows, and rows with four of a kind are taken."""

from typing import Final

from companion.core.game import Game
from companion.core.words import N_, Word
from companion.games.freaky.guide import GUIDE
from companion.games.freaky.panel import PANEL
from companion.games.freaky.rules import counted, read_cards, start
from companion.games.tally.layout import SHEET

GAME: Final = Game(
    name="freaky",
    title=Word(N_("Freaky")),
    min_players=2,
    max_players=5,
    start=start,
    sheet=SHEET,
    panel=PANEL,
    guide=GUIDE,
    read_result=read_cards,
    counted=counted,
)
