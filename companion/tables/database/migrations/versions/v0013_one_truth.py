"""Finished matches without a log of their own, and without what is no longer used."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Notes when a match was edited; its row has what followed from its log."""
    op.add_column("plays", sa.Column("edited_at", sa.BigInteger))
    op.add_column(
        "plays", sa.Column("is_contested", sa.Boolean, nullable=False, server_default=sa.false())
    )
    op.execute(
        "UPDATE plays SET edited_at = (SELECT MAX(at) FROM play_changes"
        " WHERE play_changes.play_id = plays.id AND play_changes.kind <> 'played')"
    )
    op.execute("""UPDATE reviews SET body = REPLACE(body, '"mends":', '"edits":')""")
    changes = ("play_changes", "restored_plays")
    for name in (*changes, "address_counts", "own_phones", "phone_links", "own_editions"):
        op.drop_table(name)
