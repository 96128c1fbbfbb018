"""`History`: looking at, adding, changing, deleting and exporting finished matches.

A device sees the matches that it put in itself (from paper, or from a file) and those of the tables
where it sits. Charts and pages are made elsewhere.
"""

from __future__ import annotations

import io
import threading
from collections.abc import Sequence
from datetime import datetime
from typing import IO, Final

from companion.games.standings import KeptSheet
from companion.tables.database.schema import finished_matches as rows
from companion.tables.history import (
    deletion,
    files,
    importing,
    links,
    mending,
    paper,
    visible,
)
from companion.tables.history.deletion import DeletionPreview
from companion.tables.history.feats import Duel, Feat, Year, duels, feats, year_of
from companion.tables.history.mending import Details, RenamingPreview
from companion.tables.history.people import PeoplePage, Person, lines, person_id, persons
from companion.tables.history.visible import Filter, FinishedMatch, HistoryPage
from companion.tables.ledger import finished
from companion.tables.ledger.finished import MatchChange
from companion.tables.ledger.names import cleaned_line, cleaned_text
from companion.tables.ledger.participants import Source
from companion.tables.ledger.store import Store
from companion.tables.refusals import Refused

PEOPLE_ON_A_PAGE: Final = 50
ALL: Final = Filter()
IMPORT_WAIT_SECONDS: Final = 5.0
"""Limit of the time that an import waits for another one."""

__all__ = [
    "DeletionPreview",
    "Details",
    "Filter",
    "FinishedMatch",
    "History",
    "HistoryPage",
    "MatchChange",
    "RenamingPreview",
]


