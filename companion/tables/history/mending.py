"""Mending finished matches: sheets, names, date, and who played; a person's name in all of them.

Each mend is an event of the match's log; see `ledger.finished`. Totals and winners follow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy.engine import Connection

from companion.core.refusal import Unusable
from companion.games.standings import KeptSheet
from companion.tables.database.columns import to_milliseconds
from companion.tables.database.schema import finished_matches as rows
from companion.tables.history.exchange import TOTALS
from companion.tables.history.looking import Looking
from companion.tables.history.pacing import Pace
from companion.tables.history.people import Appearances, Lineup, appearances
from companion.tables.history.visible import (
    FinishedMatch,
    changeable_match,
    matches_with_ids,
)
from companion.tables.ledger import finished
from companion.tables.ledger.names import (
    check_free,
    checked_name,
    cleaned_line,
    cleaned_text,
    name_key,
)
from companion.tables.ledger.saved import Participant
from companion.tables.refusals import Refused


@dataclass(frozen=True, slots=True)
class Details:
    """All that can be mended in a match beside its sheets."""

    ended: datetime
    place: str
    notes: str
    players: tuple[tuple[str, int | None], ...]
    """(name, total) of every player who was not deleted, in order, and then of new ones.

    The total counts where there is no sheet. There an empty name in place of one takes the player
    out; a player without a name stays.
    """


@dataclass(frozen=True, slots=True)
class RenamingPreview:
    """The consequences of another name for a person, in numbers of matches."""

    person: Appearances
    name: str
    renamed: int
    together: int
    """Matches that stay as they are, because somebody of the new name plays in them, too."""
    untouched: int
    """Matches that this device may not change."""
    joins: int
    """Matches of the person who has the new name already."""


class Mending(Looking):
    """Changing matches of the history."""

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that alone writes to the finished matches."""
        with self._store.database.write(exclusive_table=rows) as connection:
            yield connection

    def annotate(self, device: str, match_id: str, *, place: str, notes: str) -> None:
        """Changes the place and the notes of a match."""
        with self.writing() as connection:
            match = changeable_match(connection, device, match_id)
            noted = replace(match, place=cleaned_line(place), notes=cleaned_text(notes))
            finished.mend_all(connection, {match.id: (match, noted)}, self._store.now())

    def mend_details(self, device: str, match_id: str, details: Details) -> None:
        """Changes date, place, notes and names, and totals where there is no sheet.

        Raises:
            Refused: `bad-name`, `name-taken`; `bad-date` for a time to come; `bad-total`.
            Unusable: nobody would be left, or too many.
        """
        with self.writing() as connection:
            match = changeable_match(connection, device, match_id)
            ended = details.ended
            # A form has minutes; the same minute is the same time.
            if to_milliseconds(ended) // 60_000 == to_milliseconds(match.ended_at) // 60_000:
                ended = match.ended_at
            elif not 0 <= to_milliseconds(ended) <= self._store.now():
                raise Refused("bad-date")
            # Each name is compared with all others, so they are counted before that.
            _check_count(match, len(details.players))
            players = _renamed(match, details.players)
            if all(player.is_deleted for player in players):
                raise Unusable("Nobody would be left in this game.")
            _check_count(match, len(players))
            mended = replace(
                match,
                ended_at=ended,
                place=cleaned_line(details.place),
                notes=cleaned_text(details.notes),
                players=tuple(players),
            )
            finished.mend_all(connection, {match.id: (match, mended)}, self._store.now())

    def renaming_preview(self, device: str, wanted: str, name: str) -> RenamingPreview:
        """The consequences of another name; raises `Refused` as `rename_person`."""
        return _renaming(self._lineups(device), wanted, name)[0]

    def rename_person(self, device: str, wanted: str, name: str) -> bool:
        """Gives a person another name in all matches.

        With a name that somebody has already, the two become one person. Matches in which both
        play stay as they are. A few matches are one transaction; when one fails, earlier ones stay
        done, and repeating the call does the rest.

        Returns:
            Whether all is done; else the time of a request is over, and a further call goes on.

        Raises:
            Refused: `no-such-person`, `bad-name`; `view-only`, when the device may change none of
                the person's matches.
        """
        preview, ids = _renaming(self._lineups(device), wanted, name)
        pace = Pace()
        for part in pace.parts(ids):
            with self.writing() as connection:
                mends = {
                    match.id: (match, renamed)
                    for match in matches_with_ids(connection, device, part)
                    if (renamed := _renamed_match(match, preview.person.name, preview.name))
                }
                finished.mend_all(connection, mends, self._store.now())
        return not pace.is_over


