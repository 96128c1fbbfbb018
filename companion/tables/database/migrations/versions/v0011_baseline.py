"""The database of version 1.0.0, where those of this version begin."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = None


def upgrade() -> None:
    """Makes everything."""
    _make_tables()
    _make_access()
    _make_history()
    _make_reviews()
    _make_devices()
    _make_unlogged()


def _make_tables() -> None:
    op.create_table(
        "settings",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )
    op.create_table(
        "tables",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("phase", sa.Text, nullable=False),
        sa.Column("names", sa.Text, nullable=False),
        sa.Column("made_at", sa.BigInteger, nullable=False),
        sa.Column("changed_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "events",
        sa.Column("table_id", sa.Text, sa.ForeignKey("tables.id"), primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("tap_id", sa.Text),
        sa.Column("member", sa.Text, nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.UniqueConstraint("table_id", "tap_id"),
    )
    op.create_table(
        "games",
        sa.Column("table_id", sa.Text, sa.ForeignKey("tables.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("started_at", sa.BigInteger, nullable=False),
        sa.Column("ended_at", sa.BigInteger),
    )


def _make_access() -> None:
    op.create_table(
        "links",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("table_id", sa.Text, sa.ForeignKey("tables.id"), nullable=False, index=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("token", sa.Text, nullable=False, unique=True),
        sa.Column("seat", sa.Integer),
        sa.Column("code", sa.Text, unique=True),
        sa.Column("code_expires_at", sa.BigInteger),
        sa.Column("made_at", sa.BigInteger, nullable=False),
        sa.Column("revoked_at", sa.BigInteger),
    )
    op.create_table(
        "members",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("table_id", sa.Text, sa.ForeignKey("tables.id"), nullable=False),
        sa.Column("device", sa.Text, nullable=False, index=True),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("link_id", sa.Text, sa.ForeignKey("links.id")),
        sa.Column("joined_at", sa.BigInteger, nullable=False),
        sa.UniqueConstraint("table_id", "device"),
    )
    op.create_table(
        "link_tokens",
        sa.Column("hash", sa.Text, primary_key=True),
        sa.Column("link_id", sa.Text, sa.ForeignKey("links.id"), nullable=False, index=True),
        sa.Column("made_at", sa.BigInteger, nullable=False),
    )


def _make_history() -> None:
    op.create_table(
        "plays",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("owner", sa.Text, index=True),
        sa.Column("table_id", sa.Text, sa.ForeignKey("tables.id")),
        sa.Column("number", sa.Integer),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("started_at", sa.BigInteger),
        sa.Column("ended_at", sa.BigInteger),
        sa.Column("place", sa.Text, nullable=False),
        sa.Column("notes", sa.Text, nullable=False),
        sa.Column("players", sa.Text, nullable=False),
        sa.Column("record", sa.Text),
        sa.Column("identity", sa.Text, nullable=False, server_default="", index=True),
        sa.Column("changed_at", sa.BigInteger, nullable=False, server_default="0"),
        sa.UniqueConstraint("table_id", "number"),
    )
    op.create_table(
        "play_photos",
        sa.Column(
            "play_id", sa.Text, sa.ForeignKey("plays.id", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "play_links",
        sa.Column("hash", sa.Text, primary_key=True),
        sa.Column(
            "play_id",
            sa.Text,
            sa.ForeignKey("plays.id", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
        sa.Column("made_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "deleted_plays",
        sa.Column("owner", sa.Text, primary_key=True),
        sa.Column("identity", sa.Text, primary_key=True),
        sa.Column("at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "restored_plays",
        sa.Column("owner", sa.Text, primary_key=True),
        sa.Column("at", sa.BigInteger, primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("identity", sa.Text, nullable=False),
        sa.Column("body", sa.Text),
        sa.Column("play_id", sa.Text, sa.ForeignKey("plays.id", ondelete="CASCADE"), index=True),
    )
    op.create_table(
        "play_changes",
        sa.Column(
            "play_id", sa.Text, sa.ForeignKey("plays.id", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False, server_default="mended"),
    )


def _make_reviews() -> None:
    op.create_table(
        "reviews",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("device", sa.Text, nullable=False, index=True),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("made_at", sa.BigInteger, nullable=False),
        sa.Column("changed_at", sa.BigInteger, nullable=False, index=True),
    )
    op.create_table(
        "review_pictures",
        sa.Column(
            "review_id", sa.Text, sa.ForeignKey("reviews.id", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("data", sa.LargeBinary, nullable=False),
    )


def _make_devices() -> None:
    op.create_table(
        "devices",
        sa.Column("device", sa.Text, primary_key=True),
        sa.Column("seen_at", sa.BigInteger, nullable=False, index=True),
    )
    op.create_table(
        "own_phones",
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("device", sa.Text, nullable=False, index=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("added_at", sa.BigInteger, nullable=False),
        sa.Column("seen_at", sa.BigInteger, nullable=False),
        sa.Column("forgotten_at", sa.BigInteger),
    )
    op.create_table(
        "phone_links",
        sa.Column("device", sa.Text, primary_key=True),
        sa.Column("hash", sa.Text, nullable=False, unique=True),
        sa.Column("sealed", sa.Text, nullable=False),
        sa.Column("made_at", sa.BigInteger, nullable=False),
    )


def _make_unlogged() -> None:
    """Counts by address, and photos that wait for a reader, which PostgreSQL keeps without a log.

    A photo must not outlive its job in a replica or an archive.
    """
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    prefixes = [] if is_sqlite else ["UNLOGGED"]
    op.create_table(
        "address_counts",
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("address", sa.Text, primary_key=True),
        sa.Column("until", sa.BigInteger, primary_key=True, index=True),
        sa.Column("count", sa.Integer, nullable=False),
        prefixes=prefixes,
    )
    op.create_table(
        "photo_jobs",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("review_id", sa.Text, nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("network", sa.Text, nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("keep", sa.Boolean, nullable=False),
        sa.Column("turn", sa.Integer, nullable=False),
        sa.Column("is_started", sa.Boolean, nullable=False),
        sa.Column("job", sa.BigInteger),
        sa.Column("made_at", sa.BigInteger, nullable=False),
        prefixes=prefixes,
    )
    op.create_table(
        "photo_parts",
        sa.Column(
            "photo_id",
            sa.Text,
            sa.ForeignKey("photo_jobs.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
        prefixes=prefixes,
    )
    if not is_sqlite:
        # Deleted photos leave the disk soon, and not when a fifth of the table has changed.
        for name in ("photo_jobs", "photo_parts"):
            op.execute(
                f"ALTER TABLE {name} SET (autovacuum_vacuum_scale_factor = 0,"
                " autovacuum_vacuum_threshold = 10)"
            )
        op.execute(
            "ALTER TABLE photo_parts SET (toast.autovacuum_vacuum_scale_factor = 0,"
            " toast.autovacuum_vacuum_threshold = 10)"
        )
