"""Identities of finished games; which were deleted, and what a device's last restore did."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Makes a game's id its identity. Copies that were handed out before get one each."""
    op.add_column("plays", sa.Column("identity", sa.Text, nullable=False, server_default=""))
    op.add_column(
        "plays", sa.Column("changed_at", sa.BigInteger, nullable=False, server_default="0")
    )
    op.execute("UPDATE plays SET identity = id")
    op.create_index("ix_plays_identity", "plays", ["identity"])
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
