"""Blanks for sums are cut out alike on any ground and read as whole numbers; cells are cut."""

from __future__ import annotations

from itertools import groupby, product

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from companion.core.sheet import Box, Field
from companion.vision.core import FLAT_PX_PER_MM
from companion.vision.ink import cells
from companion.vision.ink.sums import (
    CLASSES,
    HEIGHT,
    STRONG,
    WIDTH,
    as_strong,
    cut,
    is_bare,
    number_chances,
    read,
    struck_chance,
)
from tests.vision.flat.warps import ENCORE, QWINTO, TALLY, Kind, even

Lines = list[tuple[tuple[float, float], tuple[float, float]]]
"""Strokes in a box, in shares of its width and height."""
BOX = Box(20, 20, 17.5, 8.5)


def drawn(ground: float, white: float, ink: float) -> npt.NDArray[np.float32]:
    """A blank on some ground, with a stroke in it."""
    picture = np.full((300, 400), ground, np.float32)
    picture[_pixels(BOX.y, BOX.height), _pixels(BOX.x, BOX.width)] = white
    picture[_pixels(22, 4.5), _pixels(28, 0.5)] = ink
    return picture


def _pixels(start: float, length: float) -> slice:
    return slice(round(start * FLAT_PX_PER_MM), round((start + length) * FLAT_PX_PER_MM))


def test_a_blank_lies_in_the_middle_of_its_picture() -> None:
    ink = cut(drawn(0.0, 1.0, 1.0), BOX)
    assert ink.shape == (HEIGHT, WIDTH)
    rows, columns = (np.flatnonzero(ink.min(axis=axis) < 0.5) for axis in (1, 0))
    assert rows[0] + rows[-1] == pytest.approx(HEIGHT - 1, abs=1)
    assert columns[0] + columns[-1] == pytest.approx(WIDTH - 1, abs=1)


@pytest.mark.parametrize("ground", [0.15, 0.7, 1.0])
@pytest.mark.parametrize("light", [0.3, 1.0, 190.0])
def test_ink_is_the_same_on_any_ground_and_in_any_light(ground: float, light: float) -> None:
    wanted = cut(drawn(1.0, 1.0, 0.2), BOX)
    seen = cut(drawn(ground * light, light, 0.2 * light), BOX)
    assert seen[10:-10, 10:-10] == pytest.approx(wanted[10:-10, 10:-10], abs=0.01)


@pytest.mark.parametrize("kind", [QWINTO, ENCORE, TALLY])
def test_printed_blanks_are_bare_until_somebody_writes(kind: Kind) -> None:
    seen = even(kind)
    blanks = [blank for blank in kind.paper.sums if blank.shape != "pentagon"]
    assert blanks
    assert all(is_bare(cut(seen, blank.box), blank.box) for blank in blanks)
    assert read(seen, {blank.id: blank.box for blank in blanks}) == {}
    # But a faint stroke is seen, wherever it is.
    for place, blank in enumerate(kind.paper.sums):
        x, y = (round(at * FLAT_PX_PER_MM) for at in blank.box.center)
        x += round((place % 3 - 1) * 2 * FLAT_PX_PER_MM)
        seen[y - 12 : y + 12, x - 1 : x + 2] *= 0.88
        assert not is_bare(cut(seen, blank.box), blank.box)


@pytest.mark.parametrize("width", [0.05, 0.8, 2.0, 2.8])
def test_a_blank_narrower_than_its_margins_is_cut_out_all_the_same(width: float) -> None:
    box = Box(4.0, 4.0, width, 9.0)
    ink = cut(np.ones((120, 60), np.float32), box, 0.0)
    assert is_bare(ink, box, 0.0)
    as_strong([ink], [box], 0.0)


def strokes(*inks: float) -> list[npt.NDArray[np.float32]]:
    """Blanks as `cut` returns them, each with a stroke on paper that is not quite white."""
    blanks = [np.full((HEIGHT, WIDTH), 0.02, np.float32) for _ in inks]
    for blank, ink in zip(blanks, inks, strict=True):
        blank[14:26, 46:50] = 0.02 + ink
    return blanks


