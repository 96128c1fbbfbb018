"""A filled-in sheet → its printed pad → a photo → the same sheet again."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import cv2
import numpy as np
import pytest

from companion.core.sheet import Box, Mark
from companion.core.values import Document
from companion.games.catalog import SHEETS
from companion.vision.core import PhotoReading, SheetReading, Trouble
from companion.vision.flat import flattening
from companion.vision.flat.matching import Fit
from companion.vision.ink.opinions import OUT_OF_SIGHT
from companion.vision.markers import finding
from companion.vision.markers.finding import FoundPad
from companion.vision.reading import read
from tests.kit import sheets
from tests.kit.photos import paper, taking
from tests.kit.photos.paper import Pad
from tests.kit.wide import first_of, wide


def name_of(sheet: str, board: str) -> str:
    return "-".join(filter(None, (sheet, board)))


DOCUMENTS: Mapping[str, Document] = {
    name_of(kind.name, board): sheets.written(kind, board) for kind, board in sheets.KINDS
}
QWINTO = DOCUMENTS["qwinto"]
TALLY = DOCUMENTS["tally"]

MISSED = (pytest.mark.wide, pytest.mark.xfail(strict=True))
"""Cases in which the reader falls short since photos are taken by the judge's camera."""


def pad(document: Document, seed: int = 0) -> Pad:
    sheet = SHEETS[document["sheet"]]
    return paper.filled(sheet.name, sheet.filled(document).marks, document.get("board", ""), seed)


def reading(*pads: Pad, **how: object) -> PhotoReading:
    return read(taking.jpeg(taking.photo(*pads, **how)))  # type: ignore[arg-type]


def wrong(pad: Pad, read: SheetReading) -> Mapping[str, tuple[Mark, Mark]]:
    """Field → (what was written, what was read), where they differ."""
    written = paper.expected(pad)
    assert list(read.fields) == list(written)
    return {
        name: (mark, read.fields[name].value)
        for name, mark in written.items()
        if read.fields[name].value != mark
    }


def same(document: Document, read: SheetReading) -> bool:
    """Crosses have no order on paper."""
    found = read.sheet.document
    if "crossed" in document:
        document, found = (
            {**sheet, "crossed": sorted(sheet["crossed"])} for sheet in (document, found)
        )
    return found == document


@pytest.mark.parametrize("name", first_of(DOCUMENTS, "qwinto", "encore-blue", "tally", "qwixx"))
def test_every_sheet_and_board_comes_back_with_its_sums(name: str) -> None:
    document = DOCUMENTS[name]
    filled = pad(document)
    sums = SHEETS[document["sheet"]].filled(document).sums
    paper.sum_up(filled, {blank: abs(number) for blank, number in sums.items()})
    (sheet,) = reading(filled).sheets
    assert {blank: field.value for blank, field in sheet.written.items()} == sums
    assert wrong(filled, sheet) == {}
    assert same(document, sheet)
    # One hand is as hard to read as any other, now and then.
    assert len(sheet.unsure) <= 2
    assert sheet.sheet.problems == SHEETS[document["sheet"]].filled(document).problems
    assert sheet.sheet.score["total"] == SHEETS[document["sheet"]].filled(document).score["total"]


@pytest.mark.parametrize("name", first_of(SHEETS, "encore"))
def test_an_empty_pad_is_read_as_empty(name: str) -> None:
    empty = paper.printed(name, SHEETS[name].usual_board)
    (sheet,) = reading(empty).sheets
    assert wrong(empty, sheet) == {}
    assert sheet.unsure == ()


@pytest.mark.parametrize("turn", first_of(range(15, 360, 30), 105))
def test_any_way_up(turn: int) -> None:
    filled = pad(QWINTO)
    (sheet,) = reading(filled, turn=turn, size=(2400, 2400)).sheets
    assert wrong(filled, sheet) == {}
    assert sheet.sheet.score["total"] == 43


@pytest.mark.parametrize("corner", first_of(range(4), 2))
def test_three_markers_are_enough(corner: int) -> None:
    filled = pad(QWINTO)
    height, width = filled.picture.shape[:2]
    side = round(14 * paper.PX_PER_MM)
    x, y = ((0, 0), (width - side, 0), (width - side, height - side), (0, height - side))[corner]
    filled.picture[y : y + side, x : x + side] = (70, 105, 140)
    (sheet,) = reading(filled).sheets
    assert wrong(filled, sheet) == {}


def test_two_games_in_one_photo() -> None:
    qwinto, encored = pad(QWINTO), pad(DOCUMENTS["encore-blue"])
    first, second = reading(qwinto, encored, size=(2400, 2400)).sheets
    assert (first.sheet.kind.name, second.sheet.kind.name, second.board) == (
        "qwinto",
        "encore",
        "blue",
    )
    assert wrong(qwinto, first) == {}
    assert wrong(encored, second) == {}


