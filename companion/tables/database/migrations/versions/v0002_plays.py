"""Finished games, as they are kept when their table goes on or was never there."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Makes the history: finished matches, found by the device that owns them."""
    op.create_table(
        "plays",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("owner", sa.Text),
        sa.Column("table_id", sa.Text),
        sa.Column("number", sa.Integer),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("started_at", sa.BigInteger),
        sa.Column("ended_at", sa.BigInteger),
        sa.Column("place", sa.Text, nullable=False),
        sa.Column("notes", sa.Text, nullable=False),
        sa.Column("players", sa.Text, nullable=False),
        sa.Column("record", sa.Text),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name="fk_plays_table_id"),
        sa.PrimaryKeyConstraint("id", name="pk_plays"),
        sa.UniqueConstraint("table_id", "number", name="uq_plays_table_id_number"),
    )
    op.create_index("ix_plays_owner", "plays", ["owner"])


def downgrade() -> None:
    """Drops the history; the logs of the tables stay."""
    op.drop_table("plays")
