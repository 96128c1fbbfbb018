"""The phones that share a device, and the links by which they are added."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Makes both tables. Phones that are there already count as one: the first of their device."""
    op.create_table(
        "own_phones",
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("device", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("added_at", sa.BigInteger, nullable=False),
        sa.Column("seen_at", sa.BigInteger, nullable=False),
        sa.Column("forgotten_at", sa.BigInteger),
        sa.PrimaryKeyConstraint("key", name="pk_own_phones"),
    )
    op.create_index("ix_own_phones_device", "own_phones", ["device"])
    op.create_table(
        "phone_links",
        sa.Column("device", sa.Text, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
        sa.Column("sealed", sa.Text, nullable=False),
        sa.Column("made_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("device", name="pk_phone_links"),
        sa.UniqueConstraint("hash", name="uq_phone_links_hash"),
    )


def downgrade() -> None:
    """Drops both; forgotten phones are the device again."""
    op.drop_table("phone_links")
    op.drop_table("own_phones")
