"""Changes of finished games, and links to look at one of them."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0006"


def upgrade() -> None:
    """Makes the changes of saved matches, and the links that share a match."""
    op.create_table(
        "play_changes",
        sa.Column(
            "play_id", sa.Text, sa.ForeignKey("plays.id", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
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
