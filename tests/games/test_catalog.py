"""The catalogue: each game's room is complete, and shared sheets are the same object."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from companion.core.game import Game
from companion.core.position import Position
from companion.core.refusal import Refusal
from companion.core.values import Action
from companion.games.catalog import GAMES, ROOMS, SHEETS
from companion.games.record import play_action

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


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_the_panel_names_every_action_of_the_rules_and_no_other(game: Game) -> None:
    players = tuple("ABCDEF"[: game.max_players])
    first = game.start(players, {name: values[0] for name, values in game.options.items()})
    unknown = refused(first, {"do": "no such action", "by": "A"}).text
    for name in {
        *game.panel.actions,
        *(name for other in GAMES.values() for name in other.panel.actions),
    }:
        is_known = refused(first, {"do": name, "by": "A"}).text != unknown
        assert is_known == (name in game.panel.actions), name


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_skipping_and_closing_are_actions_of_the_game(game: Game) -> None:
    if skip := game.skip("A"):
        assert skip["by"] == "A"
        assert skip["do"] in game.panel.actions
    if game.close:
        assert game.close["do"] in game.panel.actions


def refused(position: Position, action: Action) -> Refusal:
    """The refusal of an action that nobody can take before anything has happened."""
    result = play_action(position, action)
    assert isinstance(result, Refusal)
    return result
