"""Reviews: sheets that somebody looks through before they become a match, kept for a day.

Here a review is a JSON object with pictures beside it; `companion.paper` knows the content, except
for who may open it: the device that made it, and those that play at its `table`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.tables.database.columns import device_hash, is_id, new_id
from companion.tables.database.schema import (
    finished_matches,
    match_photos,
    members,
    photo_jobs,
    review_pictures,
    reviews,
)
from companion.tables.ledger.events import encode
from companion.tables.ledger.store import Store
from companion.tables.refusals import Refused

# How long a review is kept after its last change, with its pictures
LIFETIME_MS: Final = 24 * 60 * 60 * 1000
# Expired reviews that are deleted in one transaction: the pictures of one take up to 60 MB, which
# SQLite overwrites
EXPIRED_AT_ONCE: Final = 2
MOST_REVIEWS: Final = 12  # of one device that are not saved yet
MOST_PICTURE_BYTES: Final = 60 * 1024**2  # of the pictures in one device's reviews
# Limit of the numbers of a match's photos; a database takes none above 2**31
MOST_REVIEW_PHOTOS: Final = 1_000


@dataclass
class ReviewChange:
    """A change to a review, written at the end of `Reviews.changing`."""

    connection: Connection
    body: dict[str, Any]  # the review, to be changed in place
    maker: str  # the hash of the device that made it
    # Pictures to keep, by name; None for a picture to delete.
    pictures: dict[str, bytes | None] = field(default_factory=dict)
    is_over: bool = False  # whether to delete the review
    # The matches of the history that get some of its pictures, unless they have some.
    match_ids: Sequence[str] = ()
    # The names of those pictures, in order; names without a picture are passed over.
    kept: Sequence[str] = ()


class OpenReview(NamedTuple):
    """A review that a device may open."""

    id: str
    body: dict[str, Any]
    changed_at: int  # the time of its last change, in milliseconds since 1970
    is_own: bool  # whether the device made it; else it is one of a table where it plays


class Reviews:
    """The reviews of one database. Each method is one transaction."""

    def __init__(self, store: Store) -> None:
        self._store: Final = store

    def make(self, device: str, body: Mapping[str, Any], *, once: bool = False) -> str:
        """Makes a review and returns its id; deletes some of the expired ones.

        Args:
            once: whether a review that the device has made with the same body, and that nobody has
                changed since, is returned in place of another one: the request was sent again.

        Raises:
            Refused: `too-many-reviews`.
        """
        review_id, now = new_id(), self._store.now()
        text, is_mine = encode(body), self._is_open(device_hash(device))
        with self._store.database.write() as connection:
            self._delete_expired(connection)
            if once:
                self._store.database.queue(connection, device_hash(device))
                same = sa.select(reviews.c.id).where(is_mine, reviews.c.body == text)
                if there := connection.execute(same.where(reviews.c.version == 1)).scalar():
                    renewed = reviews.update().where(reviews.c.id == there).values(changed_at=now)
                    connection.execute(renewed)  # it is kept as long as one that is made now
                    return str(there)
            mine = sa.select(sa.func.count()).where(is_mine)
            if (connection.execute(mine).scalar() or 0) >= MOST_REVIEWS:
                raise Refused("too-many-reviews")
            row = {"id": review_id, "device": device_hash(device), "version": 1}
            row |= {"body": text, "made_at": now, "changed_at": now}
            connection.execute(reviews.insert().values(row))
        return review_id

    def read(self, review_id: str, device: str) -> tuple[int, dict[str, Any]]:
        """The review's version and body; raises `Refused` with `no-such-review`."""
        with self._store.database.read() as connection:
            row = self._found(connection, review_id, device)
        return row.version, json.loads(row.body)

    @contextmanager
    def changing(
        self, review_id: str, device: str | None, *, saves: bool = False
    ) -> Iterator[ReviewChange]:
        """Changes a review while nobody else does; committed at the end.

        Args:
            device: None for the app itself, when a photo has been read.
            saves: whether the same transaction puts a match into the history.

        Raises:
            Refused: `no-such-review`; `too-many-reviews` when there is no room for its pictures.
        """
        table = finished_matches if saves else None
        with self._store.database.write(exclusive_table=table) as connection:
            row = self._found(connection, review_id, device, lock=True)
            version, body = row.version, json.loads(row.body)
            change = ReviewChange(connection, body, row.device)
            yield change
            for match_id in change.match_ids if change.kept else ():
                _keep(connection, review_id, match_id, change.kept)
            if change.is_over:
                _delete(connection, reviews.c.id == review_id)
                return
            for name, data in change.pictures.items():
                where = (review_pictures.c.review_id == review_id, review_pictures.c.name == name)
                connection.execute(review_pictures.delete().where(*where))
                if data is not None:
                    row = {"review_id": review_id, "name": name, "data": data}
                    connection.execute(review_pictures.insert().values(row))
            if any(change.pictures.values()):
                self._require_room_for_pictures(connection, change.maker)
            connection.execute(
                reviews.update()
                .where(reviews.c.id == review_id)
                .values(version=version + 1, body=encode(change.body), changed_at=self._store.now())
            )

    def picture(self, review_id: str, device: str, name: str) -> bytes:
        """One of the pictures; raises `Refused` with `no-such-review`."""
        if not is_id(name):
            raise Refused("no-such-review")
        with self._store.database.read() as connection:
            self._found(connection, review_id, device)
            return _pictures(connection, review_id, name)[name]

    def pictures(self, review_id: str, device: str) -> Mapping[str, bytes]:
        """All pictures, by name; raises `Refused` with `no-such-review`."""
        with self._store.database.read() as connection:
            self._found(connection, review_id, device)
            return _pictures(connection, review_id)

    def kept_photos(self, match_id: str) -> tuple[int, ...]:
        """The numbers of a match's photos. It does not check who may see the match."""
        query = sa.select(match_photos.c.number).where(match_photos.c.play_id == match_id)
        with self._store.database.read() as connection:
            return tuple(connection.execute(query.order_by(match_photos.c.number)).scalars())

    def kept_photo(self, match_id: str, number: int) -> bytes:
        """One of a match's photos; raises `Refused` with `no-such-play`."""
        if number > MOST_REVIEW_PHOTOS:
            raise Refused("no-such-play")
        query = sa.select(match_photos.c.data).where(
            match_photos.c.play_id == match_id, match_photos.c.number == number
        )
        with self._store.database.read() as connection:
            data = connection.execute(query).scalar()
        if data is None:
            raise Refused("no-such-play")
        return bytes(data)

    def of_device(self, device: str) -> tuple[OpenReview, ...]:
        """Its own reviews and those made where it plays; newest first."""
        mine = device_hash(device)
        beside = sa.select(members.c.device).where(members.c.table_id.in_(_tables_of(mine)))
        query = (
            sa.select(reviews)
            .where(
                (reviews.c.device == mine) | reviews.c.device.in_(beside),
                reviews.c.changed_at > self._store.now() - LIFETIME_MS,
            )
            .order_by(reviews.c.changed_at.desc(), reviews.c.id)
        )
        with self._store.database.read() as connection:
            tables = set(connection.execute(_tables_of(mine)).scalars())
            found = [
                OpenReview(row.id, json.loads(row.body), row.changed_at, row.device == mine)
                for row in connection.execute(query)
            ]
        return tuple(one for one in found if one.is_own or one.body.get("table") in tables)

    def sweep(self) -> None:
        """Deletes the expired reviews of all devices."""
        is_left = True
        while is_left:
            with self._store.database.write() as connection:
                is_left = self._delete_expired(connection)

    def _is_open(self, maker: str) -> sa.ColumnElement[bool]:
        """The condition on a review that it is one of a device, by its hash, and not expired."""
        is_young = reviews.c.changed_at > self._store.now() - LIFETIME_MS
        return (reviews.c.device == maker) & is_young

    def _delete_expired(self, connection: Connection) -> bool:
        """Deletes some of the expired reviews; returns whether there were any."""
        old = sa.select(reviews.c.id).where(reviews.c.changed_at <= self._store.now() - LIFETIME_MS)
        gone = connection.execute(old.limit(EXPIRED_AT_ONCE)).scalars().all()
        if gone:
            _delete(connection, reviews.c.id.in_(gone))
        return bool(gone)

    def _require_room_for_pictures(self, connection: Connection, maker: str) -> None:
        held = (
            sa.select(sa.func.sum(sa.func.length(review_pictures.c.data)))
            .join(reviews, reviews.c.id == review_pictures.c.review_id)
            .where(self._is_open(maker))
        )
        if (connection.execute(held).scalar() or 0) > MOST_PICTURE_BYTES:
            raise Refused("too-many-reviews")

    def _found(
        self, connection: Connection, review_id: str, device: str | None, *, lock: bool = False
    ) -> Any:
        """The row of a review that the device may open."""
        if not is_id(review_id):
            raise Refused("no-such-review")
        query = sa.select(reviews).where(
            reviews.c.id == review_id, reviews.c.changed_at > self._store.now() - LIFETIME_MS
        )
        if lock and not self._store.database.is_sqlite:
            query = query.with_for_update()
        row = connection.execute(query).one_or_none()
        if row is None or not (device is None or _may_open(connection, row, device_hash(device))):
            raise Refused("no-such-review")
        return row


