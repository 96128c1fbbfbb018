"""Small pictures are cut where the fields are, and empty ones are known as such."""

from __future__ import annotations

import numpy as np
import pytest

from companion.core.sheet import Box, Field
from companion.vision.core import FLAT_PX_PER_MM
from companion.vision.ink import cells
from tests.vision.flat.warps import ENCORE, QWINTO, TALLY, Kind, even


def _fields(kind: Kind, what: str) -> list[Field]:
    return [field for field in kind.paper.fields if field.kind == what]


def is_bare(seen: np.ndarray, field: Field, box: Box) -> bool:
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
    fields = _fields(kind, what)
    # Thick outlines of pentagons come nearer to the middle; there a network looks.
    plain = [box for field in fields if field.shape != "pentagon" for box in cells.boxes(field)]
    assert all(is_bare(seen, fields[0], box) for box in plain)
    # A one that leans to any side, in the palest pencil, half a millimetre wide.
    boxes = [box for field in fields for box in cells.boxes(field)]
    for place, box in enumerate(boxes):
        aside = (place % 3 - 1) * 2.0
        x, y = (round(at * FLAT_PX_PER_MM) for at in (box.center[0] + aside, box.center[1]))
        seen[y - 12 : y + 12, x - 1 : x + 2] *= 0.88
    assert not any(is_bare(seen, fields[0], box) for box in boxes)


def test_crosses_are_always_looked_at() -> None:
    seen = even(ENCORE)
    assert not any(is_bare(seen, field, field.box) for field in _fields(ENCORE, "cross"))
