"""Restoring a backup: what it would do, doing it, and taking it back as a whole.

Each match has an identity, which stays through mends, files and servers, so a match of a backup is
found whatever was changed in it since. A file is kept in rows of its own until its device says what
is to be done with it; then those rows hold what taking the restore back needs.
"""

from __future__ import annotations

import io
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import SimpleNamespace
from typing import IO, Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.core.refusal import Refusal
from companion.tables import quotas
from companion.tables.database.columns import device_hash, from_milliseconds, new_id
from companion.tables.database.schema import deleted_matches
from companion.tables.database.schema import finished_matches as rows
from companion.tables.database.schema import restored_matches as restored
from companion.tables.history import exchange
from companion.tables.history.importing import Imported, read
from companion.tables.history.looking import Looking
from companion.tables.history.pacing import Pace
from companion.tables.history.visible import (
    FinishedMatch,
    ids_ended_at,
    ids_with_changes,
    matches_with_identities,
    matches_with_ids,
)
from companion.tables.ledger import finished
from companion.tables.ledger.events import encode
from companion.tables.ledger.saved import SavedMatch
from companion.tables.refusals import Refused

CHOICES: Final = ("newer", "older", "deleted")
"""The kinds of matches with which a restore does something only if it is asked to."""
READ_AT_ONCE: Final = 500
"""Values in one query; SQLite takes 999 in older versions."""
WRITTEN_AT_ONCE: Final = 100
"""Matches that are restored in one transaction."""


@dataclass(frozen=True, slots=True)
class RestorePreview:
    """The consequences of a restore."""

    counts: Counter[str]
    """Kind → matches: `new`, `there`, `newer` or `older` than what is there, `deleted` here."""
    faults: tuple[tuple[int, Refusal], ...]
    """The matches that cannot be taken in: number in the file, reason."""


@dataclass(frozen=True, slots=True)
class Restored:
    """The device's last restore, which it can take back."""

    at: datetime
    new: int
    replaced: int


class _Judged(NamedTuple):
    """A match of a file on the way in."""

    number: int
    kind: str
    columns: dict[str, Any]
    here: FinishedMatch | None


class Restoring(Looking):
    """Backups on their way back into the history."""

    def prepare_restore(self, device: str, file: bytes | IO[bytes]) -> None:
        """Reads a file and keeps its matches until the device restores them.

        Raises:
            Refused: `too-many-games`, and what `exchange.parse` raises.
        """
        raw = io.BytesIO(file) if isinstance(file, bytes) else file
        now, owner = self._store.now(), device_hash(device)
        entries = list(read(raw, now))
        if not entries:
            raise Refused("empty-history")
        waiting = restored.c.play_id.is_(None)
        with self._store.database.write() as connection:
            last = sa.select(sa.func.max(restored.c.at)).where(restored.c.owner == owner)
            at = max(now, (connection.execute(last).scalar() or 0) + 1)
            connection.execute(restored.delete().where(restored.c.owner == owner, waiting))
        with self._store.database.read() as connection:
            identities = _identities(connection, device, entries)
        found = [
            {
                "owner": owner,
                "at": at,
                "number": number,
                "identity": identity,
                "body": encode({"fault": entry.fault} if entry.row is None else entry.row),
            }
            for number, (identity, entry) in enumerate(zip(identities, entries, strict=True), 1)
        ]
        pace = Pace()
        for start in range(0, len(found), READ_AT_ONCE):
            with self._store.database.write() as connection:
                connection.execute(restored.insert(), found[start : start + READ_AT_ONCE])
            pace.pause()
        new = self.restore_preview(device).counts["new"]
        with self._store.database.read() as connection:
            quotas.check_matches(connection, device, new)

    def restore_preview(self, device: str) -> RestorePreview:
        """The consequences of restoring the file that waits; raises `Refused`: `no-restore`."""
        counts: Counter[str] = Counter()
        faults: list[tuple[int, Refusal]] = []
        with self._store.database.read() as connection:
            at, numbers = _waiting(connection, device)
            for start in range(0, len(numbers), READ_AT_ONCE):
                part = numbers[start : start + READ_AT_ONCE]
                counts.update(found.kind for found in _judged(connection, device, at, part))
            query = sa.select(restored.c.number, restored.c.body).where(
                restored.c.owner == device_hash(device), restored.c.at == at, ~_IS_MATCH
            )
            for number, body in connection.execute(query.order_by(restored.c.number)):
                code, values = json.loads(body)["fault"]
                faults.append((number, Refused(code, **values).refusal))
        return RestorePreview(counts, tuple(faults))

    def forget_restore(self, device: str) -> None:
        """Deletes the file that waits."""
        with self._store.database.read() as connection:
            at, _ = _waiting(connection, device)
        with self._store.database.write() as connection:
            _forget_waiting(connection, device, at)

    def restore(self, device: str, chosen: Collection[str] = ()) -> bool:
        """Adds the new matches of the file that waits, and does what is chosen of `CHOICES`.

        Some matches are one transaction. The restore before cannot be taken back any more.

        Returns:
            Whether all is done; else the time of a request is over, and a further call goes on.

        Raises:
            Refused: `no-restore`, `too-many-games`.
        """
        with self._store.database.read() as connection:
            at, numbers = _waiting(connection, device)
        mine = restored.c.owner == device_hash(device)
        pace = Pace()
        for part in pace.parts(numbers, WRITTEN_AT_ONCE):
            with self._store.database.write(exclusive_table=rows) as connection:
                connection.execute(restored.delete().where(mine, restored.c.at < at))
                judged = list(_judged(connection, device, at, part))
                _add(connection, device, at, judged, chosen)
                _replace(connection, device, at, judged, chosen, self._store.now())
                _forget_waiting(connection, device, at, part)
        if not pace.is_over:
            with self._store.database.write() as connection:
                _forget_waiting(connection, device, at)
        return not pace.is_over

    def last_restore(self, device: str) -> Restored | None:
        """The restore that the device can take back."""
        done = restored.c.play_id.is_not(None)
        query = sa.select(restored.c.at, sa.func.count(), sa.func.count(restored.c.body)).where(
            restored.c.owner == device_hash(device), done
        )
        with self._store.database.read() as connection:
            row = connection.execute(query.group_by(restored.c.at)).first()
        return None if row is None else Restored(from_milliseconds(row[0]), row[1] - row[2], row[2])

    def take_back(self, device: str) -> bool:
        """Deletes what the last restore added, and undoes what it replaced, whatever came later.

        Returns:
            Whether all is done, as `restore`.
        """
        mine = (restored.c.owner == device_hash(device)) & restored.c.play_id.is_not(None)
        with self._store.database.read() as connection:
            ids = list(connection.execute(sa.select(restored.c.play_id).where(mine)).scalars())
        pace = Pace()
        for part in pace.parts(ids, WRITTEN_AT_ONCE):
            here = mine & restored.c.play_id.in_(part)
            with self._store.database.write(exclusive_table=rows) as connection:
                query = sa.select(restored.c.play_id, restored.c.body).where(here)
                bodies = {row.play_id: row.body for row in connection.execute(query)}
                added = [match_id for match_id, body in bodies.items() if body is None]
                ours = rows.c.owner == device_hash(device)
                connection.execute(rows.delete().where(rows.c.id.in_(added), ours))
                versions = {
                    match.id: (match, _match(json.loads(body)))
                    for match in matches_with_ids(connection, device, list(bodies))
                    if match.may_change and (body := bodies[match.id]) is not None
                }
                finished.replace_all(connection, versions, self._store.now())
                connection.execute(restored.delete().where(here))
        return not pace.is_over


