"""Changing finished matches afterwards: sheets, names, date, and who played.

Totals and winners follow, and each change is kept with its time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, TypeAlias

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.core.refusal import Unusable
from companion.core.result import Result
from companion.core.result import won as won_by
from companion.core.values import Document
from companion.games import standings
from companion.games.scoring import filled_sheet
from companion.games.standings import KeptSheet
from companion.tables import finished, texts
from companion.tables.events import decode, encode
from companion.tables.exchange import TOTALS
from companion.tables.finished import Participant
from companion.tables.history.visible import FinishedMatch, changeable_match, matches_of
from companion.tables.names import check_free, checked_name, name_key
from companion.tables.people import Person, person_id
from companion.tables.refusals import bad_date, bad_total, view_only
from companion.tables.schema import finished_matches as rows
from companion.tables.schema import match_changes
from companion.tables.store import Store
from companion.tables.times import from_milliseconds, to_milliseconds

MOST_ITEMS: Final = 300
"""Items in one change; a sheet has at most about 200 fields."""
MOST_CHANGES: Final = 100
"""Changes that are kept of a match; the oldest go."""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that a change has changed."""

    what: str
    """`ended`, `name`, `added`, `removed`, `total` or `field`."""
    player: str = ""
    field: str = ""
    """The field's id, of a `field`."""
    before: Any = None
    """A mark, a total, a name, or milliseconds since 1970."""
    after: Any = None

    def document(self) -> Document:
        return {
            "what": self.what,
            "player": self.player,
            "field": self.field,
            "before": self.before,
            "after": self.after,
        }


@dataclass(frozen=True, slots=True)
class MatchChange:
    """What was changed in a match at one time."""

    at: datetime
    items: tuple[Item, ...]


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

    person: Person
    name: str
    renamed: int
    together: int
    """Matches that stay as they are, because somebody of the new name plays in them, too."""
    untouched: int
    """Matches that this device may not change."""
    joins: int
    """Matches of the person who has the new name already."""


def mend_sheets(
    store: Store, device: str, match_id: str, sheets: Sequence[tuple[str | None, KeptSheet]]
) -> None:
    """Puts these sheets in place of those of all players who were not deleted."""
    with store.database.write(exclusive_table=rows) as connection:
        match = changeable_match(connection, device, match_id)
        names: list[str] = []
        players: list[Participant] = []
        for raw, sheet in sheets:
            name = None if raw is None else _free_name(raw, names)
            total = sheet.result.total if sheet.is_countable else None
            told = [one.written for one in match.players if name and one.name == name]
            written = None if not told or told[0] == total else told[0]
            players.append(Participant(name, total, False, sheet.document, written))
        deleted = [player for player in match.players if player.is_deleted]
        if not 1 <= len(players) + len(deleted) <= match.game.max_players:
            raise Unusable(
                f"{match.game.name} is for at most {match.game.max_players} players,"
                f" not {len(players) + len(deleted)}."
            )
        _write(store, connection, match, [*players, *deleted])


def mend_details(store: Store, device: str, match_id: str, details: Details) -> None:
    """Changes date, place, notes and names, and totals where there is no sheet.

    Raises:
        Refused: `bad-name`, `name-taken`; `bad-date` for a time to come; `bad-total`.
        Unusable: nobody would be left, or too many.
    """
    with store.database.write(exclusive_table=rows) as connection:
        match = changeable_match(connection, device, match_id)
        ended = to_milliseconds(details.ended)
        # A form has minutes; the same minute is the same moment.
        if ended // 60_000 == to_milliseconds(match.ended_at) // 60_000:
            ended = to_milliseconds(match.ended_at)
        elif not 0 <= ended <= store.now():
            raise bad_date()
        players = _renamed(match, details.players)
        if all(player.is_deleted for player in players):
            raise Unusable("Nobody would be left in this game.")
        if len(players) > match.game.max_players:
            raise Unusable(f"{match.game.name} is for at most {match.game.max_players} players.")
        values = {
            "place": texts.cleaned_line(details.place),
            "notes": texts.cleaned_text(details.notes),
        }
        _write(store, connection, match, players, ended=ended, texts=values)


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
            players.append(_named(player, name))
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


