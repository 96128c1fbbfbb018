"""Winners from finished sheets alone: the same as in the app."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core.refusal import Unusable
from companion.core.result import Result, ranked, won
from companion.games import standings
from companion.games.catalog import GAMES
from companion.games.scoring import filled_sheet
from lab.games import document

QWINTO = document()
ENCORE: dict[str, Any] = {"sheet": "encore", "board": "black", "crossed": [], "jokers_used": 0}
ENCORE |= {"columns": {}, "colors": {}}
TALLY: dict[str, Any] = {"sheet": "tally", "players": ["Ada", "Ben", "Cleo"]}
TALLY |= {"rounds": [[12, 30, None], [7, 0, 30]]}


@pytest.mark.parametrize(
    ("game", "results", "won"),
    [
        # Qwinto and Freaky: the most points, a tie is shared.
        ("qwinto-dice", [Result(43), Result(12), Result(43)], (True, False, True)),
        ("freaky", [Result(19), Result(30), Result(30)], (False, True, True)),
        ("qwinto-dice", [Result(-20), Result(-5)], (False, True)),
        # Encore: a tie goes to more unused jokers, then it is shared.
        ("encore", [Result(6, 4), Result(6, 5)], (False, True)),
        ("encore", [Result(6, 5), Result(6, 5)], (True, True)),
        ("encore", [Result(7, 0), Result(6, 8)], (True, False)),
        # A solo player wins, but not where somebody's sheet must be missing.
        ("qwinto-cards", [Result(-5)], (True,)),
        ("qwinto-dice", [Result(30)], (False,)),
        ("qwinto-dice", [], ()),
    ],
)
def test_who_has_won(game: str, results: list[Result], won: tuple[bool, ...]) -> None:
    assert standings.winners(GAMES[game], results) == won


def test_a_sheet_is_kept_without_fields_that_may_be_left_out() -> None:
    kept = standings.read(GAMES["qwinto-dice"], {**QWINTO, "failed": 2, "x": [1]})
    assert kept == standings.KeptSheet({**QWINTO, "failed": 2}, Result(-10))
    kept = standings.read(GAMES["freaky"], {"cards": 12, "x": 1})
    assert kept == standings.KeptSheet({"cards": 12}, Result(12)), "a game without paper"


def test_encores_unused_jokers_break_the_tie() -> None:
    full = standings.read(GAMES["encore"], ENCORE).result
    used = standings.read(GAMES["encore"], {**ENCORE, "jokers_used": 3}).result
    assert (full.tie, used.tie) == (8, 5)
    assert full.total == used.total + 3


def test_a_shared_sheet_is_split_by_player() -> None:
    parts = dict(filled_sheet(TALLY).by_player)
    assert list(parts) == ["Ada", "Ben", "Cleo"]
    assert [part.result.total for part in parts.values()] == [19, 30, 30]
    cleos = {"sheet": "tally", "players": ["Cleo"], "rounds": [[None], [30]]}
    assert parts["Cleo"].document == cleos
    game = GAMES["freaky"]
    assert standings.read(game, parts["Ben"].document) == standings.kept_sheet(game, parts["Ben"])


@pytest.mark.parametrize(
    ("game", "sheet"),
    [
        ("qwinto-dice", None),
        ("qwinto-dice", {}),
        ("qwinto-dice", {"cards": 3}),
        ("qwinto-dice", ENCORE),
        ("qwinto-dice", {**QWINTO, "sheet": ["qwinto"]}),
        ("encore", QWINTO),
        ("freaky", QWINTO),
        ("freaky", TALLY),
        ("freaky", {"cards": True}),
        ("freaky", {"sheet": "tally", "players": ["Ada"], "rounds": [[1, 2]]}),
    ],
)
def test_sheets_of_other_games_are_refused(game: str, sheet: object) -> None:
    with pytest.raises(Unusable):
        standings.read(GAMES[game], sheet)


def test_results_are_ranked_by_wins_totals_and_ties() -> None:
    """Equal results keep the seating order; a result that was deleted is the last."""
    results = [Result(50, 1), None, Result(60, 2), Result(50, 3), Result(60, 4), Result(50, 1)]
    wins = [False, False, False, False, True, False]
    assert ranked(results, wins) == [4, 2, 3, 0, 5, 1]
    assert ranked(results, [False, True, *wins[2:]]) == [4, 1, 2, 3, 0, 5]
    assert (ranked([], []), won([])) == ([], ())
