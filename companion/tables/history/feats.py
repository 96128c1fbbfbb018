"""Remarkable results: records, wins in a row, and the wins of the same people. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from companion.tables.history.people import PersonalResult, streak
from companion.tables.ledger.names import name_key

LEAST_BEFORE: Final = 3  # earlier results of the same game that a record needs
LEAST_IN_A_ROW: Final = 3


@dataclass(frozen=True, slots=True)
class Feat:
    """Something remarkable about one match."""

    what: Literal["table-record", "personal-record", "streak", "series"]
    player: str
    number: int  # the total, the wins in a row, or the matches of a series
    before: int = 0  # the total that was beaten
    wins: tuple[tuple[str, int], ...] = ()  # of a series: each player's, the most first


def feats(results: Iterable[PersonalResult], match_id: str) -> tuple[Feat, ...]:
    """The remarkable facts about a match, the most remarkable first.

    Args:
        results: of all players of its game, the oldest first; those after the match do not count.
    """
    upto: list[PersonalResult] = []
    seen = False
    for result in results:
        if seen and result.match_id != match_id:
            break
        seen = seen or result.match_id == match_id
        upto.append(result)
    here: list[PersonalResult] = []
    before: list[PersonalResult] = []
    for result in upto:
        (here if result.match_id == match_id else before).append(result)
    if not here:
        return ()
    return (*_records(before, here), *_streaks(upto, here), *_series(upto, here))


def _records(before: Sequence[PersonalResult], here: Sequence[PersonalResult]) -> Iterable[Feat]:
    if here[0].game.lowest_wins:
        return
    best = max(result.total for result in here)
    best_before = max((result.total for result in before), default=best)
    matches = {result.match_id for result in before}
    is_record = len(matches) >= LEAST_BEFORE and best > best_before
    for result in here:
        if is_record and result.total == best:
            yield Feat("table-record", result.name, best, before=best_before)
            continue
        own = [earlier.total for earlier in _of_same_person(result, before)]
        if len(own) >= LEAST_BEFORE and result.total > max(own):
            yield Feat("personal-record", result.name, result.total, before=max(own))


def _streaks(upto: Sequence[PersonalResult], here: Sequence[PersonalResult]) -> Iterable[Feat]:
    for result in here:
        count = streak(_of_same_person(result, upto))
        if count >= LEAST_IN_A_ROW:
            yield Feat("streak", result.name, count)


def _series(upto: Sequence[PersonalResult], here: Sequence[PersonalResult]) -> Iterable[Feat]:
    """The number of wins of each person in matches of exactly these people."""
    people = {name_key(result.name): result.name for result in here}
    by_match: dict[str, list[PersonalResult]] = {}
    for result in upto:
        # A match with players who are not named may have had other people.
        if result.players == len(people) and not result.is_unfinished:
            by_match.setdefault(result.match_id, []).append(result)
    wins = dict.fromkeys(people, 0)
    matches = 0
    for results in by_match.values():
        if {name_key(result.name) for result in results} == people.keys():
            matches += 1
            for result in results:
                wins[name_key(result.name)] += result.won
    if len(people) > 1 and matches > 1 and here[0].match_id in by_match:
        most_first = sorted(wins.items(), key=lambda one: -one[1])
        yield Feat("series", "", matches, wins=tuple((people[key], n) for key, n in most_first))


def _of_same_person(
    result: PersonalResult, results: Sequence[PersonalResult]
) -> list[PersonalResult]:
    key = name_key(result.name)
    return [other for other in results if name_key(other.name) == key]