def test_all_blanks_of_a_faint_pen_are_amplified_alike() -> None:
    strong, weaker, empty = as_strong(strokes(0.1, 0.07, 0.0), [BOX] * 3)
    assert strong.max() == pytest.approx(STRONG, abs=0.01)
    assert weaker.max() == pytest.approx(0.7 * STRONG, abs=0.01)
    assert empty.max() == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize("ink", [0.03, 0.35, 0.9])
def test_strong_pens_and_grain_stay_as_they_are(ink: float) -> None:
    blanks = strokes(ink, 0.02)
    seen = as_strong(blanks, [BOX] * 2)
    assert all(np.array_equal(now, before) for now, before in zip(seen, blanks, strict=True))


def test_a_printed_sign_is_not_a_strong_pen() -> None:
    blanks = strokes(0.1, 0.08)
    for blank in blanks:
        blank[18:22, 12:24] = 0.9
    assert as_strong(blanks, [BOX] * 2)[0][20, 48] == pytest.approx(STRONG, abs=0.01)


def every_way(columns: npt.NDArray[np.float64]) -> dict[str, float]:
    """The columns' result, class by class, computed the slow way over all readings."""
    shown = np.flatnonzero(columns.any(axis=0)).tolist()
    found: dict[str, float] = {}
    for way in product(shown, repeat=len(columns)):
        text = " ".join(CLASSES[at] for at, _ in groupby(way) if at)
        chance = float(np.prod([column[at] for column, at in zip(columns, way, strict=True)]))
        found[text] = found.get(text, 0.0) + chance
    return found


def random_columns(seed: int, *shown: str) -> npt.NDArray[np.float64]:
    """Five columns in each of which one of these classes may be seen."""
    rng = np.random.default_rng(seed)
    columns = np.zeros((5, len(CLASSES)))
    places = [CLASSES.index(name) for name in shown]
    columns[:, places] = rng.dirichlet(np.ones(len(shown)) * 0.6, 5)
    return columns


@pytest.mark.parametrize("seed", range(5))
def test_a_number_is_as_likely_as_all_ways_to_see_it_together(seed: int) -> None:
    columns = random_columns(seed, "nothing", "1", "2", "other")
    wanted = every_way(columns)
    found = number_chances(columns)
    assert found[None] == pytest.approx(wanted.get("", 0.0))
    for number in (1, 2, 11, 12, 21, 22, 111, 121, 122, 212):
        text = " ".join(str(number))
        assert found.get(number, 0.0) == pytest.approx(wanted.get(text, 0.0), abs=1e-6)
    assert sum(found.values()) <= 1 + 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_signs_count_where_numbers_may_be_negative(seed: int) -> None:
    columns = random_columns(seed, "nothing", "1", "2", "minus")
    wanted = every_way(columns)
    found = number_chances(columns, 9_999, -999)
    for number in (-121, -12, -2, -1, 1, 2, 12, 1212):
        text = " ".join(str(number)).replace("-", "minus")
        assert found.get(number, 0.0) == pytest.approx(wanted.get(text, 0.0), abs=1e-6)
    # Elsewhere a dash before a number is nothing.
    unsigned = number_chances(columns)
    assert min(number for number in unsigned if number is not None) >= 0
    assert unsigned[1] >= found[1] + found[-1]


