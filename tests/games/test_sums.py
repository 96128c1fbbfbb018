"""The sums that belong on a sheet have public names, and are what the score says."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core.sheet import AnySheetKind
from companion.games.catalog import SHEETS
from companion.games.editions import editions
from tests.kit.sheets import KINDS, written

SHEETS_AND_BOARDS = [pytest.param(*pair, id="-".join((pair[0].name, pair[1]))) for pair in KINDS]


@pytest.mark.parametrize(("kind", "board"), SHEETS_AND_BOARDS)
def test_every_sum_has_a_blank_on_the_pad(kind: AnySheetKind, board: str) -> None:
    blanks = {blank.id for blank in kind.paper(board).sums}
    sums = kind.filled(written(kind, board)).sums
    assert sums
    assert set(sums) <= blanks
    if kind.sharing is None:
        assert set(sums) == blanks


def test_editions_have_the_same_blanks_as_our_own_pads() -> None:
    for edition in editions():
        for board in edition.sheet.every_board:
            blanks = {blank.id for blank in edition.paper(board).blanks}
            assert blanks == set(edition.sheet.marked(board, {}).sums)


@pytest.mark.parametrize(("kind", "board"), SHEETS_AND_BOARDS)
def test_the_sums_make_the_total(kind: AnySheetKind, board: str) -> None:
    filled = kind.filled(written(kind, board))
    totals = {name: points for name, points in filled.sums.items() if name.startswith("sum.player")}
    if kind.sharing is not None:
        assert sum(totals.values()) == filled.result.total
        return
    signs = {blank.id: blank.sign for blank in kind.paper(board).blanks}
    parts = {name: points for name, points in filled.sums.items() if name != "sum.total"}
    assert all(points >= 0 for points in parts.values())
    together = sum(-points if signs[name] == "−" else points for name, points in parts.items())
    assert together == filled.sums["sum.total"] == filled.result.total


@pytest.mark.parametrize(
    ("document", "sums"),
    [
        (
            {
                "sheet": "qwinto",
                "orange": [None, 5, None, None, 10, 13, None, 17, None],
                "yellow": [2, 3, 7, 8, 10, 11, 12, 15, 16],
                "purple": [2, 4, None, 6, 7, None, 9, 11, None],
                "failed": 2,
            },
            {
                "sum.orange": 4,
                "sum.yellow": 16,
                "sum.purple": 6,
                "sum.bonus.1": 0,
                "sum.bonus.2": 5,
                "sum.bonus.3": 10,
                "sum.bonus.4": 12,
                "sum.bonus.5": 0,
                "sum.failed": 10,
                "sum.total": 43,
            },
        ),
        (
            {"sheet": "encore", "board": "black", "crossed": ["H4", "G4"], "jokers_used": 3},
            {
                "sum.colors": 0,
                "sum.columns": 0,
                "sum.jokers": 5,
                "sum.stars": 30,
                "sum.total": -25,
            },
        ),
        (
            {"sheet": "tally", "players": ["Ada", "Ben"], "rounds": [[12, 30], [7, 0]]},
            {"sum.player.1": 19, "sum.player.2": 30},
        ),
        (
            {
                "sheet": "qwixx",
                "red": [2, 3],
                "yellow": [],
                "green": [12],
                "blue": [],
                "failed": 1,
            },
            {
                "sum.red": 3,
                "sum.yellow": 0,
                "sum.green": 1,
                "sum.blue": 0,
                "sum.failed": 5,
                "sum.total": -1,
            },
        ),
    ],
    ids=["qwinto", "encore", "tally", "qwixx"],
)
def test_the_sums_of_a_sheet(document: dict[str, Any], sums: dict[str, int]) -> None:
    assert dict(SHEETS[document["sheet"]].filled(document).sums) == sums
