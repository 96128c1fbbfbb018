"""Games of Qwinto with dice, tapped as the page sends them.

Every die is a tap of its own, and each die after the first replaces the entry that the first made.
"""

from __future__ import annotations

import random
import secrets
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from benchmarks.fingers import Hands, TappedTurn
from companion.core.refusal import Refusal
from companion.core.values import Player
from companion.games.qwinto import sheet as qwinto
from companion.games.qwinto_dice import GAME
from companion.games.qwinto_dice.rules import QwintoDice

REROLLS: Final = 0.15  # the share of rolls that the active player repeats
PASSES: Final = 0.2  # the share of turns in which another player who could write passes

Document: TypeAlias = dict[str, Any]


def begin(players: tuple[Player, ...], chance: random.Random) -> RandomGame:
    """A new game of these players."""
    return RandomGame(GAME.start(players, {}), chance)


@dataclass
class RandomGame:
    """A game in progress, and its next random tap. All taps are legal."""

    position: QwintoDice
    chance: random.Random
    _rolled: str = ""  # the id of the tap whose entry further dice replace
    _before: QwintoDice | None = None  # the position before the roll
    # Colour → value of the dice that have been thrown but not tapped in yet.
    _dice: dict[str, int] = field(default_factory=dict)

    def tap(self) -> tuple[Player, Document]:
        """See `TappedGame.tap`."""
        body: Document = {"id": secrets.token_hex(16), "moment": self.position.fingerprint}
        before = self.position
        if self._dice:
            player, action = before.active, self._next_die()
            body["replaces"] = self._rolled
            before = self._before or before
        else:
            player, action = self._action()
            if action["do"] == "roll":
                self._rolled, self._before = body["id"], before
        after = before.play(action)
        if isinstance(after, Refusal):
            raise RuntimeError(f"{action} is not allowed: {after.message}")
        self.position = after
        return player, {**body, "action": action}

    def _next_die(self) -> Document:
        color = next(iter(self._dice))
        dice = {**dict(self.position.dice), color: self._dice.pop(color)}
        return {"do": "roll", "by": self.position.active, "dice": dice}

    def _action(self) -> tuple[Player, Document]:
        position, chance = self.position, self.chance
        active = position.active
        if not position.rolls:
            colors = chance.sample(qwinto.COLORS, chance.choice((1, 2, 2, 3)))
            self._dice = {color: chance.randint(1, 6) for color in colors}
            first = colors[0]
            return active, {"do": "roll", "by": active, "dice": {first: self._dice.pop(first)}}
        if position.may_reroll and chance.random() < REROLLS:
            # The page sends a second roll in one tap, once all of its dice are tapped.
            dice = {color: chance.randint(1, 6) for color in position.called_colors}
            return active, {"do": "roll", "by": active, "dice": dice}
        player = active if active in position.awaited else chance.choice(position.awaited)
        fields = position.open_fields(player)
        if not fields or (player != active and chance.random() < PASSES):
            return player, {"do": "pass", "by": player}
        # People write small numbers on the left and large ones on the right.
        wanted = (position.called or 0) / 2
        row, place = min(fields, key=lambda at: (abs(at[1] - wanted), chance.random()))
        return player, {"do": "write", "by": player, "row": row, "field": place}


def _roll(hands: Hands, player: Player) -> None:
    chance = hands.chance
    for color in chance.sample(qwinto.COLORS, chance.choice((1, 2, 2, 3))):
        hands.tap_any(player, f'#dice [data-part="dice.{color}"]')


TURNS: Final = (TappedTurn(_roll, aim="≤ 3 + 1 a player"),)