@pytest.mark.parametrize("seed", range(5))
def test_a_number_above_zero_begins_with_no_zero_and_zero_has_no_sign(seed: int) -> None:
    columns = random_columns(seed, "nothing", "0", "1", "minus")
    wanted = every_way(columns)
    found = number_chances(columns, 999, -99, 0.0)
    for number in (-11, -10, 0, 1, 10, 101):
        text = " ".join(str(number)).replace("-", "minus")
        assert found[number] == pytest.approx(wanted.get(text, 0.0), abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_strokes_without_a_number_are_distinguished_from_nothing(seed: int) -> None:
    columns = random_columns(seed, "nothing", "minus", "struck", "4")
    wanted = every_way(columns)
    strokes = sum(part for text, part in wanted.items() if text and "4" not in text)
    assert struck_chance(columns) == pytest.approx(strokes)
    assert number_chances(columns)[None] == pytest.approx(strokes + wanted.get("", 0.0))


def test_numbers_do_not_begin_with_a_zero() -> None:
    columns = np.zeros((5, len(CLASSES)))
    for place, name in enumerate(("0", "nothing", "7", "nothing", "nothing")):
        columns[place, CLASSES.index(name)] = 1
    assert number_chances(columns) == {None: 0.0}


# Cells are cut where the fields are, and empty ones are known as such


def is_empty(seen: np.ndarray, field: Field, box: Box) -> bool:
    return cells.is_bare(cells.cut(seen, box, cells.MARGINS[field.kind]), field.kind, box)


def test_a_cell_lies_in_the_middle_of_its_picture() -> None:
    seen = np.ones((300, 400), np.float32)
    seen[120:180, 200:242] = 0
    cell = cells.cut(seen, Box(200 / 6, 120 / 6, 7, 10), 1.0)
    assert cell.shape == (cells.SIDE, cells.SIDE)
    rows, columns = (np.flatnonzero(cell.max(axis=axis) > 0.5) for axis in (1, 0))
    assert rows[0] + rows[-1] == pytest.approx(cells.SIDE - 1, abs=1)
    assert columns[0] + columns[-1] == pytest.approx(cells.SIDE - 1, abs=1)
    # At the same scale across and down.
    assert len(columns) / len(rows) == pytest.approx(0.7, abs=0.05)


@pytest.mark.parametrize(("kind", "what"), [(QWINTO, "number"), (TALLY, "digits")])
def test_printed_fields_are_bare_until_somebody_writes(kind: Kind, what: str) -> None:
    seen = even(kind)
    fields = [field for field in kind.paper.fields if field.kind == what]
    # Thick outlines of pentagons come nearer to the middle; there a network looks.
    plain = [box for field in fields if field.shape != "pentagon" for box in cells.boxes(field)]
    assert all(is_empty(seen, fields[0], box) for box in plain)
    # A one that leans to any side, in the palest pencil, half a millimetre wide.
    boxes = [box for field in fields for box in cells.boxes(field)]
    for place, box in enumerate(boxes):
        aside = (place % 3 - 1) * 2.0
        x, y = (round(at * FLAT_PX_PER_MM) for at in (box.center[0] + aside, box.center[1]))
        seen[y - 12 : y + 12, x - 1 : x + 2] *= 0.88
    assert not any(is_empty(seen, fields[0], box) for box in boxes)


@pytest.mark.parametrize(
    ("lines", "is_dash"),
    [
        ([((0.2, 0.5), (0.8, 0.48))], True),
        ([((0.2, 0.56), (0.8, 0.44))], True),
        ([((-0.1, 0.3), (1.1, 0.35))], True),
        ([((0.5, 0.1), (0.5, 0.9))], False),
        ([((0.2, 0.8), (0.8, 0.2))], False),
        ([((0.2, 0.3), (0.8, 0.3)), ((0.2, 0.7), (0.8, 0.7))], False),
    ],
    ids=["dash", "slanting", "beyond the box", "one", "slash", "two"],
)
@pytest.mark.parametrize("ink", [0.12, 0.9])
def test_a_sign_is_a_single_flat_stroke(lines: Lines, is_dash: bool, ink: float) -> None:
    seen = even(TALLY)
    box = TALLY.paper.fields[0].cells[0]
    for ends in lines:
        first, last = (
            (
                round((box.x + x * box.width) * FLAT_PX_PER_MM),
                round((box.y + y * box.height) * FLAT_PX_PER_MM),
            )
            for x, y in ends
        )
        cv2.line(seen, first, last, 1 - ink, 3, cv2.LINE_AA)
    assert cells.is_dash(cells.cut(seen, box, cells.MARGINS["digits"]), box) == is_dash


def test_crosses_are_always_looked_at() -> None:
    seen, fields = even(ENCORE), [field for field in ENCORE.paper.fields if field.kind == "cross"]
    assert not any(is_empty(seen, field, field.box) for field in fields)
