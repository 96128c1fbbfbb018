"""Turns of Freaky as they are tapped: three cards of a chance; the next card says the draw."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, Final

from benchmarks.fingers import Hands, Phone, QuickFingers, TappedTurn
from companion.core.values import Player
from companion.games.freaky.cards import COLORS, VALUES
from companion.games.freaky.rules import HAND, START_ROWS

BACKGROUNDS: Final = ".backgrounds .pick:visible"
CARDS: Final = ".deck .pick:visible"
ROWS: Final = "#rows .matches"
REST_MS: Final = 600
DRAW: Final = ".does .primary"


def _card(hands: Hands, player: Player) -> None:
    """Slides from a background to a card, and on to a row where there are several."""
    hands.stroke(player, _slide(hands, player))


def _slide(hands: Hands, player: Player) -> Iterator[str]:
    yield f"{BACKGROUNDS} >> nth={hands.chance.randrange(len(COLORS))}"
    yield f"{CARDS} >> nth={hands.chance.randrange(len(COLORS) * len(VALUES))}"
    hands.phones[player].page.wait_for_timeout(REST_MS)
    if rows := hands.count(player, ROWS):
        yield f"{ROWS} >> nth={hands.chance.randrange(rows)}"


def _play(hands: Hands, active: Player) -> None:
    """Plays a hand. The first rows are laid before that, by taps that do not count."""
    names = list(hands.phones)
    has_played = hands.count(active, DRAW)
    player = names[(names.index(active) + 1) % len(names)] if has_played else active
    if not hands.count(player, "#play, #start"):
        hands.tap(active, DRAW)
        return
    if hands.count(player, "#start"):
        before = hands.taps(player)
        for _ in range(START_ROWS):
            _card(hands, player)
        hands.phones[player].taps = before
    for _ in range(HAND):
        _card(hands, player)
        if hands.count(player, ROWS):
            hands.tap_any(player, ROWS)


THREE_CARDS: Final = "of a turn of three cards"
TURNS: Final = (
    TappedTurn(_play, "≤ 5", THREE_CARDS),
    TappedTurn(_play, "≤ 5", f"{THREE_CARDS}, on a tablet", size=(1024, 768)),
)


def _slide_first_cards(phone: Phone, chance: random.Random) -> list[object]:
    cards: list[object] = []
    for laid in range(START_ROWS):
        names = [chance.choice(COLORS) for _ in range(2)]
        card = f"{names[0]}/{names[1]}/{chance.choice(VALUES)}"
        phone.stroke((f".backgrounds [data-value={names[0]}]", f".deck [data-value='{card}']"))
        cards.append(card)
        if laid < START_ROWS - 1:
            phone.page.locator("#start .slot.full").nth(laid).wait_for()
    return cards


def _first_cards(actions: list[dict[str, Any]]) -> list[object]:
    return [card for action in actions for card in action.get("cards", ())]


QUICK: Final = QuickFingers("cards slid to", _slide_first_cards, _first_cards)
