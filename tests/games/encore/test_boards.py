"""What is printed on the seven Encore! sheets, and how many clumps it allows."""

from __future__ import annotations

import pytest

from companion.games.encore import boards as encore_boards
from companion.games.encore.boards import BOARDS, BOXES, BY_COLUMN, COLORS, COLUMNS, LINES, Board
from tests.kit.oracles.encore import BLACK, one_clump, touch

every_board = pytest.mark.parametrize("board", BOARDS.values(), ids=list(BOARDS))


def test_the_boards_in_the_order_of_the_public_interface() -> None:
    assert list(BOARDS) == ["black", "red", "blue", "green", "orange", "purple", "yellow"]


def test_the_black_board_is_the_picture_of_the_rule_text() -> None:
    board = BOARDS["black"]
    assert board.colors == BLACK.colors
    assert board.stars == BLACK.stars
    columns = [line for line in LINES.values() if line.kind == "column"]
    assert BLACK.first == {line.name: line.points["first"] for line in columns}
    assert BLACK.later == {line.name: line.points["later"] for line in columns}


@every_board
def test_21_boxes_a_color(board: Board) -> None:
    assert len(board.colors) == 105
    assert [len(board.by_color[color]) for color in COLORS] == [21] * 5


@every_board
def test_each_color_has_one_block_of_each_size_from_1_to_6(board: Board) -> None:
    for color in COLORS:
        left, sizes = set(board.by_color[color]), []
        while left:
            block = encore_boards.clump(min(left), board.by_color[color])
            assert one_clump(sorted(block))
            sizes.append(len(block))
            left -= block
        assert sorted(sizes) == [1, 2, 3, 4, 5, 6]


@every_board
def test_one_star_a_column_and_three_a_color(board: Board) -> None:
    """“For a maximum of 30 points lost.”"""
    assert sorted(star[0] for star in board.stars) == list(COLUMNS)
    assert [len(board.stars & board.by_color[color]) for color in COLORS] == [3] * 5
    assert len(board.stars) * encore_boards.STAR_POINTS == -30


@every_board
def test_all_colors_in_each_column(board: Board) -> None:
    for column in COLUMNS:
        assert {board.colors[box] for box in BY_COLUMN[column]} == set(COLORS)


def test_boxes_touch_with_a_whole_side() -> None:
    for box in BOXES:
        assert encore_boards.NEIGHBORS[box] == {other for other in BOXES if touch(box, other)}


@every_board
def test_every_clump_is_listed_once(board: Board) -> None:
    for color in COLORS:
        for count in range(1, 6):
            shapes = board.shapes(color, count)
            assert len(set(shapes)) == len(shapes)
            for shape in shapes:
                assert len(shape) == count
                assert shape <= board.by_color[color]
                assert one_clump(sorted(shape))
