"""The work of a tap at a table of four phones with streams, counted rather than timed."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Template

from benchmarks.cost import PhonesOfTable
from benchmarks.servers.play import seat_tables
from companion.core.game import Game
from companion.core.position import Position
from companion.games.catalog import GAMES
from companion.tables import Tables
from companion.tables.ledger.match import Match
from companion.web import create_app
from lab.play import moves_of
from lab.servers import loop

TAPS = 40
MOST_ASKED = 8  # of a page: Freaky asks for the hand of whoever is next


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_a_tap_folds_plays_and_draws_little(
    game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`MOST_WORK` of a game's moves has the limits: replays, plays and templates of a usual tap."""
    done: Counter[str] = Counter()

    def count(owner: type, name: str) -> None:
        counted = getattr(owner, name)

        def counting(*args: Any, **more: Any) -> Any:
            done[name] += 1
            return counted(*args, **more)

        monkeypatch.setattr(owner, name, counting)

    async def taps(tables: Tables) -> None:
        app = create_app(tables)
        client = app.test_client(use_cookies=False)
        phones = PhonesOfTable(app, tables, table)
        await phones.reach(0)
        for owner, name in ((Match, "_replayed"), (Position, "play"), (Template, "render")):
            count(owner, name)
        for _ in range(TAPS):
            player, document = table.tap()
            if table.game.position.over:  # The last tap draws the page of the end.
                break
            headers = {"Cookie": table.cookies[player]}
            taken = done["play"]  # those of the random game
            answer = client.post(f"{table.path}taps", json=document, headers=headers)
            assert answer.status_code == 200, answer.get_data(as_text=True)
            await phones.reach(answer.get_json()["version"])
            found.append(done["play"] - taken)
        phones.close()

    database, found = tmp_path / "app.db", list[int]()
    (table,) = seat_tables(database, 1, 4, game)
    with closing(Tables(f"sqlite:///{database}")) as tables:
        loop.run(taps(tables))
    work = {"replays": done["_replayed"], "plays": sum(found), "templates": done["render"]}
    of_a_tap = {name: number / len(found) for name, number in work.items()}
    assert all(of_a_tap[name] <= most for name, most in moves_of(game.name).MOST_WORK.items()), (
        of_a_tap
    )


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_a_page_from_the_database_plays_each_entry_once(
    game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In addition, only what the page needs: the next step, and an implied action."""
    (table,) = seat_tables(database := tmp_path / "app.db", 1, 4, game)
    with closing(Tables(f"sqlite:///{database}")) as tables:
        client = create_app(tables).test_client(use_cookies=False)
        played = Position.play
        plays: list[Position] = []
        monkeypatch.setattr(
            Position, "play", lambda self, action: plays.append(self) or played(self, action)
        )
        headers = {"Cookie": next(iter(table.cookies.values()))}
        assert client.get(table.path, headers=headers).status_code == 200
        state = tables.cache.get(table.id)
    assert state is not None
    assert state.match is not None
    assert len(plays) <= len(state.match.entries) + MOST_ASKED
