"""Freaky, played by the rules and by a naive referee (`tests/games/test_oracles.py`)."""

from __future__ import annotations

import random
from typing import Any

from companion.games.freaky import GAME
from companion.games.freaky.cards import CARDS
from companion.games.freaky.rules import HAND, Freaky
from lab.oracles.freaky import DECK, Referee, alike, complete

Action = dict[str, Any]

GAMES, WILD, PLAYERS = 60, 4, (2, 3, 4, 5)
ENDS = {"the pile is too small"}


def begin(names: tuple[str, ...], chance: random.Random) -> tuple[Any, Referee]:
    return GAME.start(names, {}), Referee(list(names))


def wild(referee: Referee, chance: random.Random) -> Action:
    """An action that may be illegal in any way."""
    rows = [*referee.rows, referee.rows_ever + 1]
    return {
        "do": chance.choice(["start", "play", "play", "play", "take", "take", "draw", "next"]),
        "by": chance.choice([*referee.players, referee.active, referee.active, "Nobody", None]),
        "cards": chance.choices([*DECK, "red/red/9"], k=chance.choice([3, 3, 2])),
        "card": chance.choice([*DECK, "red/red/9"]),
        "row": chance.choice([*rows, *rows, "new", "1", None]),
        "rows": chance.choices(rows, k=chance.choice([0, 1, 1, 2])),
    }


def sensible(position: Freaky, referee: Referee, chance: random.Random) -> Action:
    """A legal action, found by the referee alone."""
    if not referee.rows_ever:
        return {"do": "start", "cards": chance.choices(DECK, k=3)}
    by = referee.active
    ready = [number for number, row in referee.rows.items() if complete(row)]
    if referee.played and ready and chance.random() < 0.8:
        return {"do": "take", "by": by, "rows": chance.sample(ready, chance.randint(1, len(ready)))}
    if referee.played and (referee.took or referee.played == HAND or chance.random() < 0.3):
        return {"do": "draw", "by": by}
    card = chance.choice(DECK)
    fitting = [number for number, row in referee.rows.items() if alike(card, row[-1])]
    return {"do": "play", "by": by, "card": card, "row": chance.choice(fitting or ["new"])}


def same(before: Freaky, position: Freaky, referee: Referee, action: Action) -> None:
    """No card is ever lost."""
    assert (position.turn, position.active) == (referee.turn, referee.active)
    assert (position.over, position.draw_pile) == (referee.over, referee.pile)
    rows = {row.number: [str(card) for card in row.cards] for row in position.rows}
    assert rows == referee.rows
    assert list(position.complete_rows) == [n for n, row in rows.items() if complete(row)]
    assert referee.everywhere() == CARDS
    for player in position.players:
        assert position.hand(player) == referee.hands[player]
        assert position.score(player) == {"total": len(referee.pockets[player])}


def look_closely(position: Freaky, referee: Referee) -> None:
    most = max(map(len, referee.pockets.values()))
    winners = [name for name in referee.players if len(referee.pockets[name]) == most]
    assert list(position.winners()) == (winners if position.over else [])


def ends(position: Freaky) -> str:
    return "the pile is too small"
