"""Remarkable results: who leads whom, wins in a row, and records. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from companion.tables.history.people import PersonalResult, person_id, streak
from companion.tables.ledger.names import name_key

LEAST_BEFORE: Final = 3
"""Earlier results of a game without which no result counts as a record."""
LEAST_IN_A_ROW: Final = 3


@dataclass(frozen=True, slots=True)
class Feat:
    """Something remarkable about one match."""

    what: Literal["table-record", "personal-record", "streak", "leads", "level"]
    player: str
    number: int
    """The total, the wins in a row, or the wins of the one who leads."""
    other: str = ""
    """The other player, of `leads` and `level`."""
    before: int = 0
    """The total that was beaten, or the wins of the other player."""


@dataclass(frozen=True, slots=True)
class Duel:
    """Two people in the games in which both played."""

    id: str
    """The other person's id."""
    other: str
    wins: int
    losses: int
    games: int


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
    here = [result for result in upto if result.match_id == match_id]
    before = [result for result in upto if result.match_id != match_id]
    if not here:
        return ()
    return (*_records(before, here), *_streaks(upto, here), *_duels(upto, here))


def _records(before: Sequence[PersonalResult], here: Sequence[PersonalResult]) -> Iterable[Feat]:
    if here[0].game.lowest_wins:
        return
    best_here = max(result.total for result in here)
    totals = [result.total for result in before]
    matches = {result.match_id for result in before}
    is_record = len(matches) >= LEAST_BEFORE and best_here > max(totals)
    for result in here:
        if is_record and result.total == best_here:
            yield Feat("table-record", result.name, result.total, before=max(totals))
            continue
        own = [earlier.total for earlier in before if _same(earlier, result)]
        if len(own) >= LEAST_BEFORE and result.total > max(own):
            yield Feat("personal-record", result.name, result.total, before=max(own))


def _streaks(upto: Sequence[PersonalResult], here: Sequence[PersonalResult]) -> Iterable[Feat]:
    for result in here:
        count = streak([earlier for earlier in upto if _same(earlier, result)])
        if count >= LEAST_IN_A_ROW:
            yield Feat("streak", result.name, count)


def _duels(upto: Sequence[PersonalResult], here: Sequence[PersonalResult]) -> Iterable[Feat]:
    """The balance of wins between two people, where only they played the match."""
    if len(here) != 2:
        return
    one, other = here
    [duel] = duels(one.name, upto, only=other.name)
    if duel.games < LEAST_BEFORE:
        return
    if duel.wins == duel.losses:
        yield Feat("level", one.name, duel.wins, other.name, duel.losses)
    elif duel.wins > duel.losses:
        yield Feat("leads", one.name, duel.wins, other.name, duel.losses)
    else:
        yield Feat("leads", other.name, duel.losses, one.name, duel.wins)


def duels(name: str, results: Iterable[PersonalResult], only: str | None = None) -> list[Duel]:
    """A person against each other one, in the matches of both, those with the most first.

    A player who wins alone has won against all others; a shared win counts for nobody.
    """
    key = name_key(name)
    matches: dict[str, list[PersonalResult]] = {}
    for result in results:
        matches.setdefault(result.match_id, []).append(result)
    names: dict[str, str] = {}
    wins: Counter[str] = Counter()
    losses: Counter[str] = Counter()
    games: Counter[str] = Counter()
    for players in matches.values():
        mine = next((result for result in players if name_key(result.name) == key), None)
        if mine is None:
            continue
        for result in players:
            theirs = name_key(result.name)
            if theirs == key or (only is not None and theirs != name_key(only)):
                continue
            names[theirs] = result.name
            games[theirs] += 1
            wins[theirs] += mine.won and not result.won
            losses[theirs] += result.won and not mine.won
    found = [
        Duel(person_id(names[other]), names[other], wins[other], losses[other], count)
        for other, count in games.items()
    ]
    return sorted(found, key=lambda duel: (-duel.games, name_key(duel.other)))


def _same(one: PersonalResult, other: PersonalResult) -> bool:
    return name_key(one.name) == name_key(other.name)