def _named(player: Participant, name: str | None) -> Participant:
    """The player with another name, also over the column of a sheet that players share."""
    sheet = player.filled_document
    if name and sheet is not None:
        sheet = filled_sheet(sheet).named([name]).document
        return replace(player, name=name, sheet=sheet)
    return replace(player, name=name)


def _checked_total(total: int | None) -> int | None:
    if total is not None and total not in TOTALS:
        raise bad_total()
    return total


def _write(
    store: Store,
    connection: Connection,
    match: FinishedMatch,
    players: Sequence[Participant],
    *,
    ended: int | None = None,
    texts: Mapping[str, str] | None = None,
) -> None:
    """Writes a match as it is now, and what is different."""
    before = to_milliseconds(match.ended_at)
    pairs = _paired(match.players, players)
    items = list(_differences(pairs))
    values: dict[str, Any] = dict(texts or {})
    if items:
        is_renamed_only = all(item.what == "name" for item in items)
        counted = players if is_renamed_only else _with_winners(match, players)
        values["players"] = finished.encode_players(tuple(counted))
        # The record holds every action as it was played.
        values["record"] = _renamed_record(match.record, pairs) if is_renamed_only else None
    if ended is not None and ended != before:
        items.insert(0, Item("ended", before=before, after=ended))
        values["ended_at"] = ended
        if match.started_at is not None:
            started = to_milliseconds(match.started_at) + ended - before
            values["started_at"] = max(started, 0)
    if values:
        connection.execute(rows.update().where(rows.c.id == match.id).values(**values))
    if items:
        _keep(store, connection, match.id, items[:MOST_ITEMS])


def _with_winners(match: FinishedMatch, players: Sequence[Participant]) -> tuple[Participant, ...]:
    """The players with who has won now.

    A deleted player who won has no total any more; only somebody who shared that win still has it.
    """
    deleted_won = any(player.won and player.is_deleted for player in players)
    if any(not player.is_deleted and player.total is None for player in players):
        return tuple(replace(player, won=False) for player in players)
    won = iter(won_by([_result(match, player) for player in players if not player.is_deleted]))
    enough = len(players) >= match.game.min_players
    shared = {player.name for player in match.players if player.won}
    return tuple(
        player
        if player.is_deleted
        else replace(
            player, won=enough and next(won) and (not deleted_won or player.name in shared)
        )
        for player in players
    )


def _result(match: FinishedMatch, player: Participant) -> Result:
    if player.sheet is not None:
        return standings.read(match.game, player.sheet).result
    return Result(player.total or 0)


Pair: TypeAlias = tuple[Participant | None, Participant | None]
"""A player before and after; None on one side who was added or taken out."""


def _paired(before: Sequence[Participant], after: Sequence[Participant]) -> list[Pair]:
    """The same players before and after: by name, and those who are left in their order."""
    old = [player for player in before if not player.is_deleted]
    new = [player for player in after if not player.is_deleted]
    by_key = {name_key(player.name): player for player in old if player.name}
    kept = [(by_key.get(name_key(player.name or "")), player) for player in new]
    taken = [id(player) for player, _ in kept if player is not None]
    rest = [player for player in old if id(player) not in taken]
    if len(rest) == sum(player is None for player, _ in kept):
        left = iter(rest)
        return [(player or next(left), other) for player, other in kept]
    return [*kept, *((player, None) for player in rest)]


def _differences(pairs: Sequence[Pair]) -> Iterator[Item]:
    for before, after in pairs:
        if before is None:
            if after is not None:
                yield Item("added", after.name or "", after=after.total)
        elif after is None:
            yield Item("removed", before.name or "", before=before.total)
        else:
            if before.name != after.name:
                yield Item("name", after.name or "", before=before.name, after=after.name)
            yield from _field_differences(before, after)
            if before.total != after.total:
                yield Item("total", after.name or "", before=before.total, after=after.total)


