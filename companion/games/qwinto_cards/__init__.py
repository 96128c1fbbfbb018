"""Qwinto, the card game: the active player lays a card, and everybody may write the sum."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from companion.core.game import GameKind
from companion.core.position import Turn
from companion.core.values import Player
from companion.core.words import Word
from companion.games.qwinto.layout import SHEET
from companion.games.qwinto.sheet import QwintoSheet
from companion.games.qwinto_cards.guide import QwintoCardsGuide
from companion.games.qwinto_cards.panel import QwintoCardsPanel
from companion.games.qwinto_cards.rules import DECK, HAND, PLACES, QwintoCards


class QwintoCardsGame(GameKind[QwintoCards]):
    name = "qwinto-cards"
    title = Word("Qwinto: the card game")
    min_players = 1
    max_players = 4
    sheet = SHEET
    panel = QwintoCardsPanel()
    guide = QwintoCardsGuide()

    def start(self, players: tuple[Player, ...], options: Mapping[str, str]) -> QwintoCards:
        """The position after hands were dealt, before the grid was."""
        return QwintoCards(
            now=Turn(players),
            sheets=(QwintoSheet(),) * len(players),
            draw_pile=len(DECK) - len(PLACES) - HAND * len(players),
        )


GAME: Final = QwintoCardsGame()
