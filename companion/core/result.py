"""What a finished sheet comes to, and who has won from that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from companion.core.words import Sentence


@dataclass(frozen=True, order=True)
class Result:
    """What a finished sheet, or a game without one, comes to; the greatest result wins."""

    total: int
    tie: int = 0
    """What breaks a tie; the same for everybody in a game where a tie is shared."""
    tie_name: Sentence | None = field(default=None, compare=False)
    """What `tie` counts; None in a game where a tie is shared."""


def won(results: Sequence[Result]) -> tuple[bool, ...]:
    """Who has won, in the order of the results; a tie that nothing breaks is shared."""
    return tuple(result == max(results) for result in results)