def _field_differences(before: Participant, after: Participant) -> Iterator[Item]:
    old, new = _marks(before.filled_document), _marks(after.filled_document)
    for field in dict.fromkeys((*old, *new)):
        one, other = old.get(field), new.get(field)
        if one != other and not (_is_empty(one) and _is_empty(other)):
            yield Item("field", after.name or "", field, one, other)


def _is_empty(mark: object) -> bool:
    """Whether nothing is written; the number 0 is something."""
    return mark is None or mark is False or mark == "open"


def _marks(sheet: Document | None) -> Mapping[str, Any]:
    return {} if sheet is None else filled_sheet(sheet).marks


def _renamed_record(record: Document | None, pairs: Sequence[Pair]) -> str | None:
    """The record with the players' new names, for a row."""
    if record is None:
        return None
    names = {one.name: other.name for one, other in pairs if one and other}
    actions = [
        {**action, "by": names.get(action["by"], action["by"])} if "by" in action else action
        for action in record["actions"]
    ]
    players = [names.get(name, name) for name in record["players"]]
    return encode({**record, "players": players, "actions": actions})


def _keep(store: Store, connection: Connection, match_id: str, items: Sequence[Item]) -> None:
    here = match_changes.c.play_id == match_id
    last = connection.execute(sa.select(sa.func.max(match_changes.c.number)).where(here)).scalar()
    number = (last or 0) + 1
    connection.execute(
        match_changes.insert().values(
            play_id=match_id,
            number=number,
            at=store.now(),
            body=encode([item.document() for item in items]),
        )
    )
    old = match_changes.c.number <= number - MOST_CHANGES
    connection.execute(match_changes.delete().where(here, old))


def changes_of(connection: Connection, match_id: str) -> tuple[MatchChange, ...]:
    """What was changed in a match, the latest first. The caller checks who may see it."""
    query = (
        sa.select(match_changes.c.at, match_changes.c.body)
        .where(match_changes.c.play_id == match_id)
        .order_by(match_changes.c.number.desc())
    )
    return tuple(
        MatchChange(from_milliseconds(at), tuple(Item(**raw) for raw in decode(body)))
        for at, body in connection.execute(query)
    )


def preview_renaming(store: Store, device: str, person: Person, raw: str) -> RenamingPreview:
    """The consequences of another name; raises `Refused`: `bad-name`, `view-only`."""
    name = checked_name(raw)
    with store.database.read() as connection:
        found = matches_of(connection, device)
    renamed = together = untouched = joins = 0
    for match in found:
        keys = [name_key(player.name) for player in match.players if player.name]
        joins += name_key(name) in keys and name_key(name) != name_key(person.name)
        if name_key(person.name) not in keys:
            continue
        if not match.may_change:
            untouched += 1
        elif name_key(name) in keys and name_key(name) != name_key(person.name):
            together += 1
        else:
            renamed += 1
    if untouched and not renamed:
        raise view_only()
    return RenamingPreview(person, name, renamed, together, untouched, joins)


def rename_person(store: Store, device: str, person: Person, raw: str) -> str:
    """Gives a person another name in all matches; returns the id of the person of that name.

    With a name that somebody has already, the two become one person. Matches in which both play
    stay as they are.
    """
    name = preview_renaming(store, device, person, raw).name
    key = name_key(person.name)
    with store.database.write(exclusive_table=rows) as connection:
        for match in matches_of(connection, device):
            names = [player.name for player in match.players]
            keys = [name_key(had) if had else "" for had in names]
            is_other = name_key(name) != key and name_key(name) in keys
            if not match.may_change or key not in keys or is_other or name in names:
                continue
            players = [
                _named(player, name) if had == key else player
                for player, had in zip(match.players, keys, strict=True)
            ]
            _write(store, connection, match, players)
    return person_id(name)
