"""Editing finished matches: sheets, names, date, and who played; a person's name in all of them.

Totals and winners follow. Where a table has played on since an edit, a person says which counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.core.refusal import Unusable
from companion.games.scoring import filled_sheet
from companion.games.standings import KeptSheet
from companion.tables.database.columns import from_milliseconds, to_milliseconds
from companion.tables.database.schema import finished_matches as rows
from companion.tables.history.exchange import CLOCK_SLACK_MS, TOTALS
from companion.tables.history.matches import (
    FinishedMatch,
    appearances,
    changeable_match,
    is_of,
    is_visible_to,
    may_change,
    plays_in,
)
from companion.tables.history.queries import Queries
from companion.tables.history.rewriting import rewrite
from companion.tables.ledger import finished
from companion.tables.ledger.change import events_between
from companion.tables.ledger.names import (
    add_name,
    checked_name,
    cleaned_line,
    cleaned_text,
    name_key,
)
from companion.tables.ledger.saved import Participant
from companion.tables.ledger.store import MOST_DRAFTS
from companion.tables.play import records
from companion.tables.refusals import Refused


@dataclass(frozen=True, slots=True)
class Details:
    """All that can be edited in a match besides its sheets."""

    ended: datetime
    place: str
    notes: str
    # (name, total) of every player who was not deleted, in order, and then of new ones. The total
    # counts where there is no sheet; there, clearing the name takes the player out. A player who
    # had no name stays.
    players: tuple[tuple[str, int | None], ...]


@dataclass(frozen=True, slots=True)
class RenamingPreview:
    """The consequences of another name for a person, in numbers of matches."""

    id: str
    before: str
    name: str
    renamed: int
    # Matches that stay as they are, because somebody of the new name plays in them, too.
    together: int
    untouched: int  # matches that this device cannot change
    joins: int  # matches of the person who has the new name already


class Editing(Queries):
    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that is the only one to write to the finished matches."""
        with self._store.database.write(exclusive_table=rows) as connection:
            yield connection

    def edit_notes(self, device: str, match_id: str, *, place: str, notes: str) -> None:
        with self.writing() as connection:
            match = changeable_match(connection, device, match_id)
            noted = replace(match, place=cleaned_line(place), notes=cleaned_text(notes))
            _write(connection, match, noted, self._store.now())

    def edit_details(self, device: str, match_id: str, details: Details) -> None:
        """Edits date, place, notes and names, and totals where there is no sheet.

        Raises:
            Refused: `bad-name`, `name-taken`; `bad-date` for a time long after now; `bad-total`.
            Unusable: nobody would be left, or too many.
        """
        with self.writing() as connection:
            match = changeable_match(connection, device, match_id)
            ended = details.ended
            # A form shows no seconds: the same minute means the same time.
            if to_milliseconds(ended) // 60_000 == to_milliseconds(match.ended_at) // 60_000:
                ended = match.ended_at
            elif not 0 <= to_milliseconds(ended) <= self._store.now() + CLOCK_SLACK_MS:
                raise Refused("bad-date")
            # Each name is compared with all others, so they are counted before that.
            _require_count(match, len(details.players))
            players = _renamed(match, details.players)
            if all(player.is_deleted for player in players):
                raise Unusable("Nobody would be left in this game.")
            _require_count(match, len(players))
            edited = match.moved(ended).with_players(players)
            place, notes = cleaned_line(details.place), cleaned_text(details.notes)
            edited = replace(edited, place=place, notes=notes)
            _write(connection, match, edited, self._store.now())

    def settle_edit(self, device: str, match_id: str, *, by_table: bool) -> None:
        """Keeps the edited match although its table has played on, or takes the table's instead.

        A table where the match goes on again has none to take yet.

        Raises:
            Refused: `no-such-play`, `view-only`; `old-rules`, the table's no longer fits the rules.
        """
        with self._store.database.read() as connection:
            match = changeable_match(connection, device, match_id)
        if match.table_id is None or match.number is None or not match.is_contested:
            return
        for _ in range(MOST_DRAFTS):
            with self._store.reading(match.table_id, device) as (connection, state, _me):
                events = events_between(connection, match.table_id, 0, state.version)
                played = records.match_number(events, match.number)
            if by_table and played.aside:
                raise Refused("old-rules")
            with self._store.changing(match.table_id, device) as change:
                change.require_player()
                if change.state.version != state.version:
                    continue
                if played.is_over or not by_table:
                    values = {"is_contested": False, **({"edited_at": None} if by_table else {})}
                    here = rows.c.id == match.id
                    change.connection.execute(rows.update().where(here).values(values))
                if by_table:
                    finished.save(change.connection, match.table_id, played, change.now)
                return
        raise Refused("stale")

    def renaming_preview(self, device: str, wanted: str, name: str) -> RenamingPreview:
        """The consequences of another name; raises `Refused` as `rename_person`."""
        with self._store.database.read() as connection:
            return _renaming(connection, device, wanted, name)[0]

    def rename_person(self, device: str, wanted: str, name: str) -> None:
        """Gives a person another name in all matches.

        With a name that somebody has already, the two become one person. Matches in which both
        play stay as they are. Each transaction changes a few matches; repeating the renaming
        finishes one that was interrupted.

        Raises:
            Refused: `no-such-person`, `bad-name`; `view-only`, when the device may change none of
                the person's matches.
        """
        with self._store.database.read() as connection:
            preview, ids = _renaming(connection, device, wanted, name)
        edited = from_milliseconds(self._store.now())
        old, new = name_key(preview.before), name_key(preview.name)

        def renamed(match: FinishedMatch) -> FinishedMatch:
            if old != new and match.has(new):
                return match  # since it was looked up
            players = list(match.players)
            for place, player in enumerate(players):
                if player.has_name(old):
                    players[place] = player.named(preview.name)
            after = match.with_players(players)
            return match if after == match else replace(after, edited=edited)

        rewrite(self._store, ids, renamed, is_of(device) & may_change(device))


