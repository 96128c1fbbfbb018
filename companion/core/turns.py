"""A turn in which everybody may act once: who has acted, and when the turn closes.

It is shared by the games in which all players use the active player's roll or cards. It does not
know what an action does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from companion.core.refusal import Refusal, bad_action
from companion.core.values import LONGEST_RAW_NAME, Action, Player, clean_name
from companion.core.words import N_

CLOSE: Final[Action] = {"do": "next"}
"""The action that closes the turn for those who have not acted yet."""


def skip(player: Player) -> dict[str, Any]:
    """The action by which a player lets the turn go by."""
    return {"do": "pass", "by": player}


@dataclass(frozen=True)
class Turn:
    """The turn's number (from 1), the active player's place, and the places that have acted."""

    players: tuple[Player, ...]
    number: int = 1
    active_place: int = 0
    acted: frozenset[int] = frozenset()

    @property
    def active(self) -> Player:
        return self.players[self.active_place]

    @property
    def active_has_acted(self) -> bool:
        return self.active_place in self.acted

    @property
    def all_have_acted(self) -> bool:
        return len(self.acted) == len(self.players)

    @property
    def waiting(self) -> tuple[Player, ...]:
        """The players who have not acted yet, clockwise from the active player."""
        count = len(self.players)
        order = [(self.active_place + step) % count for step in range(count)]
        return tuple(self.players[place] for place in order if place not in self.acted)

    def with_acted(self, player: Player) -> Turn:
        return replace(self, acted=self.acted | {self.players.index(player)})

    def following(self) -> Turn:
        """The next player's turn, in which nobody has acted."""
        place = (self.active_place + 1) % len(self.players)
        return Turn(self.players, self.number + 1, place)


def actor(players: tuple[Player, ...], action: Action) -> Player | Refusal:
    """The player of an action, or the refusal when it is nobody at this table."""
    raw = action.get("by")
    if isinstance(raw, str) and len(raw) > LONGEST_RAW_NAME:
        return unknown_player(raw[:LONGEST_RAW_NAME])
    player = clean_name(raw)
    if player is None:
        return bad_action(N_("The action does not say who did it."))
    return player if player in players else unknown_player(player)


def not_your_turn(turn: Turn) -> Refusal:
    """The refusal when another player rolls or lays."""
    return Refusal(
        "not-your-turn",
        N_("It is %(player)s's turn, so only they can do this."),
        {"player": turn.active},
    )


def already_acted(player: Player) -> Refusal:
    """The refusal of a second entry in one turn: "into exactly one field"."""
    return Refusal(
        "already-acted",
        N_("%(player)s has already written or passed in this turn."),
        {"player": player},
    )


def active_must_act(turn: Turn) -> Refusal:
    """The refusal of `next` before the active player has written, passed or failed."""
    return Refusal(
        "active-must-act",
        N_("The turn cannot end yet: %(player)s has to write or pass first."),
        {"player": turn.active},
    )


def game_over() -> Refusal:
    """The refusal of any action after the end."""
    return Refusal("game-over", N_("The game is over. Undo or correct an entry to change it."))


def unknown_player(name: object) -> Refusal:
    """The refusal of an action by a person who does not sit at this table."""
    return Refusal(
        "unknown-player", N_("Nobody called %(player)s plays in this game."), {"player": name}
    )
