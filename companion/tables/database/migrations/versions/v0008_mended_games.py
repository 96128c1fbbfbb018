"""Changes of finished games, and links to look at one of them."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0006"


def upgrade() -> None:
    """Makes the changes of saved matches, and the links that share a match."""
    op.create_table(
        "play_changes",
        sa.Column("play_id", sa.Text, nullable=False),
        sa.Column("number", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(
            ["play_id"], ["plays.id"], name="fk_play_changes_play_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("play_id", "number", name="pk_play_changes"),
    )
    op.create_table(
        "play_links",
        sa.Column("hash", sa.Text, nullable=False),
        sa.Column("play_id", sa.Text, nullable=False),
        sa.Column("made_at", sa.BigInteger, nullable=False),
        sa.ForeignKeyConstraint(
            ["play_id"], ["plays.id"], name="fk_play_links_play_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("hash", name="pk_play_links"),
    )
    op.create_index("ix_play_links_play_id", "play_links", ["play_id"])


def downgrade() -> None:
    """Drops both: matches keep their values, and shared links end."""
    op.drop_table("play_links")
    op.drop_table("play_changes")
