"""Every sheet of the catalogue has its rooms in `training/games` and `benchmarks/games`."""

from __future__ import annotations

import random

import numpy as np
import pytest

from benchmarks.games import SheetFilling, sheet_filling, tapped_game
from benchmarks.photos.play import random_sheet
from companion.core.sheet import AnySheetKind, SheetKind
from companion.core.values import Action
from companion.games.catalog import SHEETS
from companion.games.record import RECORD_FORMAT, parse, replay
from training.games import SheetTraining, sheet_training

every_board = pytest.mark.parametrize(
    ("sheet", "board"),
    [(sheet, board) for sheet in SHEETS.values() for board in sheet.every_board],
    ids=lambda value: value.name if isinstance(value, SheetKind) else value,
)


@every_board
def test_the_benchmarks_fill_in_every_sheet(sheet: AnySheetKind, board: str) -> None:
    assert isinstance(sheet_filling(sheet), SheetFilling)
    paper = sheet.paper(board)
    blanks = {blank.id for blank in paper.blanks}
    for seed in range(5):
        # `random_sheet` itself checks the marks against the document that they make.
        filled = random_sheet(f"{sheet.name}:{board}", np.random.default_rng(seed))
        assert set(filled.marks) == {field.id for field in paper.fields}
        assert set(filled.sums) <= blanks
        assert 1 <= filled.player_count <= len(paper.names)


@every_board
def test_training_fills_in_every_sheet(sheet: AnySheetKind, board: str) -> None:
    training = sheet_training(sheet)
    assert isinstance(training, SheetTraining)
    fields = sheet.paper(board).fields
    for seed in range(5):
        marks = training.random_marks(fields, np.random.default_rng(seed))
        assert set(marks) <= {field.id for field in fields}
        assert sheet.marked(board, marks).marks is not None
    lettered = {field.color for field in fields if field.letter}
    assert not training.letters or lettered <= set(training.letters)


def test_the_same_seed_gives_the_same_sheet() -> None:
    for kind in SHEETS:
        first, second = (random_sheet(kind, np.random.default_rng(3)) for _ in range(2))
        assert first == second


def test_the_server_benchmarks_tap_a_legal_game() -> None:
    game, begin = tapped_game()
    tapped = begin(("Ada", "Ben"), random.Random(1))
    actions: list[Action] = []
    while not tapped.position.over:
        _, tap = tapped.tap()
        if "replaces" in tap:
            actions.pop()
        actions.append(tap["action"])
    record = {"format": RECORD_FORMAT, "game": game.name, "options": {}}
    played = replay(parse({**record, "players": ["Ada", "Ben"], "actions": actions}))
    assert played.refusal is None
    assert played.position.over
