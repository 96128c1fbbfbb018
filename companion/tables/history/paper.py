"""Adding a match that was played on paper, from its players' names and sheets."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from companion.core.game import Game
from companion.core.refusal import Unusable
from companion.games import standings
from companion.games.standings import KeptSheet
from companion.tables import finished, quotas, texts
from companion.tables.finished import Participant, Source
from companion.tables.ids import device_hash, new_id
from companion.tables.lobby import checked_game
from companion.tables.names import check_free, checked_name
from companion.tables.schema import finished_matches as rows
from companion.tables.store import Store
from companion.tables.times import to_milliseconds


def add_paper_game(
    store: Store,
    device: str,
    game: str,
    sheets: Sequence[tuple[str, KeptSheet]],
    *,
    started: datetime | None,
    ended: datetime | None,
    place: str,
    notes: str,
    source: Source,
    match_id: str | None,
) -> str:
    """See `History.add_paper_game`."""
    known, _ = checked_game(game, None)
    players = _players(known, sheets)
    end = to_milliseconds(ended) if ended else store.now()
    start = None if started is None else min(to_milliseconds(started), end)
    values = {
        "game": known.name,
        "source": source,
        "started_at": start,
        "ended_at": end,
        "place": texts.cleaned_line(place),
        "notes": texts.cleaned_text(notes),
        "players": finished.encode_players(players),
        "record": None,
    }
    match_id = match_id or new_id()
    with store.database.write(exclusive_table=rows) as connection:
        owner = device_hash(device)
        if connection.execute(sa.select(rows.c.id).where(rows.c.id == match_id)).first() is None:
            quotas.check_matches(connection, device, 1)
            connection.execute(rows.insert().values(id=match_id, owner=owner, **values))
    return match_id


def _players(game: Game, sheets: Sequence[tuple[str, KeptSheet]]) -> tuple[Participant, ...]:
    """The participants of a match on paper, from names and finished sheets."""
    if not 1 <= len(sheets) <= game.max_players:
        raise Unusable(f"{game.name} is for at most {game.max_players} players, not {len(sheets)}.")
    names: list[str] = []
    for raw, _ in sheets:
        name = checked_name(raw)
        check_free(name, names)
        names.append(name)
    won = standings.winners(game, [sheet.result for _, sheet in sheets])
    return tuple(
        Participant(name, sheet.result.total, wins, sheet.document)
        for name, (_, sheet), wins in zip(names, sheets, won, strict=True)
    )
