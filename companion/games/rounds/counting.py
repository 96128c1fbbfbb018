"""How a round is counted: which numbers each player types, and the points that follow.

A game's way is a row of `known.toml`. A round has steps; in each one everybody types a number,
unless it can be worked out. How a position goes through them is in `rules`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Final, TypeAlias

from companion.core.refusal import Refusal, bad_action
from companion.core.values import Action, Player, is_whole
from companion.core.words import N_
from companion.games.tally.sheet import POINTS as RANGE

Numbers: TypeAlias = Mapping[Player, int]

POINTS, BID, TRICKS, BONUS, PHASE, CLOSED = "points", "bid", "tricks", "bonus", "phase", "closed"

# Way → the steps of a round, named by the action that each one awaits
STEPS: Final[Mapping[str, tuple[str, ...]]] = {
    "plain": (POINTS,),
    "bids": (BID, TRICKS),
    "winner": (CLOSED, POINTS),
    "closer": (CLOSED, POINTS),
    "sum": (POINTS,),
    "phases": (PHASE, POINTS),
}


@dataclass(frozen=True, kw_only=True)
class Counting:
    """A way to count, with its numbers. Rounds are counted from 1."""

    way: str = "plain"
    least: int = RANGE[0]
    most: int = RANGE[-1]
    made: int = 0  # points for a bid that was made
    each: int = 0  # points for each trick of a bid that was made
    missed: int = 0  # points for each trick more or less than the bid
    nothing: int = 0  # points for each card of the round, for a bid of 0
    bonus: bool = False  # whether a bid that was made may bring more points
    exact: bool = False  # whether the tricks of a round add up to its number
    losers: bool = False  # whether the winner's points are taken from the others
    sum: int = 0  # of the numbers of a round
    # Whether a player who has the whole sum gets 0 instead, and each of the others the sum
    all: bool = False
    phases: int = 0  # the number of the last phase

    @property
    def is_plain(self) -> bool:
        """Whether points are written as they are typed."""
        return self.way == "plain"

    @property
    def steps(self) -> tuple[str, ...]:
        return (*STEPS[self.way], BONUS) if self.bonus else STEPS[self.way]

    def limits(self, step: str, number: int) -> tuple[int, int]:
        """(least, most) of what is typed in a step of the round of this number."""
        if step in (BID, TRICKS):
            return 0, number
        return (0, RANGE[-1]) if step == BONUS else (self.least, self.most)

    def is_awaited(self, step: str, player: Player, typed: Mapping[str, Numbers]) -> bool:
        """Whether the player types anything in the step."""
        if step == BONUS:
            return typed[BID][player] == typed[TRICKS][player]
        return step != POINTS or self.way != "winner" or player not in typed[CLOSED]

    def checked(self, step: str, action: Action, number: int) -> int | Refusal:
        """The number that an action has for a step of the round of this number."""
        raw = action.get(step)
        if step == PHASE:
            if not isinstance(raw, bool):
                return bad_action(
                    "The action must say whether the phase was completed: true or false."
                )
            return int(raw)
        if not is_whole(raw):
            return bad_action("A round takes whole numbers only.")
        least, most = self.limits(step, number)
        if least <= raw <= most:
            return raw
        text = N_("This must be a number from %(lowest)s to %(highest)s, not %(number)s.")
        values = {"lowest": least, "highest": most, "number": raw}
        return Refusal("points-out-of-range", text, values)

    def has_sum(self, step: str) -> bool:
        return (self.way == "sum" and step == POINTS) or (self.way == "bids" and step == TRICKS)

    def rest(self, step: str, number: int, typed: Numbers) -> int | None:
        """The sum of the others' numbers, in a step whose total is known."""
        is_known = self.way == "sum" if step == POINTS else step == TRICKS and self.exact
        if not is_known:
            return None
        return (number if step == TRICKS else self.sum) - sum(typed.values())

    def worked_out(
        self, step: str, number: int, typed: Numbers, open_: Sequence[Player]
    ) -> dict[Player, int]:
        """The numbers that follow for players without one, so that nobody need type them."""
        rest = self.rest(step, number, typed)
        if rest is None or not open_ or not typed:
            return {}
        if len(open_) == 1:
            return {open_[0]: rest}
        is_all = rest == 0 and self.limits(step, number)[0] == 0
        return dict.fromkeys(open_, 0) if is_all else {}

    def cannot_add_up(
        self, step: str, number: int, typed: Numbers, open_: Sequence[Player]
    ) -> Refusal | None:
        """Why the numbers of a step are too many or too few, or None."""
        least, most = self.limits(step, number)
        total = number if step == TRICKS else self.sum
        if not self.has_sum(step):
            return None
        rest = total - sum(typed.values())
        is_exact = self.rest(step, number, typed) is not None
        if least * len(open_) <= rest and (rest <= most * len(open_) or not is_exact):
            return None
        text = N_(
            "This round must add up to %(total)s, not %(sum)s. Tap the wrong number and correct it."
        )
        return Refusal("does-not-add-up", text, {"total": total, "sum": total - rest})

    def points(self, number: int, typed: Mapping[str, Numbers]) -> dict[Player, int]:
        """Everybody's points of a round, from all that was typed and worked out in it."""
        if self.way == "bids":
            return {player: self._of_bid(number, player, typed) for player in typed[BID]}
        written = dict(typed.get(POINTS, {}))
        if self.way == "winner":
            (winner,) = typed[CLOSED]
            taken = sum(written.values())
            sign = -1 if self.losers else 0
            return {**{player: sign * held for player, held in written.items()}, winner: taken}
        if self.way == "closer":
            (closer,) = typed[CLOSED]
            own = written[closer]
            others = [points for player, points in written.items() if player != closer]
            if own > 0 and others and own >= min(others):
                written[closer] = 2 * own
        if self.all and self.sum in written.values():
            return {player: self.sum - points for player, points in written.items()}
        return written

    def _of_bid(self, number: int, player: Player, typed: Mapping[str, Numbers]) -> int:
        bid, tricks = typed[BID][player], typed[TRICKS][player]
        if bid == 0 and self.nothing:
            points = self.nothing * number * (1 if tricks == 0 else -1)
        elif bid == tricks:
            points = self.made + self.each * tricks
        else:
            points = self.missed * abs(bid - tricks)
        return points + typed.get(BONUS, {}).get(player, 0)