@pytest.mark.wide
def test_three_sheets_of_one_game_in_one_photo() -> None:
    others = [
        {**QWINTO, "failed": failed, "purple": [None] * 9, "orange": [None] * (9 - failed) + row}
        for failed, row in enumerate(([], [18], [9, 14]))
    ]
    pads = [pad(document, seed) for seed, document in enumerate(others)]
    sheets = reading(*pads, size=(2400, 2400)).sheets
    assert [sheet.sheet.document for sheet in sheets] == others


@pytest.mark.wide
def test_one_processor_reads_the_same_as_many(monkeypatch: pytest.MonkeyPatch) -> None:
    pads = [pad(QWINTO), pad(DOCUMENTS["encore-blue"])]
    found = []
    for processors in (1, 4):
        monkeypatch.setattr("companion.vision.reading._processors", lambda count=processors: count)
        found.append([sheet.fields for sheet in reading(*pads, size=(2400, 2400)).sheets])
    assert found[0] == found[1]


def test_a_sheet_that_breaks_the_rules_is_reported_as_written() -> None:
    document = {**QWINTO, "orange": [9, 5, None, None, 10, 13, None, 17, None]}
    filled = pad(document)
    (sheet,) = reading(filled).sheets
    assert sheet.flat is None, "nobody has asked for a picture"
    assert wrong(filled, sheet) == {}
    assert [problem.code for problem in sheet.sheet.problems] == ["not-ascending"]


def test_corners_lie_where_the_pad_does_and_its_picture_comes_along() -> None:
    filled = pad(QWINTO)
    picture = taking.photo(filled, tilt=0.0, size=(2016, 1512))
    (sheet,) = read(taking.jpeg(picture), pictures=True).sheets
    (left, top), (right, _), (_, bottom), _ = sheet.corners
    height, width = filled.picture.shape[:2]
    assert (right - left) / (bottom - top) == pytest.approx(width / height, rel=0.02)
    assert (left + right) / 2 == pytest.approx(1008, abs=12)
    assert sheet.flat is not None
    assert sheet.flat.startswith(b"\xff\xd8"), "it was asked for"


