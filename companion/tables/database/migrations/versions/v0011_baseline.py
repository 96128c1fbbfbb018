"""The database of version 1.0.0, the oldest one that this version migrates."""

revision = "0011"
down_revision = None


def upgrade() -> None:
    """Makes nothing: a new database is made as `schema` describes it."""
