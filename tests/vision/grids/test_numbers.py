"""Numbers in cells of tables: several opinions as one, signs, and slashes."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.core.sheet import Box
from companion.vision.core import Chances
from companion.vision.grids import numbers
from companion.vision.grids.cells import FlatGrid, Ink, Place
from companion.vision.grids.lattice import Lattice
from companion.vision.grids.numbers import (
    MANY,
    Writing,
    _among_small,
    _as_line,
    _corrected,
    _do_ones_lean,
    _has_point,
    _pooled,
    _signed,
    _touching,
    slope,
    usual_slant,
    without_struck,
)

Points = list[tuple[int, int]]


def test_a_dash_decides_between_a_number_and_its_negative() -> None:
    opinions = [(1.0, {5: 0.4, -5: 0.4})]
    with_dash = _pooled(opinions, is_negative=True).chances
    without = _pooled(opinions, is_negative=False).chances
    assert with_dash[-5] > with_dash[5]
    assert without[5] > without[-5]


@pytest.mark.parametrize(("strokes", "expected"), [(2, 31), (1, 3)])
def test_a_stroke_as_high_as_a_digit_is_not_overlooked(strokes: int, expected: int) -> None:
    opinions = [(0.6, {3: 0.7, 31: 0.25})]
    assert _pooled(opinions, is_negative=False, strokes=strokes).likeliest[0] == expected


def test_among_small_numbers_those_are_likelier_that_are_read_as_such() -> None:
    whole = Writing({3: 0.55, 13: 0.2, 73: 0.2, -3: 0.01})
    among = _among_small(whole, {None: 0.01, 13: 0.96, 3: 0.03}).chances
    assert among[13] > 0.6 > 0.15 > among[3] > among[-3]
    assert among[73] == 0.2
    assert sum(among.values()) == pytest.approx(0.96)
    struck = Writing({0: 0.8, 1: 0.1}, is_struck=True)
    assert _among_small(struck, {1: 0.99, 7: 0.01}) is struck


@pytest.mark.parametrize("lean", [-0.2, 0.0, 0.4])
def test_the_slant_of_a_table_is_that_of_its_upright_strokes(lean: float) -> None:
    ones = []
    for x in (20, 40):
        picture = np.zeros((56, 80), np.float32)
        for left in (x, x + 14):
            cv2.line(picture, (left, 44), (left + round(32 * lean), 12), 1.0, 3)
        ones.append(Ink(picture, (Box(*cv2.boundingRect((picture > 0.5).astype(np.uint8))),)))
    assert usual_slant(ones) == pytest.approx(lean, abs=0.051)


@pytest.mark.parametrize(
    ("first", "is_negative"),
    [
        (Box(2, 24, 10, 3), True),
        (Box(2, 8, 10, 3), False),
        (Box(10, 10, 4, 28), False),
        (Box(26, 24, 10, 3), False),
    ],
    ids=["dash", "above", "one", "over the digits"],
)
def test_a_dash_before_the_digits_is_a_minus_sign(first: Box, is_negative: bool) -> None:
    digits = Box(20, 10, 16, 28), Box(40, 10, 16, 28)
    strokes = (first, *digits)
    assert _signed(strokes) == (is_negative, digits if is_negative else strokes)


@pytest.mark.parametrize(
    ("specks", "expected"),
    [
        ([], False),
        ([(40, 36)], True),
        ([(40, 20), (40, 36)], True),
        ([(x, 44) for x in range(8, 60, 12)], False),
    ],
    ids=["none", "a point", "a colon", "a dotted line"],
)
def test_a_point_is_no_dash_of_a_dotted_line(specks: list[tuple[int, int]], expected: bool) -> None:
    picture = np.zeros((60, 80), np.float32)
    digits = Box(20, 10, 14, 28), Box(48, 10, 14, 28)
    for box in digits:
        cv2.rectangle(picture, (int(box.x), 10), (int(box.x) + 13, 37), 1.0, 2)
    for speck in specks:
        cv2.circle(picture, speck, 2, 1.0, -1)
    assert _has_point(Ink(picture, digits)) == expected


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ([(10, 45), (40, 12)], True),
        ([(12, 44), (32, 10)], True),
        ([(26, 45), (30, 10)], False),
        ([(20, 20), (28, 10), (28, 45)], False),
        ([(12, 12), (38, 12), (24, 45)], False),
    ],
    ids=["slash", "steep slash", "one", "one with an upstroke", "seven"],
)
def test_a_slash_is_a_straight_stroke_that_leans(points: Points, expected: bool) -> None:
    picture = np.zeros((56, 56), np.float32)
    cv2.polylines(picture, [np.array(points, np.int32)], False, 1.0, 4)
    x, y, width, height = cv2.boundingRect((picture > 0.5).astype(np.uint8))
    assert (slope(Ink(picture, (Box(x, y, width, height),))) is not None) is expected


def _written(text: str, line: Points, pale: int = 255) -> Ink:
    """Digits 28 pixels high, from the left in columns of 23, and a line through them."""
    drawn = np.zeros((60, 140), np.uint8)
    cv2.polylines(drawn, [np.array(line, np.int32)], False, pale, 2)
    for place, digit in enumerate(text):
        cv2.putText(drawn, digit, (4 + 23 * place, 44), 0, 1.25, (255,), 2)
    _, _, stats, _ = cv2.connectedComponentsWithStats((drawn > 64).astype(np.uint8))
    boxes = sorted((Box(*each[:4]) for each in stats[1:].tolist()), key=lambda box: box.x)
    return Ink((drawn / 255).astype(np.float32), tuple(boxes))


@pytest.mark.parametrize(
    ("text", "line", "pale", "is_struck"),
    [
        ("46 11", [(2, 32), (50, 28)], 255, True),
        ("8 25", [(1, 34), (36, 26)], 255, True),
        ("46 11", [(2, 32), (50, 28)], 110, True),
        ("52 11", [(14, 32), (52, 28)], 255, True),
        ("46", [(2, 32), (50, 28)], 255, False),
        ("4411", [(0, 0), (0, 0)], 255, False),
        ("57", [(2, 55), (44, 55)], 255, False),
        ("7 25", [(1, 40), (36, 24)], 255, False),
    ],
    ids=[
        "two digits",
        "one digit",
        "a pale line",
        "from the first digit on",
        "nothing beside it",
        "bars of fours",
        "below the number",
        "a seven's steep bar",
    ],
)
def test_what_stands_beside_a_struck_out_number_is_read(
    text: str, line: Points, pale: int, is_struck: bool
) -> None:
    ink = _written(text, line, pale)
    left = without_struck(ink, 28)
    assert (left is not ink) is is_struck
    if is_struck:
        digits = len(text.split()[1])
        assert len(left.strokes) == digits
        assert left.strokes[0].x > 40
        assert not left.picture[:, : int(left.strokes[0].x)].any()


@pytest.mark.parametrize(("lean", "expected"), [(16, 1), (4, 0)])
def test_a_slash_is_rather_a_one_where_ones_lean(lean: int, expected: int) -> None:
    slash = _written("", [(10, 45), (30, 12)])
    beside = [_written("", [(10, 44), (10 + lean, 12)]), _written("4", [(40, 44), (40 + lean, 12)])]
    assert not _do_ones_lean(beside * 2)
    do_lean = _do_ones_lean(beside * 3)
    writing = _as_line(Writing({0: 0.8, 1: 0.1}), slash, 33, do_ones_lean=do_lean)
    number, sure = writing.likeliest
    assert number == expected
    assert sure < 0.95
    assert writing.is_dash is (expected == 0)


def test_a_word_in_small_print_is_not_a_dash() -> None:
    drawn = np.zeros((40, 90), np.uint8)
    cv2.putText(drawn, "Spiel", (10, 25), 2, 0.5, (255,), 2)
    x, y, width, height = cv2.boundingRect(drawn)
    word = Ink((drawn / 255).astype(np.float32), (Box(x, y, width, height),))
    doubtful = Writing({0: 0.03})
    assert _as_line(doubtful, word, 40) is doubtful
    line = np.zeros_like(word.picture)
    cv2.line(line, (12, 20), (60, 22), 1.0, 3)
    x, y, width, height = cv2.boundingRect((line > 0.5).astype(np.uint8))
    assert _as_line(doubtful, Ink(line, (Box(x, y, width, height),)), 40).is_dash


def test_a_number_with_a_long_bar_is_asked_about_and_not_cut() -> None:
    surely = _corrected(Writing({41: 0.99}), Writing({1: 0.97})).likeliest
    assert surely[0] == 41
    assert surely[1] < 0.9
    assert _corrected(Writing({461: 0.4}), Writing({61: 0.97})).likeliest[0] == 61


def test_a_one_with_a_long_flag_is_one_digit() -> None:
    assert _touching(0.9)[1] > 0.9
    assert set(_touching(1.8)) > {1}


@pytest.mark.parametrize(("count", "again"), [(MANY, MANY), (MANY + 1, 3)])
def test_of_many_cells_only_those_in_doubt_are_looked_at_in_all_ways(
    count: int, again: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others are words, or clear; one is a number struck out beside another one."""
    places: list[Place] = [(row, 0) for row in range(count)]
    struck, plain = _written("46 11", [(0, 32), (54, 28)]), _written("7", [(0, 0), (0, 0)])
    found = dict.fromkeys(places, plain) | {places[-1]: struck}
    glances: list[Chances] = [{7: 0.6}, {7: 0.9}, *[{7: 1.0}, {7: 0.01}] * count]
    looked_at: list[int] = []

    def with_lines(table: FlatGrid, chosen: list[Place]) -> list[Chances]:
        looked_at.append(len(chosen))
        return [{7: 1.0}] * len(chosen)

    monkeypatch.setattr(numbers, "inks", lambda *_: found)
    monkeypatch.setattr(numbers, "_as_wholes", lambda written, *_: glances[: len(written)])
    monkeypatch.setattr(
        numbers, "_as_digits", lambda written, _: [[(1.0, [{7: 1.0}])]] * len(written)
    )
    monkeypatch.setattr(numbers, "_with_lines", with_lines)
    lines = np.arange(2.0)
    lattice = Lattice(np.zeros((2, 2, 2)), lines, lines)
    flat = FlatGrid(lattice, 1.0, np.zeros((1, 1), np.uint8), np.zeros((1, 1), np.float32))
    assert len(numbers.read(flat, places)) == count
    assert looked_at == [again]
