"""Who has played how often and how well, from the results of finished games. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean

from companion.core.game import Game
from companion.tables.names import name_key


@dataclass(frozen=True, slots=True)
class PersonalResult:
    """What one person came to in one game."""

    match_id: str
    game: Game
    ended_at: datetime
    name: str
    total: int
    won: bool


@dataclass(frozen=True, slots=True)
class Figures:
    """What some results come to. There is always at least one."""

    games: int
    wins: int
    average: float
    best: int

    @classmethod
    def of(cls, results: Iterable[PersonalResult]) -> Figures:
        known = tuple(results)
        totals = [result.total for result in known]
        return cls(len(known), sum(one.won for one in known), fmean(totals), max(totals))


@dataclass(frozen=True, slots=True)
class Person:
    """Everybody whose name a person would read as the same, called as they were last."""

    id: str
    """For addresses, which end up in lists of visited pages: no name can be read from it."""
    name: str
    results: tuple[PersonalResult, ...]
    """The oldest first."""

    @property
    def figures(self) -> Figures:
        return Figures.of(self.results)

    @property
    def by_game(self) -> tuple[tuple[Game, Figures], ...]:
        """The figures of each game, the one played most first."""
        found: dict[str, list[PersonalResult]] = {}
        for result in self.results:
            found.setdefault(result.game.name, []).append(result)
        order = sorted(found.values(), key=lambda results: (-len(results), results[0].game.name))
        return tuple((results[0].game, Figures.of(results)) for results in order)


def person_id(name: str) -> str:
    return hashlib.sha256(name_key(name).encode()).hexdigest()[:20]


def persons(results: Iterable[PersonalResult]) -> tuple[Person, ...]:
    """Everybody in the results (which come the oldest first), who has played most first."""
    found: dict[str, list[PersonalResult]] = {}
    for result in results:
        found.setdefault(name_key(result.name), []).append(result)
    people = [
        Person(person_id(theirs[-1].name), theirs[-1].name, tuple(theirs))
        for theirs in found.values()
    ]
    return tuple(sorted(people, key=lambda one: (-len(one.results), name_key(one.name))))