_IS_MATCH: Final = restored.c.identity != ""


def _waiting(connection: Connection, device: str) -> tuple[int, list[int]]:
    """When a file was read that waits, and the numbers of its matches that can be taken in."""
    here = (restored.c.owner == device_hash(device)) & restored.c.play_id.is_(None)
    at = connection.execute(sa.select(sa.func.max(restored.c.at)).where(here)).scalar()
    if at is None:
        raise Refused("no-restore")
    query = sa.select(restored.c.number).where(here, restored.c.at == at, _IS_MATCH)
    return at, list(connection.execute(query.order_by(restored.c.number)).scalars())


def _judged(
    connection: Connection, device: str, at: int, numbers: Sequence[int]
) -> Iterator[_Judged]:
    """The effects of restoring these matches; those the device may not change count as there."""
    owner = device_hash(device)
    query = sa.select(restored.c.number, restored.c.identity, restored.c.body).where(
        restored.c.owner == owner,
        restored.c.at == at,
        restored.c.number.in_(numbers),
        restored.c.play_id.is_(None),
    )
    waiting = connection.execute(query.order_by(restored.c.number)).all()
    identities = [row.identity for row in waiting]
    known = matches_with_identities(connection, device, identities)
    gone = sa.select(deleted_matches.c.identity).where(
        deleted_matches.c.owner == owner, deleted_matches.c.identity.in_(identities)
    )
    deleted = set(connection.execute(gone).scalars())
    for row in waiting:
        columns = {**json.loads(row.body), "identity": row.identity}
        here = known.get(row.identity)
        if here is None:
            kind = "deleted" if row.identity in deleted else "new"
        elif not here.may_change or _content(columns) == _content(here.columns()):
            kind = "there"
        else:
            kind = "newer" if columns["changed_at"] > here.changed else "older"
        yield _Judged(row.number, kind, columns, here)


def _content(columns: dict[str, Any]) -> dict[str, Any]:
    """The parts by which two versions of a match are compared."""
    parsed = {name: json.loads(columns[name] or "null") for name in ("players", "record")}
    return {**columns, **parsed, "changed_at": 0}


