"""Finished games, as they are kept when their table goes on or was never there."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Makes the history: finished matches, found by the device that owns them."""
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
        sa.UniqueConstraint("table_id", "number"),
    )
