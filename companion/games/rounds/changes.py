"""Changes of a running game of rounds: who plays, who wins, and where it ends.

Each change is an action of the game, so that undo and replay follow. How a round is played is in
`rules`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Self

from companion.core.position import game_over
from companion.core.refusal import Refusal, bad_action
from companion.core.turns import SheetPosition
from companion.core.values import Action, Player, changed, clean_name, is_whole
from companion.core.words import N_
from companion.games.tally.sheet import Tally

MOST_PLAYERS: Final = 12
MEAN: Final = "mean"  # the points with which a person joins: the mean of the others' sums
# Options that an action `set` may change → their values, the default first
SETTINGS: Final[Mapping[str, Any]] = {
    "lowest": (False, True),
    "to": range(100_000),
    "rounds": range(1_000),
    "starter": (True, False),
}
# The same → the attribute of the position
_ATTRIBUTES: Final = {"lowest": "lowest_wins", "to": "to", "rounds": "most_rounds"}


@dataclass(frozen=True, kw_only=True)
class Changing(SheetPosition[Tally]):
    """A position whose players and end may change between two rounds."""

    AFTER_END: ClassVar = ("won", "set")
    lowest_wins: bool = False
    to: int = 0  # a total that ends the game after a round; 0 for none
    most_rounds: int = 0  # the number of the last round; 0 for none
    starter: bool = True  # whether the table sees who starts the round
    gone: frozenset[Player] = frozenset()  # those who have left; their sums stay
    is_ended: bool = False  # whether the players ended it: then no other end reopens it
    ahead: Player | None = None  # who won a tie, according to the players

    @property
    def settings(self) -> dict[str, Any]:
        """The present values of the settings that `set` may change."""
        return {name: getattr(self, _ATTRIBUTES.get(name, name)) for name in SETTINGS}

    @property
    def present(self) -> tuple[Player, ...]:
        """Those who have not left, in their order."""
        return tuple(player for player in self.players if player not in self.gone)

    @property
    def closed(self) -> int:
        """The number of rounds in which everybody has points."""
        return self.turn - 1 + self.now.all_have_acted

    def has_points(self, player: Player) -> bool:
        """Whether the player has points in the open round, or in the one that ended the game."""
        return player not in self.gone and self.players.index(player) in self.now.acted

    @property
    def totals(self) -> dict[Player, int]:
        """Each player's sum, with the points of the open round."""
        return {name: self.score(name)["total"] for name in self.players}

    @property
    def are_phases_done(self) -> bool:
        """Whether the rules of a known game end it, whatever the settings are."""
        return False

    def mean(self) -> int:
        """The mean of the sums of those who play, rounded half up."""
        sums = [self.totals[player] for player in self.present]
        return (2 * sum(sums) + len(sums)) // (2 * len(sums))

    def winners(self) -> tuple[Player, ...]:
        """The best of those who play on to the end."""
        if not self.over:
            return ()
        results = {player: self.result_of(player) for player in self.present}
        best = max(results.values())
        return tuple(player for player, result in results.items() if result == best)

    def cannot_change(self) -> Refusal | None:
        """Why nobody can join or leave now, or None."""
        if self.over:
            return game_over()
        return self._needs_points() if any(map(self.has_points, self.players)) else None

    def _needs_points(self) -> Refusal:
        """The refusal of a change that is only possible between two rounds."""
        text = N_("Everybody needs points in this round first. Missing: %(players)s.")
        return Refusal("wrong-moment", text, {"players": ", ".join(self.awaited)})

    def _too_early(self, player: Player) -> Refusal | None:
        text = N_("%(player)s has left the game.")
        return Refusal("wrong-moment", text, {"player": player}) if player in self.gone else None

    def _following(self) -> Self:
        """The next round: those who have left neither start it nor are awaited."""
        now = self.now.following()
        place = self._next_place(now.active_place)
        if place != now.active_place:
            now = changed(now, active_place=place)
        return changed(self, now=now)._without_those_gone()

    def _next_place(self, place: int) -> int:
        """This place, or the next one clockwise whose player has not left."""
        while self.players[place] in self.gone:
            place = (place + 1) % len(self.players)
        return place

    def _without_those_gone(self) -> Self:
        """The position in which those who have left are not awaited."""
        acted = frozenset(map(self.players.index, self.gone))
        if acted == self.now.acted:
            return self
        return changed(self, now=changed(self.now, acted=acted))

    def _changed(self, action: Action) -> Self | Refusal:
        """The position after `join`, `leave` or `set`."""
        if action["do"] == "set":
            return self._set({name: value for name, value in action.items() if name != "do"})
        player = clean_name(action.get("player"))
        if player is None:
            return bad_action("The action does not say who it is about.")
        if refused := self.cannot_change():
            return refused
        return self._joined(player, action) if action["do"] == "join" else self._left(player)

    def _joined(self, player: Player, action: Action) -> Self | Refusal:
        points = action.get("points")
        if points != MEAN and (not is_whole(points) or points != 0):
            return bad_action(
                "A new player starts with 0 points or with the average of the others."
            )
        if player in self.present:
            return Refusal(
                "already-acted", N_("%(player)s is already playing."), {"player": player}
            )
        if player in self.gone:
            back = changed(self, gone=self.gone - {player})
            return back._caught_up(player, self.mean() if points == MEAN else None)
        if len(self.players) >= MOST_PLAYERS:
            text = N_("At most %(most)s people can play.")
            return Refusal("wrong-moment", text, {"most": MOST_PLAYERS})
        more = changed(
            self,
            now=changed(self.now, players=(*self.players, player)),
            sheets=(*self.sheets, Tally((player,), ())),
        )
        return more._caught_up(player, self.mean() if points == MEAN else None)

    def _caught_up(self, player: Player, total: int | None) -> Self | Refusal:
        """The position with blanks in the rounds that the player has missed, up to this total."""
        place, sheet = self.players.index(player), self.sheet_of(player)
        missed: list[int | None] = [None] * (self.closed - len(sheet.rounds))
        if missed and total is not None:
            missed[-1] = total - self.totals[player]
        written = self._with_points(player, missed)
        if isinstance(written, Refusal):
            return written
        sheets = (*self.sheets[:place], written, *self.sheets[place + 1 :])
        return changed(self, sheets=sheets)._without_those_gone()

    def _with_points(self, player: Player, numbers: Iterable[int | None]) -> Tally | Refusal:
        """The player's tally with further rounds; those before have been checked."""
        sheet, rounds = self.sheet_of(player), tuple((number,) for number in numbers)
        if problems := changed(sheet, rounds=rounds).problems():
            return replace(problems[0], code="points-out-of-range", fields=())
        return changed(sheet, rounds=(*sheet.rounds, *rounds))

    def _left(self, player: Player) -> Self | Refusal:
        if player not in self.players:
            text = N_("There is no player called %(player)s in this game.")
            return Refusal("unknown-player", text, {"player": player})
        if player in self.gone:
            return self._too_early(player) or self
        if len(self.present) == 1:
            return Refusal("wrong-moment", "Somebody has to keep playing.")
        left = changed(self, gone=self.gone | {player})
        place = left._next_place(left.now.active_place)
        return changed(left, now=changed(left.now, active_place=place))._without_those_gone()

    def _set(self, wanted: Mapping[str, Any]) -> Self | Refusal:
        """The position with other settings: the game ends if its new end is reached, or goes on."""
        if not wanted or not wanted.keys() <= SETTINGS.keys():
            return bad_action(
                "You can set who wins, where the game ends, and whether it shows who starts."
            )
        for name, value in wanted.items():
            allowed = SETTINGS[name]
            if type(value) is not type(allowed[0]) or value not in allowed:
                return bad_action("This value cannot be set.")
        if wanted.items() <= self.settings.items():
            return Refusal("already-acted", "It is already set like this.")
        changes: dict[str, Any] = {_ATTRIBUTES.get(name, name): wanted[name] for name in wanted}
        if wanted.get("lowest", self.lowest_wins) != self.lowest_wins:
            changes["ahead"] = None
        after = changed(self, **changes)
        if after.is_ended or {"to", "rounds"}.isdisjoint(wanted):
            return after
        return after._ended_or_on()

    def _ended_or_on(self) -> Self:
        """The position, over or not by the present end; an open round is played first."""
        if not self.over and any(map(self.has_points, self.players)):
            return self
        sums = [self.totals[player] for player in self.present]
        is_reached = 0 < self.to <= max(sums) or 0 < self.most_rounds <= self.closed
        if self.closed and (is_reached or self.are_phases_done):
            return changed(self, over=True)
        if self.now.all_have_acted:
            return changed(self, over=False, ahead=None)._following()
        return changed(self, over=False, ahead=None)