def _add(
    connection: Connection, device: str, at: int, judged: Sequence[_Judged], chosen: Collection[str]
) -> None:
    """Puts in the matches that are new, or were deleted and are wanted again."""
    wanted = {"new", *chosen} - {"newer", "older"}
    ids = {found.number: new_id() for found in judged if found.kind in wanted}
    owner = device_hash(device)
    quotas.check_matches(connection, device, len(ids))
    if ids:
        new = [
            {**found.columns, "id": ids[found.number], "owner": owner}
            for found in judged
            if found.number in ids
        ]
        connection.execute(rows.insert(), new)
        _note(connection, device, at, [(number, ids[number], None) for number in ids])


def _replace(
    connection: Connection,
    device: str,
    at: int,
    judged: Sequence[_Judged],
    chosen: Collection[str],
    now: int,
) -> None:
    """Writes the file's versions of matches that are wanted instead of what is there."""
    versions: dict[str, tuple[SavedMatch, SavedMatch]] = {}
    notes = []
    for found in judged:
        if found.here is not None and found.kind in set(chosen) & {"newer", "older"}:
            version = _match(found.columns)
            if found.kind == "older":
                version = version.changed_later(max(now, found.here.changed + 1))
            versions[found.here.id] = found.here, version
            notes.append((found.number, found.here.id, encode(found.here.columns())))
    if versions:
        finished.replace_all(connection, versions, now)
        _note(connection, device, at, notes)


def _note(
    connection: Connection, device: str, at: int, notes: Sequence[tuple[int, str, str | None]]
) -> None:
    """Notes what taking back needs: (number in the file, id, what the match was before)."""
    mine = (restored.c.owner == device_hash(device)) & (restored.c.at == at)
    connection.execute(
        restored.update()
        .where(mine, restored.c.number == sa.bindparam("of"))
        .values(play_id=sa.bindparam("here"), body=sa.bindparam("before")),
        [{"of": number, "here": match_id, "before": body} for number, match_id, body in notes],
    )


def _forget_waiting(
    connection: Connection, device: str, at: int, numbers: Sequence[int] | None = None
) -> None:
    """Deletes what waits no longer; all of the file without `numbers`."""
    some = sa.true() if numbers is None else restored.c.number.in_(numbers)
    mine = restored.c.owner == device_hash(device)
    waiting = restored.c.play_id.is_(None)
    connection.execute(restored.delete().where(mine, restored.c.at == at, waiting, some))


def _match(columns: dict[str, Any]) -> SavedMatch:
    return SavedMatch(**finished.fields_of(SimpleNamespace(**columns)))


def _identities(connection: Connection, device: str, entries: Sequence[Imported]) -> list[str]:
    """The identities of a file's matches, empty for one that cannot be taken in.

    Files of earlier versions have none. Their matches are found by content, as they are here now or
    were before a change that the log still has, or with somebody deleted since. Others get an
    identity that follows from their content, so that the same file can be restored twice.
    """
    keys = Counter(entry.key for entry in entries if entry.row and entry.key)
    known = _by_content(connection, device, entries) if keys else {}
    left = {}
    for key, count in keys.items():
        there = list(dict.fromkeys(known.get(key, ())))
        made = (f"{key[:48]}-{number}" for number in range(count))
        left[key] = iter([*there, *(identity for identity in made if identity not in there)])
    return [
        "" if entry.row is None else next(left[entry.key]) if entry.key else entry.row["identity"]
        for entry in entries
    ]


def _by_content(
    connection: Connection, device: str, entries: Sequence[Imported]
) -> dict[str, list[str]]:
    """The identities of the device's matches by `key_of`, also of what they were earlier."""
    found: dict[str, list[str]] = defaultdict(list)
    times = sorted({entry.row["ended_at"] for entry in entries if entry.row and entry.key})
    anonymized = []
    for start in range(0, len(times), READ_AT_ONCE):
        ids = sorted(ids_ended_at(connection, device, times[start : start + READ_AT_ONCE]))
        for match in matches_with_ids(connection, device, ids):
            found[exchange.key_of(match)].append(match.identity)
            anonymized += [match] if any(player.is_deleted for player in match.players) else []
    changed = ids_with_changes(connection, device)
    for match in matches_with_ids(connection, device, changed):
        for version in finished.earlier_versions(connection, match.id, match):
            found[exchange.key_of(version)].append(match.identity)
    for entry in entries:
        if entry.row and entry.key and entry.key not in found:
            whole = _match(entry.row)
            found[entry.key] += [match.identity for match in anonymized if _is_rest(match, whole)]
    return found


def _is_rest(match: SavedMatch, whole: SavedMatch) -> bool:
    """Whether a match is what remained of another one when somebody was deleted."""
    if (match.game, match.started_at, match.ended_at) != (
        whole.game, whole.started_at, whole.ended_at
    ) or len(match.players) != len(whole.players):  # fmt: skip
        return False
    pairs = zip(match.players, whole.players, strict=True)
    return all(
        left.is_deleted or (left.name, left.total) == (was.name, was.total) for left, was in pairs
    )
