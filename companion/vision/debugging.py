"""Draws how a photo was read: lines, cells, what was decided for each of them and why.

For developers (`companion read --debug`). Nothing else draws such pictures, and nothing is
computed here that the readers do not hand out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.sheet import Box, Mark
from companion.core.words import english
from companion.games.editions import paper_of
from companion.games.score_grid import field_name
from companion.vision.core import (
    FLAT_PX_PER_MM,
    FieldReading,
    SheetReading,
    Trouble,
    as_corners,
    flat_area,
)
from companion.vision.evidence import ranked
from companion.vision.grids.cells import Place
from companion.vision.grids.examining import Examined
from companion.vision.grids.finding import FoundGrid, Search
from companion.vision.grids.grid import SURE, Grid
from companion.vision.grids.lattice import Lattice
from companion.vision.reading import Steps, View

Color = tuple[int, int, int]
Picture = npt.NDArray[np.uint8]

SIDE: Final = 1800  # Pixels of the longer side of a photo that is drawn
ZOOM: Final = 2.5  # How many times larger than flattened sheets their cells are drawn
LINE: Final = 19  # Pixels of a line of text
# BGR
TAKEN, ASKED, REFUSED = (0, 140, 0), (0, 110, 255), (0, 0, 220)
SEEN, DIGIT = (200, 160, 0), (200, 0, 200)
PAPER, INK, FAINT = (255, 255, 255), (40, 40, 40), (150, 150, 150)


def pictures(steps: Steps) -> Iterator[tuple[str, bytes]]:
    """(what it shows, a PNG) for each picture of a reading, which was made with `pictures`."""
    yield "photo", _png(_photo(steps))
    if steps.search:
        for number, each in enumerate(steps.search.examined, 1):
            if each.grid:
                found = steps.search.table if each.table else None
                fields = found.fields if isinstance(found, FoundGrid) else {}
                yield f"table-{number}", _png(_table(each, each.grid, fields))
    for number, sheet in enumerate(steps.reading.sheets, 1):
        if sheet.flat and sheet.sheet.kind.name != "table":
            yield f"sheet-{number}", _png(_sheet(sheet))


def _png(picture: Picture) -> bytes:
    return cv2.imencode(".png", picture)[1].tobytes()


def _photo(steps: Steps) -> Picture:
    """The photo with everything that was found in it, and in words what became of it."""
    scale = steps.view.scale if steps.view else 1
    photo = steps.picture.color(scale)
    width, height = steps.picture.size
    factor = min(1.0, SIDE / max(width, height))
    size = (round(width * factor), round(height * factor))
    drawn = np.asarray(cv2.resize(photo, size, interpolation=cv2.INTER_AREA), np.uint8)
    drawn = 255 - (255 - drawn) // 2  # pale, so that what is drawn is seen
    lines: list[tuple[str, Color]] = []
    if steps.search and steps.view:
        lines += _draw_search(drawn, steps.search, steps.view, factor)
    for sheet in steps.reading.sheets:
        _draw_outline(drawn, np.array(sheet.corners) * factor, TAKEN)
        asked = f"{len(sheet.unsure)} of {len(sheet.fields)} fields asked"
        doubt = ", asked whether it is this sheet" if sheet.unsure_edition else ""
        lines.append((f"{sheet.sheet.kind.name} ({sheet.edition}): {asked}{doubt}", TAKEN))
    for trouble in steps.reading.troubles:
        if trouble.corners:
            _draw_outline(drawn, np.array(trouble.corners) * factor, REFUSED)
        lines.append((_words(trouble), REFUSED))
    return _with_text(drawn, lines)


def _words(trouble: Trouble) -> str:
    return f"{trouble.code}: {trouble.sentence.translated(english, ' or ')}"


def _draw_search(
    drawn: Picture, search: Search, view: View, factor: float
) -> Iterator[tuple[str, Color]]:
    """Draws what was seen of tables; returns it in words."""

    def placed(at: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        full = [view.full_size(as_corners([point] * 4))[0] for point in at.reshape(-1, 2).tolist()]
        return np.array(full).reshape(at.shape) * factor

    for line in placed(search.segments.reshape(-1, 2, 2)):
        start, end = _points(line)
        cv2.line(drawn, start, end, SEEN, 1, cv2.LINE_AA)
    yield f"{len(search.segments)} edges of lines", SEEN
    for numbers in search.numbers[::-1]:
        for box in placed(numbers.nearby.reshape(-1, 2, 2)):
            start, end = _points(box)
            cv2.rectangle(drawn, start, end, DIGIT, 1, cv2.LINE_AA)
        yield f"{len(numbers.nearby)} digits in {_size(numbers.lattice)} cells", DIGIT
    for number, each in enumerate(search.examined, 1):
        color = REFUSED if each.refusal else TAKEN
        corners = placed(each.lattice.corners)
        for line in (*corners, *corners.transpose(1, 0, 2)):
            for pair in pairwise(_points(line)):
                cv2.line(drawn, *pair, color, 1, cv2.LINE_AA)
        how = "ruled" if each.is_ruled else "without lines"
        what = f"refused: {each.refusal}" if each.refusal else "a table"
        yield f"cells {number}: {_size(each.lattice)}, {how}; {what}", color


def _size(lattice: Lattice) -> str:
    return f"{len(lattice.down) - 1} x {len(lattice.across) - 1}"


def _points(at: npt.NDArray[np.float64]) -> list[tuple[int, int]]:
    return [(round(x), round(y)) for x, y in at.tolist()]


def _draw_outline(drawn: Picture, corners: npt.NDArray[np.float64], color: Color) -> None:
    cv2.polylines(drawn, [np.round(corners).astype(np.int32)], True, color, 3, cv2.LINE_AA)


def _table(examined: Examined, grid: Grid, fields: Mapping[str, FieldReading]) -> Picture:
    """The cells of a table, and what was read in each of them."""
    drawn = _enlarged(grid.flat.image)
    for place in grid.flat.places:
        lines, color = _cell(grid, place, fields)
        _label(drawn, grid.flat.box(place), lines, color)
    how = "with lines" if examined.is_ruled else "without lines"
    what = f"refused: {examined.refusal}" if examined.refusal else "read"
    return _with_text(drawn, [(f"{_size(examined.lattice)} cells {how}; {what}", INK)])


def _cell(
    grid: Grid, place: Place, fields: Mapping[str, FieldReading]
) -> tuple[Sequence[str], Color]:
    """What was decided for a cell, and a colour for it."""
    row, column = place
    writing = grid.written.get(place)
    if row not in grid.rows or column not in grid.columns:
        return (["head"], FAINT)
    if writing is None:
        return ([], FAINT)
    alone, reason = FieldReading(*writing.likeliest), writing.reason
    field = fields.get(field_name(grid.rows.index(row), grid.columns.index(column)), alone)
    if field.value != alone.value:
        reason = f"{alone.value} but for sums"
    others = field.others or ranked(writing.chances)[1:3]
    return _decided(field, others, reason, is_asked=field.confidence < SURE)


def _decided(
    field: FieldReading, others: Iterable[tuple[Mark, float]], reason: str, *, is_asked: bool
) -> tuple[Sequence[str], Color]:
    lines = [f"{_mark(field.value)} {field.confidence:.1%}"]
    if is_asked:
        lines.append(" ".join(f"{_mark(mark)} {chance:.0%}" for mark, chance in [*others][:2]))
    return [*lines, reason], ASKED if is_asked else TAKEN


def _mark(mark: Mark) -> str:
    if isinstance(mark, bool):
        return "crossed" if mark else "not crossed"
    return "empty" if mark is None else str(mark)


def _sheet(sheet: SheetReading) -> Picture:
    """A flattened sheet with its fields, and what was read in each of them."""
    flat = cv2.imdecode(np.frombuffer(sheet.flat or b"", np.uint8), cv2.IMREAD_COLOR)
    drawn = _enlarged(np.asarray(flat, np.uint8))
    kind = sheet.sheet.kind
    paper = paper_of(kind, sheet.board, sheet.edition)
    for field in paper.single.fields:
        reading = sheet.fields[field.id]
        reason = "by its sums" if field.id in sheet.by_sums else ""
        is_asked = field.id in sheet.unsure
        if is_asked or reading.value:
            decided = _decided(reading, reading.others, reason, is_asked=is_asked)
            _label(drawn, field.box, *decided)
    lines = [f"{kind.name}, {sheet.edition}"]
    for name, written in sheet.written.items():
        lines.append(f"{name} {_mark(written.value)} ({written.confidence:.0%})")
    return _with_text(drawn, [(line, INK) for line in lines])


def _enlarged(flat: Picture) -> Picture:
    """A flattened sheet, pale and large enough for words in its fields."""
    color = np.broadcast_to(flat.reshape(*flat.shape[:2], -1), (*flat.shape[:2], 3))
    large = cv2.resize(color, None, fx=ZOOM, fy=ZOOM, interpolation=cv2.INTER_LINEAR)
    return np.asarray(255 - (255 - large) // 2, np.uint8)


def _label(drawn: Picture, box: Box, lines: Sequence[str], color: Color) -> None:
    """Frames a field and writes into it."""
    down, across = flat_area(box)
    left, top, right, bottom = (
        round(at * ZOOM) for at in (across.start, down.start, across.stop, down.stop)
    )
    cv2.rectangle(drawn, (left + 2, top + 2), (right - 2, bottom - 2), color, 1)
    size = 0.5 * min(1.0, box.width * FLAT_PX_PER_MM * ZOOM / 150)
    for number, line in enumerate(lines):
        at = (left + 5, top + 16 + round(number * 32 * size))
        cv2.putText(drawn, line, at, cv2.FONT_HERSHEY_SIMPLEX, size, color, 1, cv2.LINE_AA)


def _with_text(drawn: Picture, lines: Sequence[tuple[str, Color]]) -> Picture:
    """A picture with lines of text below it; long ones are wrapped."""
    letters = max(drawn.shape[1] // 9, 20)
    parts: list[tuple[str, Color]] = []
    for text, color in lines:
        drawable = text.encode("ascii", "replace").decode()
        parts += [(drawable[at : at + letters], color) for at in range(0, len(text), letters)]
    foot = np.full((LINE * (len(parts) + 1), drawn.shape[1], 3), PAPER, np.uint8)
    for number, (line, color) in enumerate(parts, 1):
        place = (8, LINE * number)
        cv2.putText(foot, line, place, cv2.FONT_HERSHEY_SIMPLEX, 0.48, color, 1, cv2.LINE_AA)
    return np.concatenate((drawn, foot))
