"""The catalogue: each game's room is complete, and shared sheets are the same object."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from companion.games.catalog import GAMES, ROOMS, SHEETS

ROOT: Final = Path(__file__).resolve().parents[2]


PARTS_OF_A_GAME = (
    "companion/games/{}/rules.py",
    "companion/games/{}/panel.py",
    "templates/games/{}/panel.html",
    "templates/games/{}/art.svg",
    "tests/games/{}/moves.py",
    "tests/games/{}/oracle.py",
)
PARTS_OF_A_SHEET = (
    "companion/games/{}/layout.py",
    "companion/games/{}/sheet.py",
    "training/games/{}.py",
    "benchmarks/games/{}.py",
    "tests/games/{}/papers.py",
)


def test_rooms_have_their_parts_under_one_name() -> None:
    wanted = [part.format(room) for room in ROOMS for part in PARTS_OF_A_GAME]
    wanted += [part.format(sheet) for sheet in SHEETS for part in PARTS_OF_A_SHEET]
    assert [path for path in wanted if not (ROOT / path).exists()] == []


def test_games_and_sheets_go_by_their_public_names() -> None:
    assert [game.name for game in GAMES.values()] == list(GAMES)
    assert all(SHEETS[game.sheet.name] is game.sheet for game in GAMES.values())


def test_the_numbers_in_the_markers_are_the_sheets_own() -> None:
    numbers = [sheet.number for sheet in SHEETS.values()]
    assert len(set(numbers)) == len(numbers)
    assert all(0 <= number <= 6 for number in numbers)
