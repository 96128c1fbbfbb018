"""Logs of finished games: beside what was mended, what they were before and what tables add."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Gives each change a kind; all earlier ones are mends."""
    kind = sa.Column("kind", sa.Text, nullable=False, server_default="mended")
    op.add_column("play_changes", kind)
