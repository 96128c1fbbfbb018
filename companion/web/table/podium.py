"""The places of a finished game's players, and the podium's steps."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, Protocol, TypeVar

from companion.core.position import Position
from companion.core.result import Result
from companion.core.sheet import FilledSheet
from companion.core.values import Player

STEPS: Final = 3


class Placed(Protocol):
    @property
    def place(self) -> int: ...


P = TypeVar("P", bound=Placed)


@dataclass(frozen=True, slots=True)
class PodiumStep(Generic[P]):
    """A step of the podium with everybody who shares its place."""

    place: int
    players: tuple[P, ...]


def final_result(position: Position, name: Player, filled: FilledSheet | None) -> Result:
    """A player's result at the end; `filled` is the sheet, None in a game without one."""
    return Result(position.score(name)["total"]) if filled is None else filled.result


def places(results: Mapping[Player, Result], winners: Collection[Player]) -> Mapping[Player, int]:
    """Each player's place: 1 and the number of those who did better."""
    worth = {name: (name in winners, result) for name, result in results.items()}
    return {name: 1 + sum(other > own for other in worth.values()) for name, own in worth.items()}


def steps(players: Iterable[P]) -> Sequence[PodiumStep[P]]:
    """The steps for the first three places; none where somebody has played alone."""
    known = tuple(players)
    if len(known) < 2:
        return ()
    on = {place: tuple(one for one in known if one.place == place) for place in range(1, STEPS + 1)}
    return tuple(PodiumStep(place, here) for place, here in on.items() if here)
