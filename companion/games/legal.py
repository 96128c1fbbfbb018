"""The legal actions at a position, for programs that use the rules as a library.

>>> from companion.games.catalog import GAMES
>>> game = next(iter(GAMES.values()))
>>> start = game.start(("Ada", "Ben"), {})
>>> list(legal_actions(game, start))  # the dice come first
[]
>>> dice = start.next_roll
>>> rolled = start.play(dice.roll({die.part: 6 for die in dice.dice}))
>>> [action["do"] for action in legal_actions(game, rolled)].count("pass")
2
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from companion.core.game import Game
from companion.core.position import Position
from companion.core.refusal import Refusal


def legal_actions(game: Game, position: Position) -> Iterator[Mapping[str, Any]]:
    """The legal entries of all players who are awaited, their passes, and the end of the step.

    Rolls, cards and points are left out: chance or people decide them. `Position.play` says of each
    whether it is legal.
    """
    for player in position.awaited:
        yield from game.panel.writings(position, player)
        if (passing := game.pass_action(player)) and _is_legal(position, passing):
            yield passing
    if game.close and _is_legal(position, game.close):
        yield game.close


def _is_legal(position: Position, action: Mapping[str, Any]) -> bool:
    return not isinstance(position.play(action), Refusal)
