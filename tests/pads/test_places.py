"""Every field and marker of every pad is where the map says, on every paper, from both engines.

Measured in the pixels of the PDF, with only the map in between. The ready-made PDFs
are measured all, and are as new as what they are made from; each engine prints every sheet and
board, and every sheet on every paper.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from companion.core import markers
from companion.folders import PRINTABLES
from companion.games.catalog import SHEETS
from companion.pads import aruco, geometry, order, padmap, pdf, printables, typst, wkhtmltopdf
from companion.pads.papers import PAPERS
from companion.pads.printables import file_name
from lab import pdf as kit
from lab.sheets import KINDS

if TYPE_CHECKING:
    from PIL.Image import Image

DPI = 400
PIXEL = kit.MM_PER_INCH / DPI
AROUND = 0.28  # millimetres looked at around a box; the nearest neighbours are 0.6 apart
ALLOWED = 0.2
INK_ON_COLOR, INK_ON_WHITE = 85, 170
"""Darker than this is ink: the bands are from 120 on, and the palest line is 105."""

EVERY = [(kind.name, board, paper) for kind, board in KINDS for paper in PAPERS]
PRINTED = [
    (name, board, paper)
    for name, sheet in SHEETS.items()
    for number, board in enumerate(sheet.every_board)
    for place, paper in enumerate(PAPERS)
    if len(sheet.boards) < len(PAPERS) or number % len(PAPERS) == place
]
"""Each board once, and each sheet on every paper: boards differ in nothing but their colours."""
ENGINES = [
    pytest.param(name, marks=pytest.mark.skipif(not is_here, reason=f"no {name} here"))
    for name, is_here in (
        (wkhtmltopdf.NAME, wkhtmltopdf.executable()),
        (typst.NAME, typst.is_installed()),
    )
]
READY_MADE = "ready-made"


def is_usual(sheet: str, board: str, paper: str, engine: str) -> bool:
    """Whether `make test` checks it: every ready-made board, and every sheet by each engine."""
    is_first = board == SHEETS[sheet].usual_board
    if engine == typst.NAME:
        return is_first and paper == "a4"
    return is_first or (paper == "a4" and engine == READY_MADE)


@dataclass(frozen=True)
class Print:
    """The PDF of one page, what it looks like, and its map."""

    raw: bytes
    picture: Image
    document: dict[str, Any]


CASES = [
    pytest.param(
        (*pad, *engine.values),
        marks=[*engine.marks, *(() if is_usual(*pad, *engine.values) else [pytest.mark.wide])],
        id="-".join((*pad, *engine.values)),
    )
    for engine, pads in ((pytest.param(READY_MADE), EVERY), *product(ENGINES, [PRINTED]))
    for pad in pads
]


@pytest.fixture(scope="module", params=CASES)
def printed(request: pytest.FixtureRequest) -> Print:
    """A pad on a paper: ready-made, or printed by an engine now."""
    sheet, board, paper, engine = request.param
    made = order.checked_order(sheet, board=board or None, paper=paper)
    printout = geometry.pages_of_order(made)
    if engine == READY_MADE:
        raw = (PRINTABLES / file_name(made)).read_bytes()
    else:
        raw = pdf.pdf(printout, engine=engine)
    (picture,) = kit.pictures(raw, DPI)
    return Print(raw, picture, padmap.document(printout))


def ink_box(picture: Image, box: list[float], darkest: int) -> list[float]:
    """The edges of a shape's ink, in millimetres, searched a little around its box."""
    left, top = int((box[0] - AROUND) / PIXEL), int((box[1] - AROUND) / PIXEL)
    right = int((box[0] + box[2] + AROUND) / PIXEL) + 1
    bottom = int((box[1] + box[3] + AROUND) / PIXEL) + 1
    window = picture.crop((left, top, right, bottom))
    found = window.point(lambda value: 255 if value < darkest else 0).getbbox()
    assert found is not None, f"no ink at {box}"
    x, y = (left + found[0]) * PIXEL, (top + found[1]) * PIXEL
    return [x, y, (left + found[2]) * PIXEL - x, (top + found[3]) * PIXEL - y]


@cache
def banded(sheet: str) -> frozenset[str]:
    """The fields that lie on a coloured band."""
    layout = SHEETS[sheet].paper(SHEETS[sheet].usual_board).layout
    return frozenset(
        field.id
        for field in layout.fields
        for band in layout.bands
        if band.box.y <= field.box.center[1] <= band.box.y + band.box.height
    )