def _may_open(connection: Connection, row: Any, mine: str) -> bool:
    if row.device == mine:
        return True
    here = _tables_of(mine).where(members.c.table_id == json.loads(row.body).get("table"))
    return connection.execute(here).first() is not None


def _tables_of(mine: str) -> sa.Select[Any]:
    """The ids of the tables where a device plays."""
    return sa.select(members.c.table_id).where(members.c.device == mine, members.c.role != "viewer")


def _keep(connection: Connection, review_id: str, match_id: str, names: Sequence[str]) -> None:
    """Copies pictures of a review to a match, unless it has some."""
    known = sa.select(match_photos.c.number).where(match_photos.c.play_id == match_id)
    if connection.execute(known.limit(1)).first() is not None:
        return
    pictures = _pictures(connection, review_id)
    for number, name in enumerate((name for name in names if name in pictures), start=1):
        row = {"play_id": match_id, "number": number, "data": pictures[name]}
        connection.execute(match_photos.insert().values(row))


def _pictures(connection: Connection, review_id: str, name: str | None = None) -> dict[str, bytes]:
    query = sa.select(review_pictures.c.name, review_pictures.c.data).where(
        review_pictures.c.review_id == review_id
    )
    if name is not None:
        query = query.where(review_pictures.c.name == name)
    found = {row.name: bytes(row.data) for row in connection.execute(query)}
    if name is not None and name not in found:
        raise Refused("no-such-review")
    return found


def _delete(connection: Connection, which: sa.ColumnElement[bool]) -> None:
    gone = sa.select(reviews.c.id).where(which)
    connection.execute(photo_jobs.delete().where(photo_jobs.c.review_id.in_(gone)))
    connection.execute(review_pictures.delete().where(review_pictures.c.review_id.in_(gone)))
    connection.execute(reviews.delete().where(which))
