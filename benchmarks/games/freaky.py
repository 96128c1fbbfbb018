"""Turns of Freaky as they are tapped: three cards of a chance, and the draw."""

from __future__ import annotations

from typing import Final

from benchmarks.fingers import Hands, TappedTurn
from companion.core.values import Player
from companion.games.freaky.rules import HAND, START_ROWS

BACKGROUNDS: Final = ".backgrounds .pick:visible"
CARDS: Final = ".deck .pick:visible"
ROWS: Final = "#rows .matches"


def _card(hands: Hands, player: Player) -> None:
    """Taps a card, after its background where not all cards are in view."""
    if hands.count(player, BACKGROUNDS):
        hands.tap_any(player, BACKGROUNDS)
    hands.tap_any(player, CARDS)


def _play(hands: Hands, player: Player) -> None:
    """Plays a hand and draws. The first rows are laid before that, by taps that do not count."""
    if hands.count(player, "#start"):
        before = hands.taps(player)
        for _ in range(START_ROWS):
            _card(hands, player)
        hands.phones[player].taps = before
    for _ in range(HAND):
        _card(hands, player)
        if hands.count(player, ROWS):
            hands.tap_any(player, ROWS)
    hands.tap(player, ".does .primary")


THREE_CARDS: Final = "of a turn of three cards"
TURNS: Final = (
    TappedTurn(_play, "≤ 10", THREE_CARDS),
    TappedTurn(_play, "≤ 7", f"{THREE_CARDS}, on a tablet", size=(1024, 768)),
)
