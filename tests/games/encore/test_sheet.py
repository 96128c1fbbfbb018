"""The Encore! sheet: its boards, where its fields lie, and every fault of a filled-in one."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core.refusal import Unusable
from companion.core.words import english
from companion.games.encore.boards import (
    BOARDS,
    BOXES,
    BY_COLUMN,
    COLORS,
    COLUMNS,
    LINES,
    NEIGHBORS,
    STAR_POINTS,
    Board,
    clump,
)
from companion.games.encore.layout import SHEET
from companion.games.encore.sheet import EncoreSheet
from companion.games.scoring import filled_sheet
from lab.oracles.encore import BLACK as RULES
from lab.oracles.encore import one_clump, touch
from lab.sheets import as_text, layout, scored

BLACK = BOARDS["black"]
EMPTY: dict[str, Any] = {"sheet": "encore", "board": "black", "crossed": [], "jokers_used": 0}


def sheet(crossed: str = "", **more: Any) -> dict[str, Any]:
    return {**EMPTY, "crossed": crossed.split(), "columns": {}, "colors": {}, **more}


def column(letter: str) -> str:
    return " ".join(sorted(BY_COLUMN[letter]))


def color(name: str) -> str:
    return " ".join(sorted(BLACK.by_color[name]))


def codes(document: dict[str, Any]) -> list[str]:
    return [problem["code"] for problem in scored(document)["problems"]]


def test_the_example_of_the_public_interface() -> None:
    document = {
        "sheet": "encore",
        "board": "black",
        "crossed": ["H4", "G4"],
        "jokers_used": 3,
        "columns": {"E": "first"},
        "colors": {"blue": "later"},
    }
    result = scored(document)
    assert result["score"] == {"colors": 0, "columns": 0, "jokers": 5, "stars": -30, "total": -25}
    assert codes(document) == ["column-not-full", "color-not-full"]
    assert scored({"sheet": "encore", "crossed": []}) == scored(sheet()), "the rest may be left out"
    with pytest.raises(Unusable):
        scored({"sheet": "encore"})


# The score


FIRST = [5, 3, 3, 3, 2, 2, 2, 1, 2, 2, 2, 3, 3, 3, 5]
LATER = [3, 2, 2, 2, 1, 1, 1, 0, 1, 1, 1, 2, 2, 2, 3]


@pytest.mark.parametrize(
    ("part", "document", "points"),
    [
        # “Each unused joker is worth a point. Each unchecked star subtracts 2 points.”
        ("total", sheet(), 8 - 30),
        *(("jokers", sheet(jokers_used=used), points)
          for used, points in ((0, 8), (8, 0), (9, -1), (-1, 9))),
        # Full without a claim is worth the lower value, and a claim on what is not full nothing.
        ("columns", sheet(f"{column('H')} {column('G')}"), 0 + 1),
        ("colors", sheet(color("blue")), 3),
        ("columns", sheet("H1 H2", columns={"H": "first"}, colors={"red": "first"}), 0),
        ("colors", sheet("H1 H2", columns={"H": "first"}, colors={"red": "first"}), 0),
    ],
)  # fmt: skip
def test_what_a_sheet_scores(part: str, document: dict[str, Any], points: int) -> None:
    assert scored(document)["score"][part] == points


# The faults: all of them, with the fields that a person must look at


def test_every_fault_at_once() -> None:
    boxes = {*BY_COLUMN["H"], *BLACK.by_color["yellow"], "A2"}
    assert codes(sheet()) == []
    assert codes(sheet(f"{column('H')} {column('G')}")) == ["column-unclaimed"] * 2
    document = sheet(
        " ".join(boxes), columns={"E": "later"}, colors={"red": "first"}, jokers_used=9
    )
    assert codes(document) == [
        "column-not-full",
        "column-unclaimed",
        "color-unclaimed",
        "color-not-full",
        *["unreachable"] * 5,  # A2, C2, A7 B7, K3 K4 L3 L4, M1 N1 O1
        "jokers-out-of-range",
    ]


@pytest.mark.parametrize(
    ("document", "code", "first", "others"),
    [
        (sheet("H1 H2 H3 H4 H5 H6", columns={"H": "first"}),
         "column-not-full", "column.H.first", ["H7"]),
        (sheet(column("H")),
         "column-unclaimed", "column.H.first", ["column.H.later", *column("H").split()]),
        (sheet("H1", jokers_used=9),
         "jokers-out-of-range", "joker.1", [f"joker.{n}" for n in range(2, 9)]),
        (sheet("H1 A3 A4", jokers_used=0), "unreachable", "A3", ["A4"]),
        (sheet("H4 H5 G4 G5", colors={"blue": "first"}),
         "color-not-full", "color.blue.first", BLACK.by_color["blue"] - {"H4", "H5", "G4", "G5"}),
    ],
)  # fmt: skip
def test_the_fields_to_look_at(
    document: dict[str, Any], code: str, first: str, others: list[str]
) -> None:
    (problem,) = scored(document)["problems"]
    assert (problem["code"], problem["fields"][0]) == (code, first)
    assert sorted(problem["fields"][1:]) == sorted(others)
    assert problem["message"]


# The paper


@pytest.mark.parametrize("board", BOARDS)
def test_the_geometry(board: str) -> None:
    paper = layout({**EMPTY, "board": board})
    fields = {field.id: field for field in paper.fields}
    values = {
        **{f"column.{name}": (FIRST[at], LATER[at]) for at, name in enumerate(COLUMNS)},
        **{f"color.{name}": (5, 3) for name in COLORS},
    }
    printed = {f"joker.{number}": "!" for number in range(1, 9)}
    for name, points in values.items():
        printed |= {f"{name}.first": str(points[0]), f"{name}.later": str(points[1])}
    assert {name: field.print for name, field in fields.items() if name not in BOXES} == printed
    assert fields.keys() - printed.keys() == {*BOXES}
    for field in paper.fields:
        assert field.kind == ("value" if field.id.startswith("co") else "cross")
    for box in BOXES:
        field = fields[box]
        assert min(field.box.width, field.box.height) >= 9
        assert field.color == BOARDS[board].colors[box]
        assert str(field.letter) == field.color[0].upper()
        assert (field.symbol == "star") == (box in BOARDS[board].stars)
    assert fields["B1"].box.x - fields["A1"].box.x >= 10
    assert fields["A2"].box.y - fields["A1"].box.y >= 10
    assert [label.text.translated(english, "") for label in paper.labels if label.has_pill] == ["H"]


def test_marks_and_the_sheet_as_text() -> None:
    document = sheet(column("H"), columns={"H": "later"}, colors={"red": "first"}, jokers_used=2)
    assert filled_sheet(document).marks == {
        **dict.fromkeys((*column("H").split(), "joker.1", "joker.2"), True),
        "column.H.first": "crossed",
        "column.H.later": "circled",
        "color.red.first": "circled",
    }
    assert set(filled_sheet(sheet(jokers_used=99)).marks) == {f"joker.{n}" for n in range(1, 9)}
    lines = as_text(sheet("H4 G4", jokers_used=1, columns={"A": "later"})).splitlines()
    assert " ".join(lines[0].split()) == "G G G Y Y Y Y G* B B B O* Y Y Y G5 G3"
    assert lines[3].split()[6:8] == ["x", "x"]
    assert (lines[7].split()[0], lines[8].split()[0]) == ("x", "(3)")
    assert lines[9].split() == ["x", *"......."]


# Between the sheets of one game


def test_a_higher_value_that_two_claim_is_a_conflict() -> None:
    ada, ben, cleo = (
        filled_sheet(sheet(columns={"H": claim, "A": "later"}, colors={"red": "first"}))
        for claim in ("first", "later", "first")
    )
    column, color = SHEET.conflicts([("Ada", ada.sheet), ("Ben", ben.sheet), ("Cleo", cleo.sheet)])
    assert column.places == ((0, "column.H.first"), (2, "column.H.first"))
    assert "Ada and Cleo both claim the higher value of column H" in column.sentence.translated(
        english, " or "
    )
    assert [place for place, _ in color.places] == [0, 1, 2]
    assert "red" in color.sentence.translated(english, " or ")
    assert SHEET.conflicts([("Ada", ada.sheet), ("Ben", EncoreSheet("black"))]) == ()


# What is printed on the seven boards

every_board = pytest.mark.parametrize("board", BOARDS.values(), ids=list(BOARDS))


def test_the_black_board_is_the_picture_of_the_rule_text() -> None:
    assert list(BOARDS) == ["black", "red", "blue", "green", "orange", "purple", "yellow"]
    assert BLACK.colors == RULES.colors
    assert BLACK.stars == RULES.stars
    columns = [line for line in LINES.values() if line.kind == "column"]
    assert RULES.first == {line.name: line.points["first"] for line in columns}
    assert RULES.later == {line.name: line.points["later"] for line in columns}


@every_board
def test_each_color_has_one_block_of_each_size_from_1_to_6(board: Board) -> None:
    """Each color has three stars, and a box in each column."""
    assert len(board.colors) == 105
    for color in COLORS:
        left, sizes = set(board.by_color[color]), []
        while left:
            block = clump(min(left), board.by_color[color])
            assert one_clump(sorted(block))
            sizes.append(len(block))
            left -= block
        assert sorted(sizes) == [1, 2, 3, 4, 5, 6]
        assert len(board.stars & board.by_color[color]) == 3
        assert all(BY_COLUMN[column] & board.by_color[color] for column in COLUMNS)


@every_board
def test_one_star_a_column(board: Board) -> None:
    """“For a maximum of 30 points lost.”"""
    assert sorted(star[0] for star in board.stars) == list(COLUMNS)
    assert len(board.stars) * STAR_POINTS == -30


def test_boxes_touch_along_a_whole_side() -> None:
    for box in BOXES:
        assert NEIGHBORS[box] == {other for other in BOXES if touch(box, other)}
