"""Looking at finished matches and people: what the pages of the history ask for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from companion.core.game import Game
from companion.games import record as records
from companion.games.others import stored_game
from companion.tables.history import visible
from companion.tables.history.feats import Duel, Feat, Year, duels, feats, year_of
from companion.tables.history.people import Lineup, PeoplePage, Person, lines, person_id
from companion.tables.history.visible import Filter, FinishedMatch, HistoryPage
from companion.tables.ledger.finished import MatchChange, changes_of
from companion.tables.ledger.store import Store
from companion.tables.refusals import Refused

PEOPLE_ON_A_PAGE: Final = 50
ALL: Final = Filter()


class Looking:
    """The finished matches that a device sees. Safe to use from many threads."""

    def __init__(self, store: Store) -> None:
        self._store: Final = store

    def matches(self, device: str, page: int = 1, chosen: Filter = ALL) -> HistoryPage:
        """A page of the list, the newest match first; the last page if there are fewer."""
        return visible.page_of_matches(self._store, device, page, chosen)

    def years(self, device: str) -> tuple[int, ...]:
        """The years in which the device's matches have ended, the last one first."""
        with self._store.database.read() as connection:
            return visible.years_of(connection, device)

    def games(self, device: str) -> tuple[Game, ...]:
        """The games of the device's matches, the most played one first."""
        with self._store.database.read() as connection:
            return tuple(stored_game(name) for name in visible.games_of(connection, device))

    def year(self, device: str, year: int) -> Year:
        """The summary of a year."""
        with self._store.database.read() as connection:
            results = visible.results_of(connection, device, chosen=Filter(year=year))
        return year_of(year, results)

    def feats(self, device: str, match_id: str) -> tuple[Feat, ...]:
        """The remarkable facts about a match; raises `Refused` with `no-such-play`."""
        with self._store.database.read() as connection:
            match = visible.match_with_id(connection, device, match_id)
            chosen = Filter(game=match.game.name)
            results = visible.results_of(connection, device, chosen=chosen)
        return feats(results, match.id)

    def duels(self, device: str, person: Person) -> list[Duel]:
        """A person against each other one, in the matches of both."""
        with self._store.database.read() as connection:
            results = visible.results_of(connection, device, chosen=Filter(people=(person.id,)))
        return duels(person.name, results)

    def pair(self, device: str, one: str, other: str) -> tuple[Person, Person]:
        """Two people, with their results in the matches of both.

        Raises:
            Refused: `no-such-person`, also when they never played together.
        """
        with self._store.database.read() as connection:
            chosen = Filter(people=(one, other))
            results = visible.results_of(connection, device, chosen=chosen)
        first, second = (
            tuple(result for result in results if person_id(result.name) == wanted)
            for wanted in (one, other)
        )
        if one == other or not (first and second):
            raise Refused("no-such-person")
        return Person(one, first[-1].name, first), Person(other, second[-1].name, second)

    def all_matches(self, device: str) -> tuple[FinishedMatch, ...]:
        """All matches that the device sees, the oldest first."""
        with self._store.database.read() as connection:
            return visible.matches_of(connection, device)

    def match(self, device: str, match_id: str) -> FinishedMatch:
        """One match; raises `Refused` with `no-such-play`."""
        with self._store.database.read() as connection:
            return visible.match_with_id(connection, device, match_id)

    def match_of_record(self, device: str, document: object) -> str | None:
        """The id of the match that a record is of; None for one that is not over, or not here.

        Raises:
            Unusable: it is no record.
        """
        record = records.parse(document)
        identity = document.get("id") if isinstance(document, dict) else None
        with self._store.database.read() as connection:
            return visible.id_of_record(connection, device, record.document(), identity)

    def match_at(self, device: str, table_id: str, number: int) -> str:
        """The id of a table's match, when that is over; raises `Refused` with `no-such-play`."""
        with self._store.database.read() as connection:
            return visible.id_of_match_at(connection, device, table_id, number)

    def best(
        self, device: str, game: Game, name: str, other_than: str = "", *, alone: bool
    ) -> int | None:
        """A person's best total in a game.

        Args:
            other_than: the id of a match that does not count.
            alone: only matches that the person played alone; else only those of several players.
        """
        with self._store.database.read() as connection:
            totals = visible.bests(connection, device, game, other_than, alone=alone)
        theirs = [total for known, total in totals if person_id(known) == person_id(name)]
        return game.best(theirs) if theirs else None

    def people_page(self, device: str, page: int = 1) -> PeoplePage:
        """A page of the people, with figures that the database counts; the last page if fewer."""
        with self._store.database.read() as connection:
            people = lines(visible.names_of(connection, device))
        pages = max(1, -(-len(people) // PEOPLE_ON_A_PAGE))
        number = min(max(page, 1), pages)
        shown = people[(number - 1) * PEOPLE_ON_A_PAGE : number * PEOPLE_ON_A_PAGE]
        return PeoplePage(tuple(shown), number, pages)

    def recent_names(self, device: str) -> tuple[str, ...]:
        """The people of the device's latest matches, those who played last first."""
        with self._store.database.read() as connection:
            return visible.recent_names(connection, device)

    def last_game(self, device: str, games: Sequence[str]) -> str:
        """The one of these games that the device's history has last; empty when it has none."""
        with self._store.database.read() as connection:
            return visible.last_game(connection, device, games)

    def names(self, device: str, ids: Collection[str]) -> dict[str, str]:
        """The names of the people with these ids, by id; unknown ones are left out."""
        if not ids:
            return {}
        with self._store.database.read() as connection:
            counts = visible.names_of(connection, device)
        return {line.id: line.name for line in lines(counts) if line.id in ids}

    def known_names(self, device: str, names: Sequence[str]) -> list[str]:
        """The names, each as in that person's latest match; those of nobody stay as they are."""
        with self._store.database.read() as connection:
            counts = visible.names_of(connection, device)
        latest = {line.id: line.name for line in lines(counts)}
        return [latest.get(person_id(name), name) for name in names]

    def person(self, device: str, wanted: str) -> Person:
        """One of the people; raises `Refused` with `no-such-person`."""
        with self._store.database.read() as connection:
            counts = visible.names_of(connection, device)
            names = [count.name for count in counts if person_id(count.name) == wanted]
            results = visible.results_of(connection, device, names)
        if not results:
            raise Refused("no-such-person")
        return Person(wanted, results[-1].name, results)

    def _lineups(self, device: str) -> tuple[Lineup, ...]:
        """The people in all matches, the oldest match first."""
        with self._store.database.read() as connection:
            return visible.lineups(connection, device)

    def changes(self, device: str, match_id: str) -> tuple[MatchChange, ...]:
        """The changes of a match, the latest first; raises `Refused`: `no-such-play`."""
        with self._store.database.read() as connection:
            found = visible.match_with_id(connection, device, match_id)
            return changes_of(connection, found.id)
