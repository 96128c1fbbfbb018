"""The catalogue: each game's room is complete, and shared sheets are the same object."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from companion.games.catalog import GAMES, ROOMS, SHEETS

ROOT: Final = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_has_its_parts_under_one_name(room: str) -> None:
    for path in (
        f"companion/games/{room}/rules.py",
        f"companion/games/{room}/panel.py",
        f"templates/games/{room}/panel.html",
        f"templates/games/{room}/art.svg",
        f"tests/games/{room}/moves.py",
        f"tests/games/{room}/oracle.py",
    ):
        assert (ROOT / path).exists(), path


@pytest.mark.parametrize("sheet", SHEETS)
def test_a_sheets_room_has_its_parts_under_one_name(sheet: str) -> None:
    for path in (
        f"companion/games/{sheet}/layout.py",
        f"companion/games/{sheet}/sheet.py",
        f"training/games/{sheet}.py",
        f"benchmarks/games/{sheet}.py",
        f"tests/games/{sheet}/papers.py",
    ):
        assert (ROOT / path).exists(), path


def test_games_and_sheets_go_by_their_public_names() -> None:
    assert [game.name for game in GAMES.values()] == list(GAMES)
    assert all(SHEETS[game.sheet.name] is game.sheet for game in GAMES.values())


def test_the_numbers_in_the_markers_are_the_sheets_own() -> None:
    numbers = [sheet.number for sheet in SHEETS.values()]
    assert len(set(numbers)) == len(numbers)
    assert all(0 <= number <= 6 for number in numbers)
