"""People and their statistics, from the results of finished matches. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean

from companion.core.game import Game
from companion.tables.ledger.names import name_key


@dataclass(frozen=True, slots=True)
class PersonalResult:
    """One person's result in one match."""

    match_id: str
    game: Game
    ended_at: datetime
    name: str
    total: int
    won: bool
    is_unfinished: bool = False  # whether the match was ended early
    players: int = 2  # the number of all players of the match


@dataclass(frozen=True, slots=True)
class Figures:
    """The statistics of one or more results of a person."""

    games: int
    wins: int
    average: float
    best: int
    streak: int  # the wins in a row at the end
    longest: int  # the most wins in a row

    @classmethod
    def from_results(cls, results: Iterable[PersonalResult]) -> Figures:
        """The figures of these results, at least one, the oldest first."""
        # Totals of matches that were ended early count only where there are no others
        known = tuple(results)
        totals = [result.total for result in known if not result.is_unfinished]
        totals = totals or [result.total for result in known]
        return cls(
            len(known),
            sum(result.won for result in known),
            fmean(totals),
            known[0].game.best(totals),
            streak(known),
            longest_streak(known),
        )


def streak(results: Sequence[PersonalResult]) -> int:
    """The wins in a row at the end of one person's results."""
    count = 0
    for result in reversed(results):
        if not result.won:
            break
        count += 1
    return count


def longest_streak(results: Iterable[PersonalResult]) -> int:
    """The most wins in a row in one person's results."""
    longest = now = 0
    for result in results:
        now = now + 1 if result.won else 0
        longest = max(longest, now)
    return longest


@dataclass(frozen=True, slots=True)
class Person:
    """A person: all results under names that a person would read as the same."""

    # An id for addresses. Browser histories keep those, so it does not contain the name.
    id: str
    name: str  # the name in the latest result
    results: tuple[PersonalResult, ...]  # the person's results, the oldest first

    @property
    def figures(self) -> Figures:
        return Figures.from_results(self.results)

    @property
    def by_game(self) -> dict[Game, list[PersonalResult]]:
        """The results of each game, the most played one first."""
        found: dict[Game, list[PersonalResult]] = {}
        for result in self.results:
            found.setdefault(result.game, []).append(result)
        return dict(sorted(found.items(), key=lambda item: (-len(item[1]), item[0].name)))


@dataclass(frozen=True, slots=True)
class PersonLine:
    id: str
    name: str  # the name in the latest result
    games: int
    wins: int


@dataclass(frozen=True, slots=True)
class PeoplePage:
    """A page of the list of people, those with the most matches first."""

    people: tuple[PersonLine, ...]
    number: int
    pages: int


def person_id(name: str) -> str:
    """The id of the person of this name: the beginning of a hash of `name_key`."""
    return hashlib.sha256(name_key(name).encode()).hexdigest()[:20]
