"""Rounds of any game: everybody's points of a round, their sums, and when it ends.

A round is played in the steps of its `Counting`; an unknown game has one step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from companion.core.position import game_over
from companion.core.refusal import Refusal, bad_action
from companion.core.result import Result
from companion.core.values import Action, Player, changed, clean_name, is_whole
from companion.core.words import N_
from companion.games.rounds.changes import Changing
from companion.games.rounds.counting import CLOSED, PHASE, PLAIN, Counting


@dataclass(frozen=True, kw_only=True)
class Rounds(Changing):
    """A position; a turn is a round, which closes when everybody has points in it."""

    ACTIONS: ClassVar = (
        *("points", "end", "won", "set", "join", "leave"),
        *("bid", "tricks", "bonus", "phase", "closed"),
    )
    UNSIGNED: ClassVar = ("end", "set", "join", "leave", "closed")
    HAS_ACTED: ClassVar = N_("%(player)s already has points in this round.")
    counting: Counting = PLAIN
    place: int = 0  # the index of the open round's step
    # (step, player, number) of all that was typed or worked out in the open round; a plain round's
    # points are written at once
    typed: tuple[tuple[str, Player, int], ...] = ()
    phases: tuple[Player, ...] = ()  # a name for each phase that its player has done

    @property
    def fingerprint(self) -> str:
        """The round and its step: nobody's points change what the others see."""
        step = f".{self.place}" if self.place else ""
        return f"{self.turn}{step}{'.over' if self.over else ''}{self.ahead or ''}"

    @property
    def step(self) -> int:
        return (self.turn - 1) * len(self.counting.steps) + self.place + 1

    @property
    def step_name(self) -> str:
        """The open round's step, named by the action that it awaits."""
        return self.counting.steps[self.place]

    def typed_in(self, step: str) -> dict[Player, int]:
        """The numbers of a step of the open round."""
        return {player: number for name, player, number in self.typed if name == step}

    def has_points(self, player: Player) -> bool:
        return bool(self.typed) or super().has_points(player)

    @property
    def rest(self) -> int | None:
        """The sum left for those without a number, where the step's total is known."""
        return self.counting.rest(self.step_name, self.turn, self.typed_in(self.step_name))

    def phase_of(self, player: Player) -> int:
        """The number of the phase on which the player is."""
        return self.phases.count(player) + 1

    @property
    def places(self) -> dict[Player, int]:
        """The places, after the closed rounds, of those who have not left; equals share one."""
        closed = {}
        for name in self.present:
            points = self.totals[name] - (self.points_of(name) or 0)
            closed[name] = (-self.phases.count(name), points if self.lowest_wins else -points)
        best_first = sorted(closed.values())
        return {name: 1 + best_first.index(points) for name, points in closed.items()}

    def points_of(self, player: Player) -> int | None:
        """The points that are written in the open round, or in the one that ended the game."""
        is_written = not self.typed and self.has_points(player)
        return self.sheet_of(player).columns[0][-1] if is_written else None

    def winners(self) -> tuple[Player, ...]:
        """The best of those who play on to the end and have done the most phases."""
        if not self.phases or not self.over:
            return super().winners()
        most = max(map(self.phases.count, self.present))
        furthest = {name for name in self.present if self.phases.count(name) == most}
        best = max(map(self.result_of, furthest))
        return tuple(
            name for name in self.players if name in furthest and self.result_of(name) == best
        )

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
        return is_reached or 0 < self.most_rounds <= self.turn or self.are_phases_done

    @property
    def are_phases_done(self) -> bool:
        """Whether somebody has done the last phase."""
        last = self.counting.phases
        return bool(last) and any(self.phases.count(name) >= last for name in self.present)

    def _enter(self, player: Player, action: Action) -> Self | Refusal:
        if action["do"] == "won" and player in self.deciding:
            return changed(self, ahead=player)
        if refused := self._cannot_act(player):
            return refused
        if action["do"] == "won":
            return Refusal("wrong-moment", "A tie is decided once the game is over.")
        if action["do"] != self.step_name:
            return self._other_step()
        return (
            self._written(player, action) if self.counting.is_plain else self._typed(player, action)
        )

    def _other_step(self) -> Refusal:
        return Refusal("wrong-moment", "The game is asking for something else now.")

    def _written(self, player: Player, action: Action) -> Self | Refusal:
        """The position after points that are written as they are typed."""
        points = action.get("points")
        if not is_whole(points):
            return bad_action("The points of a round must be a whole number.")
        least, most = self.counting.limits("points", self.turn)
        written = self._with_points(player, (points,))
        if isinstance(written, Refusal):
            return written
        if not least <= points <= most:
            refused = self.counting.checked("points", action, self.turn)
            return refused if isinstance(refused, Refusal) else self._other_step()
        return self._acted(player, written)

    def _typed(self, player: Player, action: Action) -> Self | Refusal:
        """The position after a number of a round whose points are worked out."""
        number = self.counting.checked(self.step_name, action, self.turn)
        if isinstance(number, Refusal):
            return number
        after = self._with({player: number})
        open_ = after.now.awaited
        typed = after.typed_in(self.step_name)
        if refused := self.counting.cannot_add_up(self.step_name, self.turn, typed, open_):
            return refused
        known = self.counting.worked_out(self.step_name, self.turn, typed, open_)
        return after._with(known)._stepped()

    def _with(self, numbers: dict[Player, int]) -> Self:
        """The position with these numbers of the open step."""
        now = self.now
        for player in numbers:
            now = now.with_acted(player)
        more = ((self.step_name, player, number) for player, number in numbers.items())
        return changed(self, now=now, typed=(*self.typed, *more))

    def _stepped(self) -> Self | Refusal:
        """The position in the next step that awaits anybody, or after the round."""
        if not self.now.all_have_acted:
            return self
        if self.place + 1 == len(self.counting.steps):
            return self._counted()
        after = changed(self, place=self.place + 1)
        typed = {step: after.typed_in(step) for step in self.counting.steps}
        acted = set()
        for seat, player in enumerate(self.players):
            if player in self.gone or not self.counting.is_awaited(after.step_name, player, typed):
                acted.add(seat)
        return changed(after, now=changed(self.now, acted=frozenset(acted)))._stepped()

    def _counted(self) -> Self | Refusal:
        """The position after the round, with the points that follow from what was typed."""
        typed = {step: self.typed_in(step) for step in self.counting.steps}
        points = self.counting.points(self.turn, typed)
        sheets = []
        for player, sheet in zip(self.players, self.sheets, strict=True):
            written = self._with_points(player, (points[player],)) if player in points else sheet
            if isinstance(written, Refusal):
                return written
            sheets.append(written)
        done = [player for player, is_done in self.typed_in(PHASE).items() if is_done]
        counted = changed(self, sheets=tuple(sheets), phases=tuple(sorted([*self.phases, *done])))
        return changed(counted, typed=(), place=0)._closed()

    def _play_unsigned(self, action: Action) -> Self | Refusal:
        if action["do"] == CLOSED:
            return self._closed_by(clean_name(action.get("player")))
        if action["do"] == "end":
            return self.cannot_end() or changed(self, over=True, is_ended=True)
        return self._changed(action)

    def _closed_by(self, player: Player | None) -> Self | Refusal:
        """The position after somebody said who closed or won the round."""
        if player is None:
            return bad_action("The action does not say who it is about.")
        if self.over:
            return game_over()
        if player not in self.players:
            text = N_("There is no player called %(player)s in this game.")
            return Refusal("unknown-player", text, {"player": player})
        if refused := self._too_early(player):
            return refused
        if self.step_name != CLOSED:
            return self._other_step()
        everybody = frozenset(range(len(self.players)))
        after = self._with({player: 1})
        return changed(after, now=changed(after.now, acted=everybody))._stepped()
