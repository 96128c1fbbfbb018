"""Short-lived data that processes share: counts by address, and photos that wait for a reader.

Neither is worth a write-ahead log: a photo must not outlive its job in a replica or an archive.
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Makes counts by address and the photos' queue; PostgreSQL keeps both without a log."""
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
