"""The pages of known games in each step of a round, measured in the quick windows of the stage."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Browser

from companion.games.rounds import GAME
from companion.games.rounds.counting import KNOWN
from companion.tables import Tables
from lab import play
from lab.phones import Phone
from lab.tables import Evening
from tests.e2e.saved_pages import SavedPage
from tests.e2e.stage import Stage, app_with_toys
from tests.e2e.test_stage import QUICK
from tests.games.rounds.test_counting import closed, said

pytestmark = pytest.mark.e2e
PLAYERS = ("Ada", "Benjamin", "Cleo")
MANY = (*PLAYERS, "Dora", "Emil", "Frida", "Gustav", "Hedwig", "Ida", "Jonathan")
STATES: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "bids": ("wizard", said("bid", None, 1)),
    "tricks": ("wizard", said("bid", 0, 1, 1)),
    "bonus": ("skull-king", [*said("bid", 0, 1, 0), *said("tricks", 0, 1, 0)]),
    "who closed": ("skyjo", []),
    "closed": ("skyjo", [*closed("Benjamin"), *said("points", None, 12)]),
    "who won": ("uno", []),
    "who of many won": ("uno", []),
    "sum": ("hearts", said("points", None, 5)),
    "phase": ("phase-10", said("phase", None, True)),
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tables]:
    opened = Tables(f"sqlite:///{tmp_path_factory.mktemp('stage') / 'tables.sqlite3'}")
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def app(tables: Tables) -> Iterator[Flask]:
    with app_with_toys(tables) as made:
        yield made


@pytest.fixture(scope="module")
def stage(chromium: Browser) -> Iterator[Stage]:
    opened = Stage(chromium)
    yield opened
    opened.close()


@pytest.mark.parametrize("state", STATES)
def test_every_step_is_laid_out_in_every_window(
    app: Flask, tables: Tables, stage: Stage, tmp_path: Path, state: str
) -> None:
    key, actions = STATES[state]
    known = KNOWN[key]
    named = {"Ben": "Benjamin"}
    renamed = [{k: named.get(v, v) if k == "by" else v for k, v in a.items()} for a in actions]
    players = MANY if "many" in state else PLAYERS
    record = play.record_of(players, renamed, GAME.name)
    record["options"] = {**known.options, "title": known.title}
    host = Phone(app)
    evening = Evening(tables, tables.import_record(host.device, record), host.device)
    path = f"/t/{evening.id}/"
    answer = host.get(path, headers={"Accept-Language": "de"})
    assert answer.status_code == 200
    stage.show(SavedPage(state, state, path, answer.text, host, players))
    found = {}
    for window, faults in stage.faults(QUICK).items():
        if faults:
            stage.picture(window, tmp_path / f"{state} {window[0]}x{window[1]} {window[2]}.png")
            found[window] = faults
    assert found == {}, f"pictures in {tmp_path}"
