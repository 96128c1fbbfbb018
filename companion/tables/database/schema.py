"""The database's tables. Only migrations change them; see `migrations/`.

Times are whole milliseconds since 1970 (UTC), so that both databases keep them alike. A match is
called "game" or "play" in the names of tables and columns, which are older than the word.
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from companion.tables.database.columns import new_id

# The migration of version 1.0.0, the oldest version whose databases can be migrated
BASELINE: Final = "0011"
# The newest migration. A database of this version starts without loading Alembic.
HEAD: Final = "0015"

_NAMES: Final = {
    "pk": "pk_%(table_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
}
metadata: Final = sa.MetaData(naming_convention=_NAMES)

settings: Final = sa.Table(
    "settings",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)

tables: Final = sa.Table(
    "tables",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("version", sa.Integer, nullable=False),
    # The following columns serve lists of tables only; the table itself is folded from its events.
    sa.Column("game", sa.Text, nullable=False),
    sa.Column("phase", sa.Text, nullable=False),
    sa.Column("names", sa.Text, nullable=False),  # a JSON list, in seating order
    sa.Column("made_at", sa.BigInteger, nullable=False),
    sa.Column("changed_at", sa.BigInteger, nullable=False),
)

_table_id: Final = "tables.id"


def _part_of(other: str) -> sa.ForeignKey:
    """The id of a row of another table; this row is deleted with it."""
    return sa.ForeignKey(f"{other}.id", ondelete="CASCADE")


events: Final = sa.Table(
    "events",
    metadata,
    sa.Column("table_id", sa.Text, sa.ForeignKey(_table_id), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("tap_id", sa.Text),  # null except for taps in a match, and for what made a table
    sa.Column("member", sa.Text, nullable=False),
    sa.Column("actor", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.UniqueConstraint("table_id", "tap_id"),
)

matches: Final = sa.Table(
    "games",
    metadata,
    sa.Column("table_id", sa.Text, sa.ForeignKey(_table_id), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("game", sa.Text, nullable=False),
    sa.Column("started_at", sa.BigInteger, nullable=False),
    sa.Column("ended_at", sa.BigInteger),
)

links: Final = sa.Table(
    "links",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("table_id", sa.Text, sa.ForeignKey(_table_id), nullable=False, index=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("token", sa.Text, nullable=False, unique=True),  # the id again
    sa.Column("code", sa.Text, unique=True),
    sa.Column("code_expires_at", sa.BigInteger),
    sa.Column("made_at", sa.BigInteger, nullable=False),
    sa.Column("revoked_at", sa.BigInteger),
)

members: Final = sa.Table(
    "members",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("table_id", sa.Text, sa.ForeignKey(_table_id), nullable=False),
    sa.Column("device", sa.Text, nullable=False, index=True),  # SHA-256 of the cookie's token
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("label", sa.Text, nullable=False),
    sa.Column("link_id", sa.Text, sa.ForeignKey("links.id")),  # null for the table's maker
    sa.Column("joined_at", sa.BigInteger, nullable=False),
    sa.UniqueConstraint("table_id", "device"),
)

finished_matches: Final = sa.Table(
    "plays",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    # A match belongs to a device (SHA-256 of the cookie's token), or to the devices at a table.
    sa.Column("owner", sa.Text, index=True),
    sa.Column("table_id", sa.Text, sa.ForeignKey(_table_id)),
    sa.Column("number", sa.Integer),  # the match's number at its table; null when it was on paper
    sa.Column("game", sa.Text, nullable=False),
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("started_at", sa.BigInteger),
    sa.Column("ended_at", sa.BigInteger),  # null while a match that was over goes on again
    sa.Column("place", sa.Text, nullable=False),
    sa.Column("notes", sa.Text, nullable=False),
    sa.Column("players", sa.Text, nullable=False),  # JSON; see `companion.tables.ledger.finished`
    sa.Column("record", sa.Text),  # JSON, a companion-record/1; null where it was on paper
    # The same in every copy of the match: in files, on other servers, in other devices' histories.
    sa.Column("identity", sa.Text, nullable=False, index=True, default=new_id, server_default=""),
    sa.Column("changed_at", sa.BigInteger, nullable=False, server_default="0"),  # 0: never
    sa.Column("edited_at", sa.BigInteger),  # the last edit of players or date; null: never
    # Whether the table has played on since that edit, and nobody has said which of the two counts.
    sa.Column("is_contested", sa.Boolean, nullable=False, server_default=sa.false()),
    # The same in every saving of one match; see `columns.essence`.
    sa.Column("essence", sa.Text, nullable=False, server_default=""),
    sa.UniqueConstraint("table_id", "number"),
    sa.Index(None, "essence", "owner"),
)

deleted_matches: Final = sa.Table(
    "deleted_plays",
    metadata,
    sa.Column("owner", sa.Text, primary_key=True),  # a device from whose history it was deleted
    sa.Column("identity", sa.Text, primary_key=True),
    sa.Column("at", sa.BigInteger, nullable=False),
)

reviews: Final = sa.Table(
    "reviews",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("device", sa.Text, nullable=False, index=True),  # SHA-256, as in `members`
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("made_at", sa.BigInteger, nullable=False),
    sa.Column("changed_at", sa.BigInteger, nullable=False, index=True),
)

review_pictures: Final = sa.Table(
    "review_pictures",
    metadata,
    sa.Column("review_id", sa.Text, _part_of("reviews"), primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("data", sa.LargeBinary, nullable=False),
)

match_photos: Final = sa.Table(
    "play_photos",
    metadata,
    sa.Column("play_id", sa.Text, _part_of("plays"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("data", sa.LargeBinary, nullable=False),
)

# Photos on their way to a reader, on PostgreSQL. They are gone as soon as they have been read.
photo_jobs: Final = sa.Table(
    "photo_jobs",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("review_id", sa.Text, nullable=False),
    sa.Column("owner", sa.Text, nullable=False),  # SHA-256, as in `members`
    sa.Column("network", sa.Text, nullable=False, default=""),  # an address; of IPv6, a network
    sa.Column("size", sa.Integer, nullable=False),
    sa.Column("keep", sa.Boolean, nullable=False),
    sa.Column("turn", sa.Integer, nullable=False, default=0),  # see `vision.worker.pool.turn_of`
    sa.Column("is_started", sa.Boolean, nullable=False, default=False),  # no longer used
    sa.Column("job", sa.BigInteger),  # its number in the queue
    sa.Column("made_at", sa.BigInteger, nullable=False),
)

photo_parts: Final = sa.Table(
    "photo_parts",
    metadata,
    sa.Column("photo_id", sa.Text, _part_of("photo_jobs"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("data", sa.LargeBinary, nullable=False),
)

devices: Final = sa.Table(
    "devices",
    metadata,
    sa.Column("device", sa.Text, primary_key=True),  # SHA-256 of the cookie's token
    # The last day of its use, or the first day of waiting for it; see `tidying`.
    sa.Column("seen_at", sa.BigInteger, nullable=False, index=True),
)

match_links: Final = sa.Table(
    "play_links",
    metadata,
    sa.Column("hash", sa.Text, primary_key=True),  # SHA-256 of the token
    sa.Column("play_id", sa.Text, _part_of("plays"), nullable=False, index=True),
    sa.Column("made_at", sa.BigInteger, nullable=False),
)

# PostgreSQL keeps photos that wait without a log: a photo must not outlive its job in a replica or
# an archive. Deleted ones leave the disk soon, and not when a fifth of the table has changed.
_SOON: Final = ("autovacuum_vacuum_scale_factor = 0", "autovacuum_vacuum_threshold = 10")
for _name, _options in (
    ("photo_parts", (*_SOON, *(f"toast.{option}" for option in _SOON))),
    ("photo_jobs", _SOON),
):
    _statement = f"ALTER TABLE {_name} SET UNLOGGED, SET ({', '.join(_options)})"
    _made = sa.DDL(_statement).execute_if(dialect="postgresql")  # type: ignore[no-untyped-call]
    sa.event.listen(metadata, "after_create", _made)
