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
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("identity", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("owner", "identity", name="pk_deleted_plays"),
    )
    op.create_table(
        "restored_plays",
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("identity", sa.Text, nullable=False),
        sa.Column("body", sa.Text),
        sa.Column("play_id", sa.Text),
        sa.PrimaryKeyConstraint("owner", "at", "number", name="pk_restored_plays"),
        sa.ForeignKeyConstraint(
            ["play_id"], ["plays.id"], name="fk_restored_plays_play_id", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_restored_plays_play_id", "restored_plays", ["play_id"])


def downgrade() -> None:
    """Drops them all."""
    op.drop_table("restored_plays")
    op.drop_table("deleted_plays")
    op.drop_index("ix_plays_identity", "plays")
    op.drop_column("plays", "changed_at")
    op.drop_column("plays", "identity")
