"""The result of a finished sheet, and the winners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from companion.core.words import Sentence


@dataclass(frozen=True, order=True)
class Result:
    """The result of a finished sheet, or of a game without sheets. The greatest result wins."""

    total: int
    tie: int = 0
    """The tie-breaker; equal for all where ties are shared."""
    tie_name: Sentence | None = field(default=None, compare=False)
    """The name of what `tie` counts; None where ties are shared."""


def won(results: Sequence[Result]) -> tuple[bool, ...]:
    """Whether each result has won, in the same order; a tie that nothing breaks is shared."""
    return tuple(result == max(results) for result in results)