def mend_sheets(
    connection: Connection,
    device: str,
    match_id: str,
    sheets: Sequence[tuple[str | None, KeptSheet]],
    now: int,
) -> None:
    """Puts these sheets in place of those of all players who were not deleted.

    Args:
        connection: one that writes, and alone to the finished matches.

    Raises:
        Refused: `no-such-play`, `view-only`, `bad-name`, `name-taken`.
        Unusable: no sheet, or too many.
    """
    match = changeable_match(connection, device, match_id)
    names: list[str] = []
    players: list[Participant] = []
    for raw, sheet in sheets:
        name = None if raw is None else _free_name(raw, names)
        total = sheet.result.total if sheet.is_countable else None
        players.append(Participant(name, total, False, sheet.document))
    count = len(players) + sum(player.is_deleted for player in match.players)
    if not players:
        raise Unusable("Nobody would be left in this game.")
    _check_count(match, count)
    finished.mend_all(connection, {match.id: (match, replace(match, players=tuple(players)))}, now)


def _check_count(match: FinishedMatch, count: int) -> None:
    if count > match.game.max_players:
        raise Unusable(f"{match.game.name} is for at most {match.game.max_players} players.")


def _renamed(match: FinishedMatch, entries: Sequence[tuple[str, int | None]]) -> list[Participant]:
    """The match's players with the names and totals of a form; deleted ones stay."""
    players: list[Participant] = []
    left = iter(entries)
    names: list[str] = []
    for player in match.players:
        if player.is_deleted:
            players.append(player)
            continue
        raw, total = next(left, (player.name or "", player.total))
        has_sheet = player.filled_document is not None
        is_open = player.name is None and not raw.strip()
        if not raw.strip() and not has_sheet and not is_open:
            continue
        name = None if is_open else _free_name(raw, names)
        if has_sheet or total == player.total:
            players.append(player.named(name))
        else:
            players.append(replace(player, name=name, total=_checked_total(total), sheet=None))
    for raw, total in left:
        if raw.strip():
            name = _free_name(raw, names)
            players.append(Participant(name, _checked_total(total), False, None))
    return players


def _free_name(raw: str, names: list[str]) -> str:
    """The name, cleaned; raises `Refused` when it is among the names, to which it is added."""
    name = checked_name(raw)
    check_free(name, names)
    names.append(name)
    return name


def _checked_total(total: int | None) -> int | None:
    if total is not None and total not in TOTALS:
        raise Refused("bad-total")
    return total


def _renaming(
    lineups: Sequence[Lineup], wanted: str, raw: str
) -> tuple[RenamingPreview, list[str]]:
    """The consequences of another name, and the ids of the matches that change."""
    person = appearances(lineups, wanted)
    name = checked_name(raw)
    key = name_key(name)
    is_other = key != name_key(person.name)
    joined = {match.id for match in lineups if is_other and match.has(key)}
    ours = [match.id for match in person.matches if match.may_change]
    if not ours:
        raise Refused("view-only")
    renamed = [
        match.id
        for match in person.matches
        if match.may_change and match.id not in joined and name not in match.names
    ]
    together = len(joined.intersection(ours))
    untouched = len(person.matches) - len(ours)
    return RenamingPreview(person, name, len(renamed), together, untouched, len(joined)), renamed


def _renamed_match(match: FinishedMatch, before: str, name: str) -> FinishedMatch | None:
    """The match with a person's new name; None if it has changed so that this cannot be."""
    old, new = name_key(before), name_key(name)
    has_other = new != old and _plays(match, new)
    is_so_already = any(player.name == name for player in match.players)
    if not (match.may_change and _plays(match, old)) or has_other or is_so_already:
        return None
    players = tuple(
        player.named(name) if player.is_called(old) else player for player in match.players
    )
    return replace(match, players=players)


def _plays(match: FinishedMatch, key: str) -> bool:
    """Whether a person of this `name_key` plays in a match."""
    return any(player.is_called(key) for player in match.players)
