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
        sa.Column("hash", sa.Text, nullable=False),
        sa.Column("link_id", sa.Text, nullable=False),
        sa.Column("made_at", sa.BigInteger, nullable=False),
        sa.ForeignKeyConstraint(["link_id"], ["links.id"], name="fk_link_tokens_link_id"),
        sa.PrimaryKeyConstraint("hash", name="pk_link_tokens"),
    )
    op.create_index("ix_link_tokens_link_id", "link_tokens", ["link_id"])
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


def downgrade() -> None:
    """Drops the hashes: earlier links no longer open a table."""
    op.drop_table("link_tokens")
