"""Links by which anybody may look at one finished match.

As with tables, the database keeps a hash of a link's token. The token comes from the device that
made the link, and from the time, so that a link that is made after revoking another is a new one.
"""

from __future__ import annotations

from dataclasses import replace

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.tables.database.columns import is_id, own_token, token_hash
from companion.tables.database.schema import finished_matches as rows
from companion.tables.database.schema import match_links
from companion.tables.history.matches import IS_KNOWN, FinishedMatch, changeable_match, from_row
from companion.tables.history.queries import Queries
from companion.tables.refusals import Refused


class Links(Queries):
    def make_link(self, device: str, match_id: str) -> str:
        """The token of the device's link to a match, for anybody; makes one if there is none.

        Raises:
            Refused: `no-such-play`, `view-only`.
        """
        with self._store.database.write() as connection:
            match = changeable_match(connection, device, match_id)
            token = _own(connection, device, match.id)
            if token is None:
                now = self._store.now()
                token = _token(device, match.id, now)
                row = {"hash": token_hash(token), "play_id": match.id, "made_at": now}
                connection.execute(match_links.insert().values(row))
        return token

    def own_link(self, device: str, match_id: str) -> tuple[str | None, int]:
        """The token of the device's own link to a match, if any, and the number of all links."""
        with self._store.database.read() as connection:
            here = match_links.c.play_id == match_id
            count = connection.execute(sa.select(sa.func.count()).where(here)).scalar_one()
            return _own(connection, device, match_id), count

    def revoke_links(self, device: str, match_id: str) -> None:
        """Makes all links to a match invalid; raises `Refused` as `make_link` does."""
        with self._store.database.write() as connection:
            match = changeable_match(connection, device, match_id)
            connection.execute(match_links.delete().where(match_links.c.play_id == match.id))

    def match_of_link(self, token: str) -> FinishedMatch:
        """The match that a link shows, which nobody may change, and without its table.

        Raises:
            Refused: `no-such-link`.
        """
        query = (
            sa.select(rows, sa.false().label("may_change"))
            .join(match_links, match_links.c.play_id == rows.c.id)
            .where(match_links.c.hash == token_hash(token), rows.c.ended_at.is_not(None), IS_KNOWN)
        )
        with self._store.database.read() as connection:
            row = connection.execute(query).one_or_none() if is_id(token) else None
        if row is None:
            raise Refused("no-such-link")
        return replace(from_row(row), table_id=None, record=None)


def _own(connection: Connection, device: str, match_id: str) -> str | None:
    query = sa.select(match_links).where(match_links.c.play_id == match_id)
    for row in connection.execute(query).all():
        token = _token(device, match_id, row.made_at)
        if token_hash(token) == row.hash:
            return token
    return None


def _token(device: str, match_id: str, made_at: int) -> str:
    return own_token(device, f"link game {match_id} {made_at}")
