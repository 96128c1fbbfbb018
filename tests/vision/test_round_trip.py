"""A filled-in sheet → its printed pad → a photo → the same sheet again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from companion.cli import main
from companion.core.sheet import Box, Mark
from companion.core.values import Document
from companion.games.catalog import SHEETS
from companion.vision.core import PhotoReading, SheetReading, Trouble
from companion.vision.flat import flattening
from companion.vision.flat.matching import Fit
from companion.vision.markers.grouping import FoundPad
from companion.vision.reading import read
from companion.vision.weighing import OUT_OF_SIGHT
from tests.kit import sheets
from tests.kit.photos import paper, taking
from tests.kit.photos.paper import Pad
from tests.kit.wide import first_of


def name_of(sheet: str, board: str) -> str:
    return "-".join(filter(None, (sheet, board)))


DOCUMENTS: Mapping[str, Document] = {
    name_of(kind.name, board): sheets.written(kind, board) for kind, board in sheets.KINDS
}
QWINTO = DOCUMENTS["qwinto"]


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
    return matches(document, read.sheet.document)


def matches(document: Document, found: Document) -> bool:
    """Crosses have no order on paper."""
    if "crossed" in document:
        document, found = (
            {**sheet, "crossed": sorted(sheet["crossed"])} for sheet in (document, found)
        )
    return found == document


def test_a_scan_comes_back_page_by_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As phones make it: each photo on a page, here of points as many as its pixels."""
    names = ("qwinto", "encore-blue")
    photos = [taking.photo(pad(DOCUMENTS[name])) for name in names]
    first, second = (Image.fromarray(photo[..., ::-1]) for photo in photos)
    scan = tmp_path / "scan.pdf"
    first.save(scan, save_all=True, append_images=[second], quality=90)
    main(["read", str(scan), "--json"])
    read = json.loads(capsys.readouterr().out)["photos"]
    assert [photo["file"] for photo in read] == [f"{scan}#1", f"{scan}#2"]
    for name, photo in zip(names, read, strict=True):
        (sheet,) = photo["sheets"]
        assert matches(DOCUMENTS[name], sheet["sheet"])


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


def lay(filled: Pad, box: Box, across: float, shade: int) -> None:
    """Puts a disc of so many millimetres on the middle of a box."""
    middle = tuple(round(at * paper.PX_PER_MM) for at in box.center)
    radius = round(across / 2 * paper.PX_PER_MM)
    cv2.circle(filled.picture, middle, radius, (shade,) * 3, cv2.FILLED, cv2.LINE_AA)


def test_two_games_in_one_photo_one_of_which_breaks_the_rules() -> None:
    qwinto = pad({**QWINTO, "orange": [9, 5, None, None, 10, 13, None, 17, None]})
    encored = pad({**DOCUMENTS["encore-blue"], "crossed": []})
    # Something darker than the other open boxes of its colour.
    dark = encored.fields["C4"].box
    lay(encored, dark, 0.76 * dark.width, 70)
    first, second = reading(qwinto, encored, size=(2400, 2400)).sheets
    assert [(sheet.sheet.kind.name, sheet.board) for sheet in (first, second)] == [
        ("qwinto", ""),
        ("encore", "blue"),
    ]
    assert wrong(qwinto, first) == {}
    assert wrong(encored, second).keys() <= {"C4"}
    assert "C4" in second.unsure or second.fields["C4"].value is True
    assert [problem.code for problem in first.sheet.problems] == ["not-ascending"]
    assert first.flat is None, "nobody has asked for a picture"


@pytest.mark.wide
def test_one_processor_reads_the_same_as_many(monkeypatch: pytest.MonkeyPatch) -> None:
    pads = [pad(QWINTO), pad(DOCUMENTS["encore-blue"])]
    found = []
    for processors in (1, 4):
        monkeypatch.setattr("companion.vision.reading._processors", lambda count=processors: count)
        found.append([sheet.fields for sheet in reading(*pads, size=(2400, 2400)).sheets])
    assert found[0] == found[1]