class History:
    """The finished matches of one database. Safe to use from many threads."""

    def __init__(self, store: Store) -> None:
        self._store: Final = store
        # Each may take a gigabyte for a while.
        self._importing: Final = threading.Lock()

    # Adding and changing

    def add_paper_game(
        self,
        device: str,
        game: str,
        sheets: Sequence[tuple[str | None, KeptSheet]],
        *,
        started: datetime | None = None,
        ended: datetime | None = None,
        place: str = "",
        notes: str = "",
        source: Source = "photo",
        match_id: str | None = None,
    ) -> str:
        """Puts a match that was played on paper into the history; see `paper.add_paper_game`."""
        with self._store.database.write(exclusive_table=rows) as connection:
            return paper.add_paper_game(
                connection,
                device,
                game,
                sheets,
                self._store.now(),
                started=started,
                ended=ended,
                place=place,
                notes=notes,
                source=source,
                match_id=match_id,
            )

    def note(self, device: str, match_id: str, *, place: str, notes: str) -> None:
        """Changes the place and the notes of a match."""
        with self._store.database.write() as connection:
            match = visible.changeable_match(connection, device, match_id)
            values = {"place": cleaned_line(place), "notes": cleaned_text(notes)}
            connection.execute(rows.update().where(rows.c.id == match.id).values(**values))

    def mend_sheets(
        self, device: str, match_id: str, sheets: Sequence[tuple[str | None, KeptSheet]]
    ) -> None:
        """Puts these sheets in place of those of all who were not deleted; see `mending`."""
        with self._store.database.write(exclusive_table=rows) as connection:
            mending.mend_sheets(connection, device, match_id, sheets, self._store.now())

    def mend_details(self, device: str, match_id: str, details: Details) -> None:
        """Changes date, place, notes and names, and totals where there is no sheet."""
        mending.mend_details(self._store, device, match_id, details)

    def changes(self, device: str, match_id: str) -> tuple[MatchChange, ...]:
        """The changes of a match, the latest first; raises `Refused`: `no-such-play`."""
        with self._store.database.read() as connection:
            found = visible.match_with_id(connection, device, match_id)
            return finished.changes_of(connection, found.id)

    def renaming_preview(self, device: str, wanted: str, name: str) -> RenamingPreview:
        """The consequences of another name for a person; raises `Refused` as `rename_person`."""
        person = self.person(device, wanted)
        return mending.preview_renaming(self._store, device, person, name)

    def rename_person(self, device: str, wanted: str, name: str) -> str:
        """Gives a person another name, perhaps that of another one, who is the same then.

        Returns:
            The id of the person of that name.

        Raises:
            Refused: `no-such-person`, `bad-name`; `view-only`, when the device may change none of
                the person's matches.
        """
        return mending.rename_person(self._store, device, self.person(device, wanted), name)

    # Looking

    def matches(self, device: str, page: int = 1, chosen: Filter = ALL) -> HistoryPage:
        """A page of the list, the newest match first; the last page if there are fewer."""
        visible.catch_up(self._store, device)
        return visible.page_of_matches(self._store, device, page, chosen)

    def years(self, device: str) -> tuple[int, ...]:
        """The years in which the device's matches have ended, the last one first."""
        with self._store.database.read() as connection:
            return visible.years_of(connection, device)

    def year(self, device: str, year: int) -> Year:
        """The summary of a year."""
        visible.catch_up(self._store, device)
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
            results = visible.results_of(connection, device, chosen=Filter(person=person.id))
        return duels(person.name, results)

    # Links

    def link(self, device: str, match_id: str) -> str:
        """The token by which anybody may look at a match; see `links.make`."""
        return links.make(self._store, device, match_id)

    def link_there(self, device: str, match_id: str) -> tuple[str | None, int]:
        """The token of the device's own link to a match, if any, and the number of all links."""
        return links.existing(self._store, device, match_id)

    def revoke_links(self, device: str, match_id: str) -> None:
        """Makes all links to a match invalid."""
        links.revoke(self._store, device, match_id)

    def match_behind(self, token: str) -> FinishedMatch:
        """The match that a link shows; raises `Refused` with `no-such-link`."""
        return links.match_behind(self._store, token)

    def all_matches(self, device: str) -> tuple[FinishedMatch, ...]:
        """All matches that the device sees, the oldest first."""
        visible.catch_up(self._store, device)
        with self._store.database.read() as connection:
            return visible.matches_of(connection, device)

    def match(self, device: str, match_id: str) -> FinishedMatch:
        """One match; raises `Refused` with `no-such-play`."""
        with self._store.database.read() as connection:
            return visible.match_with_id(connection, device, match_id)

    def match_at(self, device: str, table_id: str, number: int) -> str:
        """The id of a table's match, when that is over; raises `Refused` with `no-such-play`."""
        visible.catch_up(self._store, device)
        with self._store.database.read() as connection:
            return visible.id_of_match_at(connection, device, table_id, number)

    def best(
        self, device: str, game: str, name: str, other_than: str = "", *, alone: bool
    ) -> int | None:
        """A person's highest total in a game.

        Args:
            other_than: the id of a match that does not count.
            alone: only matches that the person played alone; else only those of several players.
        """
        with self._store.database.read() as connection:
            totals = visible.bests(connection, device, game, other_than, alone=alone)
        theirs = [total for known, total in totals if person_id(known) == person_id(name)]
        return max(theirs, default=None)

    def people(self, device: str) -> tuple[Person, ...]:
        """The people named in the device's matches, those with the most matches first."""
        visible.catch_up(self._store, device)
        with self._store.database.read() as connection:
            return persons(visible.results_of(connection, device))

    def people_page(self, device: str, page: int = 1) -> PeoplePage:
        """A page of the people, with figures that the database counts; the last page if fewer."""
        visible.catch_up(self._store, device)
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

    def known_name(self, device: str, name: str) -> str:
        """The name as the person of this name is spelled in the latest match; else as it is."""
        return self.known_names(device, [name])[0]

    def known_names(self, device: str, names: Sequence[str]) -> list[str]:
        """The names as `known_name` gives them; many matches are looked through once for all."""
        with self._store.database.read() as connection:
            counts = visible.names_of(connection, device)
        latest = {
            person_id(count.name): count.name
            for count in sorted(counts, key=lambda count: count.latest)
        }
        return [latest.get(person_id(name), name) for name in names]

    def person(self, device: str, wanted: str) -> Person:
        """One of the people; raises `Refused` with `no-such-person`."""
        visible.catch_up(self._store, device)
        with self._store.database.read() as connection:
            counts = visible.names_of(connection, device)
            names = [count.name for count in counts if person_id(count.name) == wanted]
            if not names:
                raise Refused("no-such-person")
            found = persons(visible.results_of(connection, device, names))
        if not found:
            raise Refused("no-such-person")
        return found[0]

    # Deleting

    def delete_match(self, device: str, match_id: str) -> None:
        """Deletes a match for good, also from its table's log."""
        deletion.delete_match(self._store, device, match_id)

    def deletion_preview(self, device: str, wanted: str) -> DeletionPreview:
        """The consequences of deleting a person; raises `Refused` as `delete_person` does."""
        return deletion.preview(self._store, device, self.person(device, wanted))

    def delete_person(self, device: str, wanted: str) -> None:
        """Deletes a person's name and sheets for good; see `deletion_preview`.

        Each table is one transaction, and the matches that the device put in itself are another.
        When a transaction fails, earlier ones stay done, and repeating the call does the rest.

        Raises:
            Refused: `no-such-person`; `not-host`, where the person plays in a running match or has
                a seat that another device holds; `view-only`, when there is nothing that the
                device may change.
        """
        deletion.delete_person(self._store, device, self.person(device, wanted))

    # Files

    def export_json(self, device: str) -> bytes:
        """All matches that the device sees, as `companion-history/1`, which it can import again."""
        return files.export_json(self.all_matches(device))

    def export_csv(self, device: str) -> bytes:
        """All matches that the device sees as CSV for a spreadsheet, a line for each player."""
        return files.export_csv(self.all_matches(device))

    def import_json(self, device: str, raw: bytes | IO[bytes]) -> int:
        """Puts the matches of a file into the device's history; returns how many were new.

        A match that is there already stays as it is, with its place and notes. If the file has a
        fault, no match is imported.

        Raises:
            Unusable: it is no `companion-history/1`, or a match in it is wrong.
            Refused: `too-many-imports`; others are being read.
        """
        file = io.BytesIO(raw) if isinstance(raw, bytes) else raw
        if not self._importing.acquire(timeout=IMPORT_WAIT_SECONDS):
            raise Refused("too-many-imports")
        try:
            wanted = list(importing.read(file, self._store.now()))
            visible.catch_up(self._store, device)
            return files.import_matches(self._store, device, wanted)
        finally:
            self._importing.release()