def shapes(document: dict[str, Any]) -> Iterator[tuple[str, list[float], int]]:
    """(name, box, what counts as ink) of each shape that is measured on the first page."""
    for number, pad in enumerate(document["pads"]):
        if pad["page"] != 1:
            continue
        for field in pad["fields"]:
            darkest = INK_ON_COLOR if field["id"] in banded(document["sheet"]) else INK_ON_WHITE
            for cell in field.get("cells_mm", [field["box_mm"]]):
                yield f"{number} {field['id']}", cell, darkest
        for marker in pad["markers"]:
            yield f"{number} marker {marker['id']}", marker["box_mm"], INK_ON_WHITE


def misplaced(document: dict[str, Any], picture: Image) -> list[float]:
    """How many millimetres each shape's edges are away from the map; at most `ALLOWED`."""
    errors = {}
    for name, box, darkest in shapes(document):
        ink = ink_box(picture, box, darkest)
        x, y, width, height = (a - b for a, b in zip(ink, box, strict=True))
        errors[name] = max(map(abs, (x, y, x + width, y + height)))
    assert not {name: error for name, error in errors.items() if error > ALLOWED}
    return list(errors.values())


def test_everything_is_where_the_map_says(printed: Print) -> None:
    errors = misplaced(printed.document, printed.picture)
    assert sum(errors) / len(errors) < 0.1, "a pixel and a half, on average"


def test_every_marker_can_be_read(printed: Print) -> None:
    for pad in printed.document["pads"]:
        for marker in pad["markers"]:
            x, y, width, height = marker["box_mm"]
            # One cell of white around it, too.
            for row in range(-1, markers.CELLS + 1):
                for column in range(-1, markers.CELLS + 1):
                    at = (
                        int((x + (column + 0.5) * width / markers.CELLS) / PIXEL),
                        int((y + (row + 0.5) * height / markers.CELLS) / PIXEL),
                    )
                    is_black = printed.picture.getpixel(at) < 128
                    assert is_black == aruco.is_black(marker["id"], row, column), marker


def test_the_ruler_is_100_mm_long(printed: Print) -> None:
    box = printed.document["ruler_mm"]
    assert max(box[2:]) == 100
    assert max(ink_box(printed.picture, box, 200)[2:]) == pytest.approx(100, abs=0.35)


def test_fonts_are_embedded_and_vectors_kept(printed: Print) -> None:
    fonts = kit.fonts(printed.raw)
    assert len(fonts) == 2
    assert all("Fredoka" in name and embedded for name, embedded in fonts.items()), fonts
    assert not kit.has_pictures(printed.raw)
    ((width, height),) = kit.page_sizes(printed.raw)
    assert (width, height) == pytest.approx(printed.document["page_mm"], abs=0.3)


@pytest.mark.parametrize("engine", ENGINES)
def test_there_is_no_drift_over_many_pages(engine: str) -> None:
    printout = geometry.pages_of_order(order.checked_order("qwinto", copies=24, paper="letter"))
    raw = pdf.pdf(printout, engine=engine)
    document = padmap.document(printout)
    first, *_, last = kit.pictures(raw, 200)
    assert len(printout.pages) == 8
    assert len(kit.page_sizes(raw)) == 8
    assert {pad["page"] for pad in document["pads"]} == set(range(1, 9))
    assert first.tobytes() == last.tobytes()


# The ready-made ones


ORDERS = {file_name(made): made for made in printables.orders()}
MOST_BYTES = 100_000  # of one file; all of them come with every copy of the repository


@pytest.mark.every_game
def test_they_are_as_new_as_their_source(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page around the drawing counts, too."""
    before = printables.hashes()
    had = json.loads(printables.SOURCE.read_text(encoding="utf-8"))
    assert had == before, "older than the drawing: make printables"
    whole = typst.document
    monkeypatch.setattr(typst, "document", lambda *given: whole(*given) + "new")
    after = printables.hashes()
    assert all(after[name] != before[name] for name in ORDERS)


@pytest.mark.every_game
def test_every_pad_and_paper_has_one_small_pdf() -> None:
    assert len(ORDERS) == len(EVERY)
    files = list(PRINTABLES.glob("*.pdf"))
    assert {path.name for path in files} == set(ORDERS)
    assert all(path.stat().st_size <= MOST_BYTES for path in files)
