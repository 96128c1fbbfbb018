"""Ruled tables: found by their lines, read cell by cell; all else is refused.

How well real hands are read is measured in `benchmarks.tables`.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.cli import main
from companion.core.sheet import Box
from companion.games.score_grid import SumRow, Values
from companion.vision import debugging, reading
from companion.vision.core import Chances
from companion.vision.grids import ruling
from companion.vision.grids.lattice import find_lattice
from companion.vision.grids.sums import find_sums, of_usual_kinds, settled
from companion.vision.reading import read
from lab.photos.paper import PX_PER_MM, Pad, Picture, draw, write_number
from lab.photos.spoiling import spoiled

CELL = (16.0, 10.0)
VALUES: Values = (
    (12, 7, None, 30),
    (5, None, 45, 8),
    (-27, 34, 9, 0),
    (14, 23, 38, 56),
    (4, 64, 92, 94),
)
HEADS = (1, 1)


def _paper(width: float, height: float) -> Pad:
    size = (round(height * PX_PER_MM), round(width * PX_PER_MM), 3)
    return Pad("", "", np.full(size, 245, np.uint8), {})


def _box(row: int, column: int) -> Box:
    return Box(10 + column * CELL[0], 10 + row * CELL[1], *CELL)


def _table(
    values: Values = VALUES,
    ink: tuple[int, int, int] = (120, 60, 40),
    is_open: bool = False,
    seed: int = 0,
) -> Picture:
    """A table with heads of words; -27 has a sign before it, 0 is struck."""
    rows, columns = len(values) + HEADS[0], len(values[0]) + HEADS[1]
    pad = _paper(20 + columns * CELL[0], 20 + rows * CELL[1])
    whole = Box(10, 10, columns * CELL[0], rows * CELL[1])
    inner = 1 if is_open else 0
    for column in range(inner, columns + 1 - inner):
        x = whole.x + column * CELL[0]
        draw(pad.picture, [(x, whole.y), (x, whole.y + whole.height)], 0.3, ink)
    for row in range(inner, rows + 1 - inner):
        y = whole.y + row * CELL[1]
        draw(pad.picture, [(whole.x, y), (whole.x + whole.width, y)], 0.3, ink)
    for row in range(rows):
        for column in range(columns):
            if (row < HEADS[0]) != (column < HEADS[1]):
                _print(pad, "Summe" if row else "Runde", _box(row, column))
    chance = random.Random(seed)
    for row, line in enumerate(values):
        for column, number in enumerate(line):
            box = _box(row + HEADS[0], column + HEADS[1])
            x, y = box.center
            if number == 0:
                draw(pad.picture, [(x + 3, y - 3), (x - 3, y + 3)])
            elif number is not None:
                write_number(pad, box, str(abs(number)), chance)
            if number is not None and number < 0:
                draw(pad.picture, [(x - 6.5, y), (x - 4.5, y)])
    return pad.picture


def _print(pad: Pad, word: str, box: Box) -> None:
    x, y = ((at * PX_PER_MM) for at in (box.x + 2, box.y + 6.5))
    cv2.putText(pad.picture, word, (round(x), round(y)), 2, 0.9, (60, 60, 60), 2, cv2.LINE_AA)


def _on_a_desk(paper: Picture, quarters: int = 0, bend: float = 0.0) -> bytes:
    """A photo of the paper in perspective on a dark desk, bent by a share of its height."""
    rows, columns = paper.shape[:2]
    y, x = np.mgrid[0:rows, 0:columns].astype(np.float32)
    arc = 4 * (x / columns) * (1 - x / columns) * np.float32(bend * rows)
    bent = cv2.remap(paper, x, y + arc, cv2.INTER_LINEAR, borderValue=(245, 245, 245))
    corners = np.array([(0, 0), (columns, 0), (columns, rows), (0, rows)], np.float32)
    seen = np.array([(90, 60), (columns + 40, 90), (columns, rows + 60), (60, rows + 20)])
    to_photo = cv2.getPerspectiveTransform(corners, seen.astype(np.float32))
    size = (columns + 120, rows + 120)
    photo = cv2.warpPerspective(bent, to_photo, size, borderValue=(45, 60, 70))
    turned = np.ascontiguousarray(np.rot90(photo, quarters))
    return bytes(cv2.imencode(".jpg", turned, [cv2.IMWRITE_JPEG_QUALITY, 92])[1])


PHOTOS = {
    "printed": lambda: _on_a_desk(_table()),
    "gray lines": lambda: _on_a_desk(_table(ink=(170, 170, 170))),
    "without a frame": lambda: _on_a_desk(_table(is_open=True)),
    "bent": lambda: _on_a_desk(_table(), bend=0.02),
    "on its side": lambda: _on_a_desk(_table(), quarters=1),
}


@pytest.mark.parametrize("name", PHOTOS)
def test_a_table_is_read_or_asked(name: str) -> None:
    reading = read(PHOTOS[name](), pictures=True)
    (sheet,) = reading.sheets
    assert not reading.troubles
    assert sheet.sheet.kind.name == "table"
    assert sheet.edition == ""
    assert (sheet.flat or b"")[:2] == b"\xff\xd8"
    document = sheet.sheet.document
    values = document["values"]
    assert (len(values), len(values[0])) == (len(VALUES), len(VALUES[0]))
    for row, line in enumerate(VALUES, start=1):
        for column, number in enumerate(line, start=1):
            field = f"row.{row}.column.{column}"
            is_right = values[row - 1][column - 1] == number
            assert is_right or field in sheet.unsure, field
    assert len(sheet.unsure) <= 3
    assert sheet.sheet.score == {"totals": [4, 64, 92, 94], "sum_rows": [5]}


def test_both_edges_of_a_large_tables_lines_are_one_line() -> None:
    pad = _paper(150, 180)
    for x in np.arange(9) * 15.0 + 15:
        draw(pad.picture, [(x, 15), (x, 167)], 0.3, (40, 40, 40))
    for y in np.arange(20) * 8.0 + 15:
        draw(pad.picture, [(15, y), (135, y)], 0.3, (40, 40, 40))
    gray = np.asarray(cv2.cvtColor(pad.picture, cv2.COLOR_BGR2GRAY), np.uint8)
    (found, *_) = ruling.tables(ruling.segments(gray))
    lattice = find_lattice(found, found)
    assert lattice
    assert lattice.corners.shape == (20, 9, 2)


# Anything but a table of numbers


def _page_of_text() -> Picture:
    pad = _paper(110, 90)
    for line in range(9):
        _print(pad, "Punkte und Karten fuer Runde", Box(8, 4 + line * 9, 90, 8))
    return pad.picture


def _squares(count: int, side: float) -> Pad:
    pad = _paper(20 + count * side, 20 + count * side)
    for at in np.arange(count + 1) * side + 10:
        for line in ([(at, 10), (at, 10 + count * side)], [(10, at), (10 + count * side, at)]):
            draw(pad.picture, line, 0.3, (40, 40, 40))
    return pad


def _chessboard() -> Picture:
    pad = _squares(8, 12.0)
    for row in range(8):
        for column in range(row % 2, 8, 2):
            y, x = (round((10 + at * 12) * PX_PER_MM) for at in (row, column))
            pad.picture[y : y + 96, x : x + 96] = 60
    return pad.picture


def _calendar() -> Picture:
    pad = _squares(7, 14.0)
    for day in range(1, 32):
        box = Box(10 + (day + 1) % 7 * 14.0, 24 + (day + 1) // 7 * 14.0, 14.0, 14.0)
        write_number(pad, box, str(day))
    return pad.picture


def _words_in_cells() -> Picture:
    pad = _squares(6, 14.0)
    for row in range(6):
        for column in range(6):
            _print(pad, "Wort", Box(9.5 + column * 14, 11 + row * 14, 14, 12))
    return pad.picture


def _sudoku() -> Picture:
    pad = _squares(9, 11.0)
    for place in range(0, 81, 2):
        row, column = divmod(place, 9)
        box = Box(10 + column * 11.0, 10 + row * 11.0, 11.0, 11.0)
        write_number(pad, box, str((row * 3 + row // 3 + column) % 9 + 1))
    return pad.picture


NO_TABLES = [_page_of_text, _chessboard, _calendar, _words_in_cells, _sudoku]


@pytest.mark.parametrize("draw_it", NO_TABLES)
def test_other_pictures_than_tables_of_numbers_are_refused(draw_it: Callable[[], Picture]) -> None:
    reading = read(_on_a_desk(draw_it()))
    assert not reading.sheets
    assert len(reading.troubles) == 1


DOUBTFUL: list[Chances] = [{12: 1.0}, {7: 0.55, 1: 0.45}, {19: 0.9, 18: 0.1}]


def test_a_sum_that_agrees_settles_a_doubtful_cell() -> None:
    first, doubtful, total = settled(DOUBTFUL, [SumRow(2, (0, 1))])
    assert first[12] > 0.95
    assert doubtful[7] > 0.9 > 0.1 > doubtful[1]
    assert total[19] > 0.98


def test_a_sum_that_does_not_agree_casts_doubt_on_what_is_not_clear() -> None:
    clear, *others = settled([{12: 0.9999}, {7: 0.98}, {25: 0.98}], [SumRow(2, (0, 1))])
    assert clear[12] > 0.99
    assert max(max(each.values()) for each in others) < 0.9


def test_a_number_of_the_kind_of_the_others_is_likelier() -> None:
    column: list[Chances] = [*({number: 1.0} for number in range(10, 20)), {6: 0.55, 16: 0.4}, {}]
    *_, doubtful, empty = of_usual_kinds([column], [])[0]
    assert doubtful[16] > 0.6
    assert sum(doubtful.values()) == pytest.approx(0.95)
    assert not empty
    assert of_usual_kinds([column], [SumRow(10, (8, 9))])[0][10] == column[10]


def test_without_a_sum_nothing_is_settled() -> None:
    assert settled(DOUBTFUL, []) == DOUBTFUL


def test_a_row_that_is_right_in_one_column_is_one_of_sums_only_at_the_end() -> None:
    column: list[Chances] = [{50: 1.0}, {70: 1.0}, {120: 1.0}]
    assert [each.row for each in find_sums([column])] == [2]
    assert not find_sums([[*column, {30: 1.0}]])


def test_rows_that_are_equal_are_sums_of_each_other_only_if_their_numbers_are_large() -> None:
    """Scribbles that all look like one digit would be read with certainty."""
    scribbles: list[Chances] = [{3: 0.8}] * 4
    assert not find_sums([scribbles] * 25)
    totals: list[Chances] = [{50: 1.0}, {70: 1.0}, {120: 1.0}, {120: 1.0}]
    assert [each.row for each in find_sums([totals, totals])] == [2, 3]


@pytest.mark.parametrize("seed", range(12))
def test_no_spoiled_photo_ends_in_an_exception(seed: int) -> None:
    """`benchmarks.tables --fuzz` tries thousands."""
    drawn = [_table(), _table(is_open=True), _sudoku(), _words_in_cells()][seed % 4]
    found = read(spoiled(_on_a_desk(drawn), seed))
    assert "crashed" not in {trouble.code for trouble in found.troubles}


@pytest.mark.parametrize(
    ("paper", "shown", "color"),
    [(_table, {"photo", "table-1"}, debugging.TAKEN), (_sudoku, {"photo"}, debugging.REFUSED)],
    ids=["read", "refused"],
)
def test_how_a_photo_was_read_is_drawn_beside_the_same_document(
    paper: Callable[[], Picture],
    shown: set[str],
    color: tuple[int, int, int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    photo, folder = tmp_path / "IMG.jpg", tmp_path / "drawn"
    photo.write_bytes(_on_a_desk(paper()))
    documents = []
    for options in ([], ["--debug", str(folder)]):
        main(["read", str(photo), "--json", *options])
        (document,) = json.loads(capsys.readouterr().out)["photos"]
        documents.append({name: part for name, part in document.items() if name != "seconds"})
    assert documents[0] == documents[1]
    assert shown <= {file.stem.removeprefix("1-IMG-") for file in folder.iterdir()}
    drawn = np.asarray(cv2.imread(str(folder / "1-IMG-photo.png")))
    assert (drawn == color).all(axis=2).any()


def test_a_fault_of_the_reader_is_a_trouble_of_one_photo(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_scores(gray: Picture, larger: object) -> None:
        raise ValueError(gray.shape)

    monkeypatch.setattr(reading, "find_scores", find_scores)
    found = read(_on_a_desk(_page_of_text()))
    assert [trouble.code for trouble in found.troubles] == ["crashed"]
    assert not found.sheets


def _photo(paper: Picture) -> Picture:
    return cv2.imdecode(np.frombuffer(_on_a_desk(paper), np.uint8), cv2.IMREAD_COLOR)


def _coded(photo: Picture) -> bytes:
    return bytes(cv2.imencode(".png", photo)[1])


def test_a_mirrored_table_is_reported_as_mirrored() -> None:
    """Some of its digits look like others, so it would be read, but wrongly."""
    found = read(_coded(cv2.flip(_photo(_table()), 1)))
    assert found.sheets == ()
    assert [trouble.code for trouble in found.troubles] == ["mirrored"]


def test_what_was_seen_is_reported_although_the_photo_is_gray() -> None:
    """Neither pads with black squares nor colours have anything to do with it."""
    empty: Values = ((None,) * 4,) * 5
    gray = cv2.cvtColor(_photo(_table(empty)), cv2.COLOR_BGR2GRAY)
    [trouble] = read(_coded(cv2.cvtColor(gray, cv2.COLOR_GRAY2BGR))).troubles
    assert trouble.corners is not None
    assert trouble.sentence.values["columns"] == 5
    assert "color" not in trouble.sentence.text
