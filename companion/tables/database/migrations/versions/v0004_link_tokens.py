"""The tokens of links as hashes; each device that shows a link has a token of its own for it."""

import hashlib

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Moves the links' tokens into a table of their hashes."""
    tokens = op.create_table(
        "link_tokens",
        sa.Column("hash", sa.Text, primary_key=True),
        sa.Column("link_id", sa.Text, sa.ForeignKey("links.id"), nullable=False, index=True),
        sa.Column("made_at", sa.BigInteger, nullable=False),
    )
    connection = op.get_bind()
    links = sa.table(
        "links",
        sa.column("id", sa.Text),
        sa.column("token", sa.Text),
        sa.column("made_at", sa.BigInteger),
    )
    for link_id, token, made_at in connection.execute(sa.select(links)).all():
        digest = hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
        row = {"hash": digest, "link_id": link_id, "made_at": made_at}
        connection.execute(tokens.insert().values(**row))
    # SQLite cannot drop the column while other tables refer to this one, so it holds no secret.
    connection.execute(links.update().values(token=links.c.id))