def test_where_the_print_was_not_found_somebody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A corner that is bent over, say: what is read there may be of another field."""
    box = SHEETS["qwinto"].paper("").fields[0].box
    around = Fit.around
    monkeypatch.setattr(Fit, "around", lambda fit, at: 0.3 if at == box.center else around(fit, at))
    filled = pad(QWINTO)
    (sheet,) = reading(filled).sheets
    assert sheet.unsure == ("orange.1",)
    assert wrong(filled, sheet) == {}


def lay(filled: Pad, box: Box, across: float, shade: int) -> None:
    """Puts a disc of so many millimetres on the middle of a box."""
    middle = tuple(round(at * paper.PX_PER_MM) for at in box.center)
    radius = round(across / 2 * paper.PX_PER_MM)
    cv2.circle(filled.picture, middle, radius, (shade,) * 3, cv2.FILLED, cv2.LINE_AA)


@pytest.mark.parametrize(
    ("across", "shade"),
    # A white disc inside the outline is white paper.
    [
        (10, 10),
        (16, 245),
        wide(10, 90),
        wide(10, 140),
        wide(13, 10),
        wide(13, 140),
        wide(13, 245),
        wide(16, 90),
    ],
)
def test_where_something_lies_on_a_number_somebody_looks(across: int, shade: int) -> None:
    """A token, a die, a glare: nothing is seen of the number, and that does not mean none."""
    filled = pad(QWINTO)
    lay(filled, filled.fields["yellow.4"].box, across, shade)
    (sheet,) = reading(filled).sheets
    assert "yellow.4" in sheet.unsure


@pytest.mark.parametrize(
    ("name", "field"),
    [("qwinto", "yellow.4"), pytest.param("tally", "round.7.player.3", marks=MISSED)],
)
def test_where_something_pale_lies_on_an_empty_number_somebody_looks(name: str, field: str) -> None:
    """A white die, say: it is brighter than the paper, and hides no outline."""
    document = {**QWINTO, "yellow": [None] * 9} if name == "qwinto" else DOCUMENTS[name]
    filled = pad(document)
    box = filled.fields[field].cells[0] if name == "tally" else filled.fields[field].box
    filled.picture[:] = (filled.picture * 0.85).astype(np.uint8)
    (sheet,) = reading(filled).sheets
    assert field not in sheet.unsure
    lay(filled, box, 0.72 * min(box.width, box.height), 250)
    (sheet,) = reading(filled).sheets
    assert field in sheet.unsure


def test_where_something_dark_lies_on_an_open_box_somebody_looks() -> None:
    """It is darker than the other open boxes of its colour."""
    filled = pad({**DOCUMENTS["encore-blue"], "crossed": []})
    box = filled.fields["C4"].box
    lay(filled, box, 0.76 * box.width, 70)
    (sheet,) = reading(filled).sheets
    assert "C4" in sheet.unsure or sheet.fields["C4"].value is True


def test_a_pen_that_lies_across_a_number_is_noticed() -> None:
    filled = pad(QWINTO)
    x, y = filled.fields["yellow.4"].box.center
    ends = [
        (round((x + right) * paper.PX_PER_MM), round((y + down) * paper.PX_PER_MM))
        for right, down in ((-10, -40), (10, 60))
    ]
    thick = round(12 * paper.PX_PER_MM)
    cv2.line(filled.picture, *ends, (30, 30, 30), thick, cv2.LINE_AA)
    (sheet,) = reading(filled).sheets
    assert "yellow.4" in sheet.unsure


@pytest.mark.parametrize(
    ("name", "right"),
    [
        case if case in (("qwinto", True), ("encore-blue", False)) else wide(*case)
        for case in product(("qwinto", "encore-blue", "tally", "qwixx"), (True, False))
    ],
)
def test_of_a_pad_that_is_partly_in_the_photo_the_rest_is_unsure(name: str, right: bool) -> None:
    filled = pad(DOCUMENTS[name])
    sums = SHEETS[filled.sheet].filled(DOCUMENTS[name]).sums
    paper.sum_up(filled, {blank: abs(number) for blank, number in sums.items()})
    picture = taking.photo(filled)
    width = picture.shape[1]
    kept = picture[:, : round(0.7 * width)] if right else picture[:, round(0.3 * width) :]
    (sheet,) = read(taking.jpeg(kept)).sheets
    assert {mark for mark in wrong(filled, sheet) if mark not in sheet.unsure} == set()
    unseen = {name for name, field in sheet.fields.items() if field.confidence == OUT_OF_SIGHT}
    assert unseen <= {*sheet.unsure}
    assert 0.15 < len(unseen) / len(sheet.fields) < 0.4
    assert sheet.written
    assert {blank: abs(sums[blank]) for blank in sheet.written} == {
        blank: abs(int(field.value or 0)) for blank, field in sheet.written.items()
    }
    # A column of fields may lie on the photo's very edge.
    assert len(sheet.unsure) - len(unseen) < 0.15 * len(sheet.fields)


def test_a_trouble_lies_where_its_pad_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the photo as it is, however much smaller it was looked at."""

    def refused(gray: object, find: FoundPad) -> Trouble:
        return Trouble("blurred", flattening.BLURRED, finding.corners(find))

    raw = taking.jpeg(taking.photo(pad(QWINTO), size=(3600, 2700)))
    where = read(raw).sheets[0].corners
    monkeypatch.setattr(flattening, "flatten", refused)
    (trouble,) = read(raw).troubles
    assert trouble.corners is not None
    assert np.array(trouble.corners) == pytest.approx(np.array(where), abs=8)


def test_a_photo_without_a_pad_says_so() -> None:
    blank = paper.printed("qwinto")
    blank.picture[:] = 255
    nothing = reading(blank)
    assert nothing.sheets == ()
    assert [trouble.code for trouble in nothing.troubles] == ["no-sheet"]


def test_a_photo_out_of_focus_says_so() -> None:
    blurred = reading(pad(QWINTO), pad(TALLY), blur=18, size=(1512, 1512))
    assert blurred.sheets == ()
    assert [trouble.code for trouble in blurred.troubles] == ["blurred"]


@pytest.mark.parametrize("degrees", [45, pytest.param(0, marks=MISSED), wide(90)])
def test_a_shaken_photo_says_so(degrees: int) -> None:
    line = np.zeros((41, 41), np.float32)
    line[20, 5:36] = 1
    turned = cv2.warpAffine(line, cv2.getRotationMatrix2D((20, 20), degrees, 1), (41, 41))
    shaken = cv2.filter2D(taking.photo(pad(DOCUMENTS["encore-blue"])), -1, turned / turned.sum())
    found = read(taking.jpeg(shaken))
    assert found.sheets == ()
    assert [trouble.code for trouble in found.troubles] == ["blurred"]


def test_a_sharp_photo_of_something_else_is_not_blurred() -> None:
    rng = np.random.default_rng(3)
    table = np.full((1200, 1600, 3), (70, 105, 140), np.uint8)
    for _ in range(60):
        x, y = (int(at) for at in rng.integers(0, (1500, 1100)))
        shade = [int(part) for part in rng.integers(0, 255, 3)]
        cv2.rectangle(table, (x, y), (x + 80, y + 60), shade, -1)
    found = read(taking.jpeg(cv2.GaussianBlur(table, (0, 0), 1.2)))
    assert [trouble.code for trouble in found.troubles] == ["no-sheet"]
