"""Ink on publishers' sheets is told from print by fields that are printed alike."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.core.edition import Edition
from companion.games.editions import find_edition
from companion.vision.core import FLAT_PX_PER_MM, flat_area
from companion.vision.ink.edition_ink import SHOWN
from companion.vision.ink.siblings import CHANNELS, Siblings, siblings
from tests.kit.photos.publishers import flattened

COLORED = find_edition("encore", "schmidt")
NUMBERED = find_edition("qwinto", "nsv")
INSIDE = np.s_[..., 8:-8, 8:-8]
"""The middle of pictures, without edges."""


def seen(flat: np.ndarray, edition: Edition = COLORED) -> Siblings:
    return siblings(flat, edition, edition.sheet.usual_board)


def places(found: Siblings, *names: str) -> list[int]:
    order = [field.id for field in found.fields]
    return [order.index(name) for name in names]


def test_equal_prints_are_siblings_across_rows_and_columns() -> None:
    found = seen(flattened(COLORED, "black"))
    for name, count in {
        "column.B.first": 8,  # six threes above, two below
        "column.C.later": 12,
        "column.H.first": 1,  # the only red one
        "color.green.first": 1,
        "joker.3": 8,
    }.items():
        (at,) = places(found, name)
        assert found.counts[at] == count, name
    stars = [at for at, field in enumerate(found.fields) if field.symbol]
    assert set(found.counts[stars]) == {3}


def test_ink_in_the_colour_of_its_box_shows_as_a_change_of_some_channel() -> None:
    """A blue pen on blue boxes."""
    box = next(field for field in COLORED.paper("black").fields if field.id == "A4")
    assert box.color == "blue"
    found = seen(flattened(COLORED, "black", [box], (50, 90, 185)))
    luma, strongest = found.ink(places(found, "A4"))[0][INSIDE]
    assert strongest.max() > luma.max()
    assert strongest.max() > 0.3


def test_lamps_cancel_out() -> None:
    flat = flattened(COLORED, "black")
    columns = flat.shape[1]
    light = np.linspace(1.0, 0.55, columns)[np.newaxis, :, np.newaxis] * np.array((0.7, 0.9, 1.0))
    plainly, warmly = seen(flat), seen(np.clip(flat * light, 0, 255).astype(np.uint8))
    every = [at for at, field in enumerate(plainly.fields) if field.kind == "cross"]
    off = (plainly.marks(every) - warmly.marks(every))[INSIDE]
    for name in ("brightness", "darker than equal prints", "reference"):
        assert np.abs(off[:, CHANNELS.index(name)]).mean() < 0.02, name
    assert np.abs(plainly.levels - warmly.levels).mean() < 0.05


@pytest.mark.parametrize(
    ("edition", "names"),
    [(COLORED, ["B2", "C2", "B3", "column.O.first"]), (NUMBERED, ["orange.2", "purple.5"])],
    ids=["colored", "numbered"],
)
def test_a_gray_scrap_hides_the_printed_colours_and_neither_ink_nor_a_lamp_does(
    edition: Edition, names: list[str]
) -> None:
    board = edition.sheet.usual_board
    fields = edition.paper(board).fields
    flat = flattened(edition, board, fields[::5])
    flat[:, flat.shape[1] // 3 :] = (flat[:, flat.shape[1] // 3 :] * 0.7).astype(np.uint8)
    for field in fields:
        if field.id in names:
            flat[flat_area(field.box, 1.0)] = 150
    found = seen(flat, edition)
    covered = places(found, *names)
    assert found.shown[covered].max() < SHOWN
    x, y = np.array([field.box.center for field in fields]).T
    away = np.hypot(*(each[:, np.newaxis] - each[covered] for each in (x, y))).min(axis=1)
    assert found.shown[away > 2 * fields[covered[0]].box.width].min() > SHOWN


@pytest.mark.parametrize("edition", [COLORED, NUMBERED], ids=lambda edition: edition.name)
def test_fields_are_aligned(edition: Edition) -> None:
    """A quarter of a millimetre aside leaves no more of rims than sheets that lie exactly."""
    flat = flattened(edition, edition.sheet.usual_board)
    rows, columns, _ = flat.shape
    x, y = np.meshgrid(np.arange(columns, dtype=np.float32), np.arange(rows, dtype=np.float32))
    off = 0.25 * FLAT_PX_PER_MM * np.sin(x / columns * 5)
    bent = cv2.remap(flat, x + off, y - off, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    rims = []
    for picture in (flat, bent):
        found = seen(picture, edition)
        alike = np.flatnonzero(found.counts > 3).tolist()
        rims.append(np.percentile(found.ink(alike)[:, 0], 90))
    assert rims[1] < rims[0] + 0.02