def edit_sheets(
    connection: Connection,
    device: str,
    match_id: str,
    sheets: Sequence[tuple[str | None, KeptSheet]],
    now: int,
) -> None:
    """Puts these sheets in place of those of all players who were not deleted.

    Args:
        connection: one that writes, and is the only one to write to the finished matches.

    Raises:
        Refused: `no-such-play`, `view-only`, `bad-name`, `name-taken`.
        Unusable: no sheet, or too many.
    """
    match = changeable_match(connection, device, match_id)
    if not sheets:
        raise Unusable("Nobody would be left in this game.")
    names: list[str] = []
    known = {player.name: player.written for player in match.players}
    new: list[Participant] = []
    for raw, sheet in sheets:
        name = None if raw is None else add_name(raw, names)
        total = sheet.result.total if sheet.is_countable else None
        written = None if known.get(name) == total else known.get(name)
        new.append(Participant(name, total, False, sheet.document, written))
    left = iter(new)
    edited: list[Participant] = []
    for old in match.players:
        player = old if old.is_deleted else _keep_unchanged_document(old, next(left, None))
        if player is not None:
            edited.append(player)
    edited += left
    _require_count(match, len(edited))
    _write(connection, match, match.with_players(edited), now)


def _keep_unchanged_document(old: Participant, new: Participant | None) -> Participant | None:
    """The player after an edit, with the old document where the sheet says the same."""
    before = old.filled_document
    after = new and new.filled_document
    if new and before and after:
        was, now = filled_sheet(before), filled_sheet(after)
        if (was.kind.name, was.board, was.marks) == (now.kind.name, now.board, now.marks):
            return replace(new, sheet=before)
    return new


def _write(connection: Connection, before: FinishedMatch, after: FinishedMatch, now: int) -> None:
    """Writes a match that differs from what it was before."""
    if after == before:
        return
    is_noted = (after.players, after.ended_at) == (before.players, before.ended_at)
    # The clock may have stopped, or have been put back.
    changed = max(before.changed + 1, now)
    edited = before.edited if is_noted else from_milliseconds(now)
    columns = replace(after, changed=changed, edited=edited).columns()
    connection.execute(rows.update().where(rows.c.id == before.id).values(columns))


def _require_count(match: FinishedMatch, count: int) -> None:
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
        name = None if is_open else add_name(raw, names)
        if has_sheet or total == player.total:
            players.append(player.named(name))
        else:
            players.append(replace(player, name=name, total=_checked_total(total), sheet=None))
    for raw, total in left:
        if raw.strip():
            name = add_name(raw, names)
            players.append(Participant(name, _checked_total(total), False, None))
    return players


def _checked_total(total: int | None) -> int | None:
    if total is not None and total not in TOTALS:
        raise Refused("bad-total")
    return total


def _renaming(
    connection: Connection, device: str, wanted: str, raw: str
) -> tuple[RenamingPreview, list[str]]:
    """The consequences of another name, and the ids of the matches that change."""
    before, matches = appearances(connection, device, wanted)
    name = checked_name(raw)
    key = name_key(name)
    is_other_person = key != name_key(before)
    renamed, together, untouched = [], 0, 0
    for match in matches:
        if not match.may_change:
            untouched += 1
        elif is_other_person and match.has(key):
            together += 1
        elif name not in [player.name for player in match.players]:
            renamed.append(match.id)
    if untouched == len(matches):
        raise Refused("view-only")
    joins = 0
    if is_other_person:
        where = plays_in(connection, device, lambda known: name_key(known) == key)
        count = sa.select(sa.func.count()).where(is_visible_to(device), where)
        joins = connection.execute(count).scalar_one()
    return RenamingPreview(wanted, before, name, len(renamed), together, untouched, joins), renamed
