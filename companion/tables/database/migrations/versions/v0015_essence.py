"""A key in each finished match, by which the same match is found without reading others."""

import json

import sqlalchemy as sa
from alembic import op

from companion.tables.database.columns import essence, from_milliseconds

revision = "0015"
down_revision = "0014"

ROWS_AT_ONCE = 500  # matches that are in memory at a time


def upgrade() -> None:
    """Makes the key and its index, and fills it in, a few matches at a time."""
    op.add_column("plays", sa.Column("essence", sa.Text, nullable=False, server_default=""))
    connection = op.get_bind()
    rows = sa.table("plays", *map(sa.column, ("id", "game", "ended_at", "players", "essence")))
    query = sa.select(rows.c.id, rows.c.game, rows.c.ended_at, rows.c.players)
    query = query.where(rows.c.id > sa.bindparam("last")).order_by(rows.c.id).limit(ROWS_AT_ONCE)
    fill = rows.update().where(rows.c.id == sa.bindparam("key"))
    last = ""
    while found := connection.execute(query, {"last": last}).all():
        values = []
        for key, game, ended_at, players in found:
            ended = from_milliseconds(ended_at or 0)  # none where the match goes on again
            values.append({"key": key, "essence": essence(game, ended, json.loads(players))})
        connection.execute(fill, values)
        last = found[-1].id
    op.create_index("ix_plays_essence_owner", "plays", ["essence", "owner"])
