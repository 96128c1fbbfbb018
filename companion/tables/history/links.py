"""Links by which anybody may look at one finished match.

As with tables, the database keeps a hash of a link's token. The token comes from the device that
made the link, and from the time, so that a link that is made after revoking another is a new one.
"""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.tables.database.columns import is_id, link_token, token_hash
from companion.tables.database.schema import match_links
from companion.tables.history.looking import Looking
from companion.tables.history.visible import FinishedMatch, changeable_match, match_for_all
from companion.tables.refusals import Refused


class Links(Looking):
    """Links to matches of the history."""

    def link(self, device: str, match_id: str) -> str:
        """The token of the device's link to a match for anybody, which is made if there is none.

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

    def link_there(self, device: str, match_id: str) -> tuple[str | None, int]:
        """The token of the device's own link to a match, if any, and the number of all links."""
        with self._store.database.read() as connection:
            here = match_links.c.play_id == match_id
            count = connection.execute(sa.select(sa.func.count()).where(here)).scalar_one()
            return _own(connection, device, match_id), count

    def revoke_links(self, device: str, match_id: str) -> None:
        """Makes all links to a match invalid; raises `Refused` as `link` does."""
        with self._store.database.write() as connection:
            match = changeable_match(connection, device, match_id)
            connection.execute(match_links.delete().where(match_links.c.play_id == match.id))

    def match_behind(self, token: str) -> FinishedMatch:
        """The match that a link shows; raises `Refused` with `no-such-link`."""
        if not is_id(token):
            raise Refused("no-such-link")
        query = sa.select(match_links.c.play_id).where(match_links.c.hash == token_hash(token))
        with self._store.database.read() as connection:
            match_id = connection.execute(query).scalar()
            match = None if match_id is None else match_for_all(connection, match_id)
        if match is None:
            raise Refused("no-such-link")
        return match


def _own(connection: Connection, device: str, match_id: str) -> str | None:
    query = sa.select(match_links).where(match_links.c.play_id == match_id)
    for row in connection.execute(query).all():
        token = _token(device, match_id, row.made_at)
        if token_hash(token) == row.hash:
            return token
    return None


def _token(device: str, match_id: str, made_at: int) -> str:
    return link_token(device, f"game {match_id} {made_at}")