def test_where_something_lies_on_a_field_somebody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is seen of a number below a token, a white die or a pen: that does not mean none.

    Where the print was not found, as on a corner that is bent over, the ink may be another field's.
    """
    qwinto = pad(QWINTO)
    boxes = {name: field.box for name, field in qwinto.fields.items()}
    unseen, around = boxes["orange.1"].center, Fit.around
    monkeypatch.setattr(Fit, "around", lambda fit, at: 0.3 if at == unseen else around(fit, at))
    lay(qwinto, boxes["purple.4"], 10, 10)
    lay(qwinto, boxes["orange.6"], 16, 245)
    x, y = boxes["purple.8"].center
    ends = [
        (round((x + right) * paper.PX_PER_MM), round((y + down) * paper.PX_PER_MM))
        for right, down in ((-10, -40), (10, 60))
    ]
    thick = round(12 * paper.PX_PER_MM)
    cv2.line(qwinto.picture, *ends, (30, 30, 30), thick, cv2.LINE_AA)
    (sheet,) = reading(qwinto).sheets
    assert {"orange.1", "purple.4", "orange.6", "purple.8"} <= {*sheet.unsure}
    assert not {"orange.2", "yellow.1", "yellow.2", "purple.1", "purple.2"} & {*sheet.unsure}


def test_of_a_pad_that_is_partly_in_the_photo_the_rest_is_unsure() -> None:
    name = "encore-blue"
    filled = pad(DOCUMENTS[name])
    sums = SHEETS[filled.sheet].filled(DOCUMENTS[name]).sums
    paper.sum_up(filled, {blank: abs(number) for blank, number in sums.items()})
    picture = taking.photo(filled)
    kept = picture[:, round(0.3 * picture.shape[1]) :]
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
        return Trouble("blurred", flattening.BLURRED, find.corners)

    filled = pad(QWINTO)
    raw = taking.jpeg(taking.photo(filled, tilt=0.0, size=(3600, 2700)))
    (sheet,) = read(raw, pictures=True).sheets
    assert sheet.flat is not None
    assert sheet.flat.startswith(b"\xff\xd8"), "it was asked for"
    (left, top), (right, _), (_, bottom), _ = sheet.corners
    height, width = filled.picture.shape[:2]
    assert (right - left) / (bottom - top) == pytest.approx(width / height, rel=0.02)
    assert (left + right) / 2 == pytest.approx(1800, abs=20)
    monkeypatch.setattr(flattening, "flatten", refused)
    (trouble,) = read(raw).troubles
    assert trouble.corners is not None
    assert np.array(trouble.corners) == pytest.approx(np.array(sheet.corners), abs=8)


def test_a_shaken_photo_is_blurred_and_a_sharp_one_of_something_else_is_not() -> None:
    line = np.zeros((41, 41), np.float32)
    line[20, 5:36] = 1
    turned = cv2.warpAffine(line, cv2.getRotationMatrix2D((20, 20), 45, 1), (41, 41))
    shaken = cv2.filter2D(taking.photo(pad(DOCUMENTS["encore-blue"])), -1, turned / turned.sum())
    rng = np.random.default_rng(3)
    table = np.full((1200, 1600, 3), (70, 105, 140), np.uint8)
    for _ in range(60):
        x, y = (int(at) for at in rng.integers(0, (1500, 1100)))
        shade = [int(part) for part in rng.integers(0, 255, 3)]
        cv2.rectangle(table, (x, y), (x + 80, y + 60), shade, -1)
    for photo, code in ((shaken, "blurred"), (cv2.GaussianBlur(table, (0, 0), 1.2), "no-sheet")):
        found = read(taking.jpeg(photo))
        assert found.sheets == ()
        assert [trouble.code for trouble in found.troubles] == [code]
