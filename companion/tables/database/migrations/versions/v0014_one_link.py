"""A link to a table is its id, the same on each phone; none hands over a seat."""

from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Ends the links to seats; those who came by one can still be sent away."""
    op.execute(
        "UPDATE links SET kind = 'join', revoked_at = COALESCE(revoked_at, made_at)"
        " WHERE kind = 'seat'"
    )
    op.drop_column("links", "seat")
    op.drop_table("link_tokens")
