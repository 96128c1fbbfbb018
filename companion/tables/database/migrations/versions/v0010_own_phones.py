"""The phones that share a device, and the links by which they are added."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Makes both tables. Phones that are there already count as one: the first of their device."""
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