PLAIN: Final = Counting()


@dataclass(frozen=True)
class KnownGame:
    """A row of `known.toml`."""

    key: str
    names: tuple[str, ...]
    players: tuple[int, int]
    lowest: bool = False
    to: int = 0
    rounds: int = 0  # the number of the last one; 0 where there is none, or it depends
    rounds_by_players: Mapping[int, int] = field(default_factory=dict)
    counting: Counting = PLAIN

    @property
    def title(self) -> str:
        return self.names[0]

    @property
    def options(self) -> dict[str, Any]:
        """The settings that go with the chosen game."""
        return {"lowest": self.lowest, "to": self.to, "rounds": self.rounds, "counting": self.key}


def _known(key: str, row: dict[str, Any]) -> KnownGame:
    rounds = row.pop("rounds", 0)
    names, (fewest, most) = tuple(row.pop("names")), row.pop("players")
    facts = {name: row.pop(name) for name in ("lowest", "to") if name in row}
    by_players = {}
    if isinstance(rounds, dict):
        by_players, rounds = {int(count): last for count, last in rounds.items()}, 0
    counting = Counting(**row)
    return KnownGame(key, names, (fewest, most), **facts, rounds=rounds,
                     rounds_by_players=by_players, counting=counting)  # fmt: skip


def _read() -> Iterator[KnownGame]:
    text = (files(__package__) / "known.toml").read_text(encoding="utf-8")
    for key, row in tomllib.loads(text).items():
        yield _known(key, row)


KNOWN: Final[Mapping[str, KnownGame]] = {game.key: game for game in _read()}


@cache
def known_by_title(title: str) -> KnownGame | None:
    """The known game of one of these names, in any case."""
    wanted = title.casefold()
    for game in KNOWN.values():
        if wanted in map(str.casefold, game.names):
            return game
    return None
