"""The last visit of each device, so that data which nobody uses any more can be deleted."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Makes the table of the times at which devices were last seen."""
    op.create_table(
        "devices",
        sa.Column("device", sa.Text, primary_key=True),
        sa.Column("seen_at", sa.BigInteger, nullable=False, index=True),
    )
