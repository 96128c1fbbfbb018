"""Trees of legal actions, counted as perft does for chess: no clever bug survives the numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from companion.core.position import Position
from companion.core.refusal import Refusal

Node = TypeVar("Node")


def counts(first: Node, following: Callable[[Node], Iterable[Node]], depth: int) -> list[int]:
    """How many sequences of one, two, … and `depth` legal actions there are."""
    found, layer = list[int](), [first]
    for _ in range(depth):
        layer = [after for node in layer for after in following(node)]
        found.append(len(layer))
    return found


def by_rules(tries: Sequence[Any]) -> Callable[[Any], Iterable[Any]]:
    """The positions after each action that the rules allow, out of those tried."""

    def following(position: Position) -> Iterable[Position]:
        results = map(position.play, tries)
        return (result for result in results if not isinstance(result, Refusal))

    return following


def by_referee(tries: Sequence[Any]) -> Callable[[Any], Iterable[Any]]:
    """The games after each action that a naive referee allows, out of those tried."""

    def following(referee: Any) -> Iterable[Any]:
        legal = (action for action in tries if not referee.why_not(action))
        log, make = referee.log, type(referee)
        return (make(referee.players, [*log, action], referee.already) for action in legal)

    return following
