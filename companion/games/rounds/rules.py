"""Rounds of any game: everybody's points of a round, their sums, and when it ends."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from companion.core.position import game_over
from companion.core.refusal import Refusal, bad_action
from companion.core.result import Result
from companion.core.values import Action, Player, is_whole
from companion.core.words import N_
from companion.games.rounds.changes import Changing


@dataclass(frozen=True, kw_only=True)
class Rounds(Changing):
    """A position; a turn is a round, which closes when everybody has points in it."""

    ACTIONS: ClassVar = ("points", "end", "won", "set", "join", "leave")
    UNSIGNED: ClassVar = ("end", "set", "join", "leave")
    HAS_ACTED: ClassVar = N_("%(player)s has points in this round already.")

    @property
    def fingerprint(self) -> str:
        """The round: nobody's points change what the others see."""
        return f"{self.turn}{'.over' if self.over else ''}{self.ahead or ''}"

    @property
    def places(self) -> dict[Player, int]:
        """The place after the closed rounds of everybody who has not left; equals share one."""
        closed = {}
        for name in self.present:
            points = self.totals[name] - (self.points_of(name) or 0)
            closed[name] = points if self.lowest_wins else -points
        best_first = sorted(closed.values())
        return {name: 1 + best_first.index(points) for name, points in closed.items()}

    def points_of(self, player: Player) -> int | None:
        return self.sheet_of(player).columns[0][-1] if self.has_points(player) else None

    def result_of(self, player: Player) -> Result:
        """The total, below zero where the lowest one wins: the greatest result is the best."""
        total = self.totals[player]
        return Result(-total if self.lowest_wins else total, tie=int(player == self.ahead))

    @property
    def deciding(self) -> dict[Player, dict[str, Any]]:
        """See `Position.deciding`: a tie may have been decided in some other way."""
        winners = self.winners()
        if len(winners) < 2:
            return {}
        return {name: {"do": "won", "by": name} for name in winners}

    def cannot_end(self) -> Refusal | None:
        """Why the game cannot be ended now, or None."""
        if self.over:
            return game_over()
        if not self.closed:
            return self._needs_points()
        return self.cannot_change()

    @property
    def _ends(self) -> bool:
        is_reached = 0 < self.to <= max(self.totals[player] for player in self.present)
        return is_reached or 0 < self.most_rounds <= self.turn

    def _play_by(self, player: Player, action: Action) -> Self | Refusal:
        points = action.get("points")
        if action["do"] == "won" and player in self.deciding:
            return replace(self, ahead=player)
        if refused := self._cannot_act(player):
            return refused
        if action["do"] == "won":
            return Refusal("wrong-moment", "A tie is decided once the game is over.")
        if not is_whole(points):
            return bad_action("The points of a round are a whole number.")
        sheet = self.sheet_of(player)
        written = replace(sheet, rounds=(*sheet.rounds, (points,)))
        if problems := written.problems():
            return replace(problems[0], code="points-out-of-range", fields=())
        return self._acted(player, written)

    def _play_unsigned(self, action: Action) -> Self | Refusal:
        if action["do"] == "end":
            return self.cannot_end() or replace(self, over=True, is_ended=True)
        return self._changed(action)
