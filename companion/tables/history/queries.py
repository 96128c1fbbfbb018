"""Reads finished matches and people: what the pages of the history ask for."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Final

import sqlalchemy as sa

from companion.core.game import Game
from companion.core.values import Options
from companion.games import record as records
from companion.games.others import stored_game
from companion.tables import quotas
from companion.tables.database.columns import from_milliseconds, is_id
from companion.tables.database.schema import finished_matches as rows
from companion.tables.history import matches
from companion.tables.history.feats import Feat, feats
from companion.tables.history.matches import Filter, FinishedMatch
from companion.tables.history.people import PeoplePage, Person, person_id
from companion.tables.ledger.events import encode
from companion.tables.ledger.names import name_key
from companion.tables.ledger.saved import decode_players
from companion.tables.ledger.store import Store
from companion.tables.refusals import Refused

HIGHEST_NUMBER: Final = 2**31 - 1  # The greatest number of a table's match that a database takes
RECENT: Final = 40  # Matches whose people are offered as the players of the next one
PAGE_SIZE: Final = 20
PEOPLE_ON_A_PAGE: Final = 50
ALL: Final = Filter()


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """A page of the list of matches, the newest first."""

    matches: tuple[FinishedMatch, ...]
    number: int
    pages: int
    count: int  # matches on all pages


class Queries:
    """The finished matches that a device sees. Safe to use from many threads."""

    def __init__(self, store: Store) -> None:
        self._store: Final = store

    def matches(self, device: str, page: int = 1, chosen: Filter = ALL) -> HistoryPage:
        """A page of the list, the newest match first; the last page if there are fewer."""
        with self._store.database.read() as connection:
            wanted = matches.is_visible_to(device) & matches.is_wanted(connection, device, chosen)
            count = connection.execute(sa.select(sa.func.count()).where(wanted)).scalar_one()
            pages = max(1, -(-count // PAGE_SIZE))
            number = min(max(page, 1), pages)
            query = matches.visible_matches(device).where(wanted)
            query = query.order_by(rows.c.ended_at.desc(), rows.c.id).limit(PAGE_SIZE)
            found = connection.execute(query.offset((number - 1) * PAGE_SIZE)).all()
        return HistoryPage(tuple(map(matches.from_row, found)), number, pages, count)

    def own_count(self, device: str) -> int:
        """The number of matches that the device has added itself; see `quotas.MOST_MATCHES`."""
        with self._store.database.read() as connection:
            return quotas.count_matches(connection, device)

    def years(self, device: str, zone: tzinfo | None = None) -> tuple[int, ...]:
        """The years from the device's last match back to its first one; see `Filter.zone`."""
        query = sa.select(sa.func.min(rows.c.ended_at), sa.func.max(rows.c.ended_at))
        with self._store.database.read() as connection:
            ends = connection.execute(query.where(matches.is_visible_to(device))).one()
        if ends[0] is None:
            return ()
        first, last = (from_milliseconds(at).astimezone(zone).year for at in ends)
        return tuple(range(last, first - 1, -1))

    def games(self, device: str) -> tuple[Game, ...]:
        """The games of the device's matches, the most played one first."""
        query = sa.select(rows.c.game).where(matches.is_visible_to(device)).group_by(rows.c.game)
        query = query.order_by(sa.func.count().desc(), rows.c.game)
        with self._store.database.read() as connection:
            return tuple(map(stored_game, connection.execute(query).scalars()))

    def last_options(self, device: str, games: Sequence[str]) -> Options | None:
        """The options of the last match of these games that has a record; None without one."""
        query = matches.visible_matches(device).where(rows.c.game.in_(games))
        query = query.where(rows.c.record.is_not(None)).order_by(rows.c.ended_at.desc()).limit(1)
        with self._store.database.read() as connection:
            row = connection.execute(query).first()
            record = row and matches.from_row(row).record
        return json.loads(record)["options"] if record else None

    def feats(self, device: str, match_id: str) -> tuple[Feat, ...]:
        """The remarkable facts about a match; raises `Refused` with `no-such-play`."""
        with self._store.database.read() as connection:
            match = matches.match_with_id(connection, device, match_id)
            results = matches.results_of(connection, device, Filter(like=match))
        return feats(results, match.id)

    def all_matches(self, device: str) -> tuple[FinishedMatch, ...]:
        """All matches that the device sees, the oldest first."""
        with self._store.database.read() as connection:
            return matches.matches_where(connection, device, sa.true())

    def match(self, device: str, match_id: str) -> FinishedMatch:
        """One match; raises `Refused` with `no-such-play`."""
        with self._store.database.read() as connection:
            return matches.match_with_id(connection, device, match_id)

    def match_of_record(self, device: str, document: object) -> str | None:
        """The id of the match that a record is of; None for one that is not over, or not here.

        A match that was ended early does not count: its record can be played on.

        Raises:
            Unusable: it is not a record.
        """
        record = records.parse(document)
        identity = document.get("id") if isinstance(document, dict) else None
        # Actions that our JSON cannot hold are in no match.
        try:
            same = rows.c.record == encode(record.document())
        except (ValueError, TypeError, RecursionError):
            return None
        if is_id(identity):
            same |= rows.c.identity == identity
        return self._id_where(device, same & ~matches.IS_UNFINISHED)

    def match_at(self, device: str, table_id: str, number: int) -> str:
        """The id of a table's match, when that is over; raises `Refused` with `no-such-play`."""
        here = (rows.c.table_id == table_id) & (rows.c.number == number)
        is_possible = is_id(table_id) and number <= HIGHEST_NUMBER
        found = self._id_where(device, here) if is_possible else None
        if found is None:
            raise Refused("no-such-play")
        return found

    def _id_where(self, device: str, where: sa.ColumnElement[bool]) -> str | None:
        query = sa.select(rows.c.id).where(matches.is_visible_to(device), where)
        with self._store.database.read() as connection:
            return connection.execute(query).scalar()

    def best(
        self, device: str, game: Game, name: str, other_than: str = "", *, alone: bool
    ) -> int | None:
        """A person's best total in a game.

        Args:
            other_than: the id of a match that does not count, and whose variant is meant.
            alone: only matches that the person played alone; else only those of several players.
        """
        chosen = Filter(game=game.name, people=(person_id(name),))
        with self._store.database.read() as connection:
            if other_than:
                match = matches.match_with_id(connection, device, other_than)
                chosen = replace(chosen, like=match)
            results = matches.results_of(connection, device, chosen)
        key, totals = name_key(name), []
        for result in results:
            counts = not result.is_unfinished and result.match_id != other_than
            if counts and name_key(result.name) == key and (result.players == 1) == alone:
                totals.append(result.total)
        return game.best(totals) if totals else None

    def people_page(self, device: str, page: int = 1) -> PeoplePage:
        """A page of the people, with figures that the database counts; the last page if fewer."""
        with self._store.database.read() as connection:
            people = matches.people_of(connection, device)
        pages = max(1, -(-len(people) // PEOPLE_ON_A_PAGE))
        number = min(max(page, 1), pages)
        shown = people[(number - 1) * PEOPLE_ON_A_PAGE : number * PEOPLE_ON_A_PAGE]
        return PeoplePage(tuple(shown), number, pages)

    def recent_names(self, device: str) -> tuple[str, ...]:
        """The people of the device's `RECENT` latest matches, those who played last first."""
        query = sa.select(rows.c.players).where(matches.is_visible_to(device))
        query = query.order_by(rows.c.ended_at.desc(), rows.c.id).limit(RECENT)
        found: dict[str, str] = {}
        with self._store.database.read() as connection:
            for players in connection.execute(query).scalars():
                for player in decode_players(players):
                    if player.name:
                        found.setdefault(name_key(player.name), player.name)
        return tuple(found.values())

    def last_game(self, device: str, games: Sequence[str]) -> str:
        """The one of these games that the device played last; empty if it has played none."""
        query = sa.select(rows.c.game).where(matches.is_visible_to(device), rows.c.game.in_(games))
        query = query.order_by(rows.c.ended_at.desc(), rows.c.id).limit(1)
        with self._store.database.read() as connection:
            return connection.execute(query).scalar() or ""

    def names(self, device: str, ids: Collection[str]) -> dict[str, str]:
        """The names of the people with these ids, by id; unknown ones are left out."""
        if not ids:
            return {}
        with self._store.database.read() as connection:
            people = matches.people_of(connection, device)
        return {line.id: line.name for line in people if line.id in ids}

    def known_names(self, device: str, names: Sequence[str]) -> list[str]:
        """The names, each as in that person's latest match; those of nobody stay as they are."""
        ids = list(map(person_id, names))
        known = self.names(device, ids)
        return [known.get(who, name) for who, name in zip(ids, names, strict=True)]

    def person(self, device: str, wanted: str) -> Person:
        """One of the people; raises `Refused` with `no-such-person`."""
        with self._store.database.read() as connection:
            results = matches.results_of(connection, device, Filter(people=(wanted,)))
        theirs = tuple(result for result in results if person_id(result.name) == wanted)
        if not theirs:
            raise Refused("no-such-person")
        return Person(wanted, theirs[-1].name, theirs)
