"""Filled-in sheets without their paper, their results, and the winners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, Self

from companion.core.refusal import Refusal
from companion.core.values import Document
from companion.core.words import Sentence


@dataclass(frozen=True, order=True)
class Result:
    """The result of a finished sheet, or of a game without sheets. The greatest result wins."""

    total: int
    tie: int = 0  # the tie-breaker; equal for all where ties are shared
    # The name of what `tie` counts; None where ties are shared.
    tie_name: Sentence | None = field(default=None, compare=False)


class Written(Protocol):
    """A filled-in sheet, without its paper."""

    @classmethod
    def from_document(cls, document: Mapping[str, object]) -> Self:
        """The sheet of a public document; raises `Unusable` when it is not of that shape."""

    def document(self) -> Document:
        """The public document."""

    def problems(self) -> tuple[Refusal, ...]:
        """Every fault, not only the first."""

    def score(self) -> Document:
        """The score object of the public interface."""

    def result(self) -> Result:
        """The total, and what breaks a tie."""


def ranked(
    results: Sequence[Result | None], wins: Sequence[bool], *, lowest_wins: bool = False
) -> list[int]:
    """The indices of the results, winners first; equal ones keep their order, None is last."""

    def key(index: int) -> tuple[bool, bool, int, int]:
        result = results[index]
        if result is None:
            return not wins[index], True, 0, 0
        total = result.total if lowest_wins else -result.total
        return not wins[index], False, total, -result.tie

    return sorted(range(len(results)), key=key)


def won(results: Sequence[Result], *, lowest_wins: bool = False) -> tuple[bool, ...]:
    """Whether each result has won, in the same order; a tie that nothing breaks is shared."""
    if lowest_wins:
        results = [replace(result, total=-result.total) for result in results]
    best = max(results, default=None)
    return tuple(result == best for result in results)
