"""A filled-in sheet → its printed pad, or a publisher's → a photo → the same sheet again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image

from companion.cli import main
from companion.core.edition import OWN, Edition
from companion.core.sheet import Box, Mark, in_column, moved, of_column
from companion.core.values import Document
from companion.games.catalog import SHEETS
from companion.games.editions import editions
from companion.pads import geometry
from companion.pads import pdf as printing
from companion.pads.name_code import coded_names, name_code
from companion.pads.order import checked_order
from companion.paper.review import Review
from companion.vision.core import PhotoReading, SheetReading, Trouble, flat_area
from companion.vision.flat import flattening
from companion.vision.flat.matching import Fit
from companion.vision.markers.grouping import FoundPad
from companion.vision.reading import read
from companion.vision.weighing import OUT_OF_SIGHT
from lab import pdf, sheets
from lab.photos import paper, taking
from lab.photos.paper import Pad
from lab.photos.publishers import BOARDS, filled_in
from lab.wide import first_of
from tests.vision.unmarked.scenes import LAMPS, scene

DOCUMENTS: Mapping[str, Document] = {
    "-".join(filter(None, (kind.name, board))): sheets.written(kind, board)
    for kind, board in sheets.KINDS
}
QWINTO, ENCORE = DOCUMENTS["qwinto"], DOCUMENTS["encore-blue"]


def pad(document: Document) -> Pad:
    """A pad with these marks and their sums."""
    filled = SHEETS[document["sheet"]].filled(document)
    sums = {blank: abs(number) for blank, number in filled.sums.items()}
    return paper.filled(filled.kind.name, filled.marks, filled.board, sums=sums)


def read_again(photo: np.ndarray) -> PhotoReading:
    return read(taking.jpeg(photo))


def reading(*pads: Pad, **how: Any) -> PhotoReading:
    return read_again(taking.photo(*pads, **how))


def wrong(pad: Pad, read: SheetReading) -> Mapping[str, tuple[Mark, Mark]]:
    """Field → (what was written, what was read), where they differ."""
    written = of_column(paper.expected(pad), read.column)
    assert list(read.fields) == list(written)
    return {
        name: (mark, read.fields[name].value)
        for name, mark in written.items()
        if read.fields[name].value != mark
    }


def test_a_scan_comes_back_page_by_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As phones make it: each photo on a page, with a point for each of its pixels."""
    page = Image.fromarray(taking.photo(pad(ENCORE))[..., ::-1])
    scan = tmp_path / "scan.pdf"
    page.save(scan, save_all=True, append_images=[Image.new("L", (90, 60), 255)], quality=90)
    main(["read", str(scan), "--json"])
    first, empty = json.loads(capsys.readouterr().out)["photos"]
    assert [photo["file"] for photo in (first, empty)] == [f"{scan}#1", f"{scan}#2"]
    (sheet,) = first["sheets"]
    assert {*sheet["sheet"]["crossed"]} == {*ENCORE["crossed"]}
    assert not empty["sheets"]


@pytest.mark.parametrize("name", first_of(DOCUMENTS, "qwinto", "encore-blue", "tally", "qwixx"))
def test_every_sheet_and_board_comes_back_with_its_sums(name: str) -> None:
    document = DOCUMENTS[name]
    filled, expected = pad(document), SHEETS[document["sheet"]].filled(document)
    (sheet,) = reading(filled).sheets
    assert {blank: field.value for blank, field in sheet.written.items()} == expected.sums
    assert wrong(filled, sheet) == {}
    # Any handwriting is hard to read now and then.
    assert len(sheet.unsure) <= 2
    assert sheet.sheet.problems == expected.problems
    assert sheet.sheet.score["total"] == expected.score["total"]


@pytest.mark.parametrize("is_summed", [True, False])
def test_a_number_below_zero_has_its_sign_in_a_box_before_its_digits(is_summed: bool) -> None:
    """A struck-out digit can look the same, so a person is asked unless a sum decides."""
    signed = {"sheet": "tally", "players": ["1", "2"], "rounds": [[-5, 12], [-12, 7], [39, -8]]}
    tally = SHEETS["tally"].filled(signed)
    filled = paper.filled("tally", tally.marks, sums=tally.sums if is_summed else {})
    paper.write_number(filled, filled.fields["round.4.player.1"].cells[2], "-")
    (sheet,) = reading(filled).sheets
    assert wrong(filled, sheet) == {}
    below = {name for name, mark in tally.marks.items() if int(mark or 0) < 0}
    assert len(below) == 3
    assert is_summed or below <= {*sheet.unsure}


def lay(filled: Pad, box: Box, across: float, shade: int) -> None:
    """Puts a disc on the middle of a box; its diameter is in millimetres."""
    middle = tuple(round(at * paper.PX_PER_MM) for at in box.center)
    radius = round(across / 2 * paper.PX_PER_MM)
    cv2.circle(filled.picture, middle, radius, (shade,) * 3, cv2.FILLED, cv2.LINE_AA)


def test_two_games_in_one_photo_one_of_which_breaks_the_rules() -> None:
    qwinto = pad({**QWINTO, "orange": [9, 5, None, None, 10, 13, None, 17, None]})
    encored = pad({**ENCORE, "crossed": []})
    # Something darker than the other open boxes of its colour.
    dark = encored.fields["C4"].box
    lay(encored, dark, 0.76 * dark.width, 70)
    first, second = reading(qwinto, encored, size=(1800, 1800)).sheets
    assert [(sheet.sheet.kind.name, sheet.board) for sheet in (first, second)] == [
        ("qwinto", ""),
        ("encore", "blue"),
    ]
    assert wrong(qwinto, first) == {}
    assert wrong(encored, second).keys() <= {"C4"}
    assert "C4" in second.unsure or second.fields["C4"].value is True
    assert [problem.code for problem in first.sheet.problems] == ["not-ascending"]
    assert first.flat is None, "nobody has asked for a picture"


def test_fields_on_which_something_lies_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A number may be hidden under a token, a white die or a pen, so the field is not just empty.

    Where the print is not found, as on a folded corner, the ink may belong to another field.
    """
    qwinto = pad(QWINTO)
    boxes = {name: field.box for name, field in qwinto.fields.items()}
    unseen, around = boxes["orange.1"].center, Fit.around
    monkeypatch.setattr(Fit, "around", lambda fit, at: 0.3 if at == unseen else around(fit, at))
    lay(qwinto, boxes["purple.4"], 10, 10)
    lay(qwinto, boxes["orange.6"], 16, 245)
    x, y = boxes["purple.8"].center
    paper.draw(qwinto.picture, [(x - 10, y - 40), (x + 10, y + 60)], 12, (30, 30, 30))
    (sheet,) = reading(qwinto).sheets
    assert {"orange.1", "purple.4", "orange.6", "purple.8"} <= {*sheet.unsure}
    assert not {"orange.2", "yellow.1", "yellow.2", "purple.1", "purple.2"} & {*sheet.unsure}


@pytest.mark.parametrize(
    ("sheet", "text", "aside"), [("tally", "81", (-6.0, 1.5, 9.0)), ("qwinto", "4", (-6.0, 6.0))]
)
def test_ink_across_a_fields_border_is_asked_for(
    sheet: str, text: str, aside: tuple[float, ...]
) -> None:
    """A digit on the line between two boxes was lost, and so was a number beside its circle."""
    empty = paper.printed(sheet)
    fields = [*empty.fields.values()][1::2]
    for field, by in zip(fields, aside, strict=False):
        paper.write_number(empty, moved(field.box, by, 0), text)
    well_written = fields[-8]
    paper.write_number(empty, [well_written.box, *well_written.cells][-1], "7")
    (read_sheet,) = reading(empty).sheets
    assert {field.id for field in fields[: len(aside)]} <= {*read_sheet.unsure}
    assert well_written.id not in read_sheet.unsure


def test_fields_of_a_pad_outside_the_photo_are_unsure() -> None:
    filled, sums = pad(ENCORE), SHEETS["encore"].filled(ENCORE).sums
    picture = taking.photo(filled)
    (sheet,) = read_again(picture[:, round(0.3 * picture.shape[1]) :]).sheets
    assert wrong(filled, sheet).keys() <= {*sheet.unsure}
    unseen = {name for name, field in sheet.fields.items() if field.confidence == OUT_OF_SIGHT}
    assert unseen <= {*sheet.unsure}
    assert 0.15 < len(unseen) / len(sheet.fields) < 0.4
    assert sheet.written
    assert all(abs(sums[blank]) == abs(each.value) for blank, each in sheet.written.items())
    # A column of fields may lie on the photo's very edge.
    assert len(sheet.unsure) - len(unseen) < 0.15 * len(sheet.fields)


def test_a_trouble_lies_where_its_pad_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its corners are in the full photo, however much that was reduced to be read."""

    def refused(gray: object, find: FoundPad) -> Trouble:
        return Trouble("blurred", flattening.BLURRED, find.corners)

    monkeypatch.setattr("companion.vision.reading.USUAL_PIXELS", 500_000)
    filled = pad(QWINTO)
    raw = taking.jpeg(taking.photo(filled, tilt=0.0))
    (sheet,) = read(raw, pictures=True).sheets
    assert sheet.flat is not None
    assert sheet.flat.startswith(b"\xff\xd8"), "it was asked for"
    (left, top), (right, _), (_, bottom), _ = sheet.corners
    height, width = filled.picture.shape[:2]
    assert (right - left) / (bottom - top) == pytest.approx(width / height, rel=0.02)
    assert (left + right) / 2 == pytest.approx(800, abs=9)
    monkeypatch.setattr(flattening, "flatten", refused)
    (trouble,) = read(raw).troubles
    assert trouble.corners is not None
    assert np.array(trouble.corners) == pytest.approx(np.array(sheet.corners), abs=4)


def a_table() -> np.ndarray:
    """A sharp photo of a table with things of all colours."""
    things = np.random.default_rng(3).integers(0, 255, (24, 32, 3)).astype(np.uint8)
    return cv2.resize(things, (1600, 1200), interpolation=cv2.INTER_NEAREST)


def without_colors() -> np.ndarray:
    """Boards whose fields cannot be distinguished in gray; other boards are read."""
    photo = scene(filled_in(editions()[0], {}).picture, size=(1600, 1200)).photo
    return cv2.cvtColor(cv2.cvtColor(photo, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)


@pytest.mark.parametrize(
    ("photo", "code", "words"),
    [
        (lambda: cv2.filter2D(taking.photo(pad(ENCORE)), -1, np.eye(21) / 21), "blurred", ""),
        (lambda: cv2.flip(taking.photo(pad(QWINTO)), 1), "mirrored", ""),
        (a_table, "no-sheet", ""),
        (lambda: (a_table() * 0.1).astype(np.uint8), "dark", ""),
        (without_colors, "no-sheet", "colors"),
    ],
    ids=["shaken", "mirrored", "a table", "in the dark", "without colours"],
)
def test_why_nothing_is_read(photo: Any, code: str, words: str) -> None:
    found = read_again(photo())
    assert found.sheets == ()
    (trouble,) = found.troubles
    assert trouble.code == code
    assert words in str(trouble.sentence)


# Publishers' sheets


def some_marks(made: Edition, board: str) -> dict[str, Mark]:
    """Marks that break no rule by themselves: a few crosses, or one number in each row."""
    fields = made.paper(board).fields
    crosses, numbers = (
        [field.id for field in fields if field.kind == kind] for kind in ("cross", "number")
    )
    marks: dict[str, Mark] = dict.fromkeys(crosses[50:56] or crosses[:2], True)
    return marks | dict.fromkeys(numbers[4::11], 7)


@pytest.mark.parametrize(("made", "board"), BOARDS)
def test_every_edition_and_board_comes_back(made: Edition, board: str) -> None:
    """Each is photographed under another lamp."""
    marks = some_marks(made, board)
    lamp = [*LAMPS][editions().index(made) % len(LAMPS)]
    photo = scene(filled_in(made, marks, board).picture, turn=6, tilt=12, lamp=lamp).photo
    (sheet,) = read_again(photo).sheets
    assert (sheet.edition, sheet.board) == (made.name, board)
    wrong = {
        name
        for name, field in sheet.fields.items()
        if field.value not in (marks.get(name), None, False, "open")
        or (name in marks and field.value != marks[name])
    }
    assert wrong <= {*sheet.unsure}


def test_publishers_sheets_beside_one_of_our_own_pads(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are searched for in a smaller picture than the one from which they are flattened."""
    monkeypatch.setattr("companion.vision.reading.USUAL_PIXELS", 1_000_000)
    some = editions()[-3:]
    own = paper.printed(some[-1].sheet.name)
    pictures = [
        *(filled_in(made, {}, made.sheet.usual_board).picture for made in some),
        own.picture,
    ]
    views = [scene(picture, turn=3, size=(800, 600)).photo for picture in pictures]
    sheets = read_again(np.vstack([np.hstack(views[:2]), np.hstack(views[2:])])).sheets
    assert sorted(sheet.edition for sheet in sheets) == sorted([OWN, *(made.name for made in some)])


# Names that were printed on a pad


def named(sheet: str, *players: str, code: Box | None = None) -> Pad:
    """A pad that was printed with names; their code may be at another place."""
    printout = geometry.pages_of_order(checked_order(sheet, players=players))
    if code:
        first = printout.pages[0][0]
        printout = replace(
            printout, pages=((replace(first, paper=replace(first.paper, code=code)),),)
        )
    scale = paper.PX_PER_MM
    page = pdf.pixels(printing.pdf(printout), scale / pdf.POINTS_PER_MM)
    made = paper.printed(sheet)
    made.picture = np.ascontiguousarray(pdf.cut_out(page, printout.pages[0][0].box, scale))
    return made


def names_in(*pads: Pad) -> list[dict[int, str]]:
    """The names on pads that lie below each other in a photo."""
    return [dict(sheet.names) for sheet in reading(*pads, size=(1800, 2000)).sheets]


NAMED = {
    "qwinto": ["Zoë van der Berg-Müller 🎲"],
    "tally": ["Tim", "Maximiliane", "Jörg", "Bartholomäus", "Lina", "Anna-Lena"],
}
BEFORE = {"qwinto": Box(121.6, 3.55, 8.4, 8.4), "tally": Box(11.5, 15.6, 11, 11)}
"""The code's places on pads of versions before 2.1."""


@pytest.mark.skipif(not printing.is_possible(), reason="no program to make PDFs")
@pytest.mark.parametrize("codes", [{}, BEFORE], ids=["now", "before 2.1"])
def test_names_are_read_where_they_were_printed(codes: Mapping[str, Box]) -> None:
    pads = [named(sheet, *players, code=codes.get(sheet)) for sheet, players in NAMED.items()]
    assert names_in(*pads) == [dict(enumerate(players)) for players in NAMED.values()]


@pytest.mark.skipif(not printing.is_possible(), reason="no program to make PDFs")
def test_names_are_read_in_a_photo_as_blurred_as_fields_are() -> None:
    (blurred,) = reading(named("qwixx", "Bartholomäus"), blur=2.2).sheets
    assert dict(blurred.names) == {0: "Bartholomäus"}


def test_an_empty_line_and_handwriting_give_no_name() -> None:
    empty, written = paper.printed("qwinto"), paper.printed("qwinto")
    for x in range(121, 131, 3):
        paper.draw(written.picture, [(x, 5), (x + 2, 11), (x + 2.5, 5)])
    assert names_in(empty, written) == [{}, {}]


def test_names_that_are_too_long_for_the_place_are_shortened_in_the_code() -> None:
    wide, six = (
        "ü" * 40,
        ["Анастасия-Мария", "Ada", *("Елизавета Петровна" + str(n) for n in range(4))],
    )
    pads = [
        geometry.pages_of_order(checked_order(sheet, players=players)).pages[0][0]
        for sheet, players in (("encore", ["ü" * 39]), ("encore", [wide]), ("tally", six))
    ]
    assert [coded_names(pad)[0] for pad in pads] == ["ü" * 39, "ü" * 37 + "…", "Анаст…"]
    assert coded_names(pads[2])[1] == "Ada"
    assert None not in map(name_code, pads)


@pytest.mark.every_game
def test_each_column_of_a_pad_is_a_sheet_with_a_picture_of_its_own() -> None:
    """Empty columns give no sheet; each picture shows its column where the first one is printed."""
    kinds = SHEETS.values()
    kind = next(kind for kind in kinds if len(kind.paper(kind.usual_board).columns) > 1)
    document = sheets.written(kind, kind.usual_board)
    marks = dict(kind.filled(document).marks)
    third = dict(list(marks.items())[1:])
    written = marks | {in_column(name, 2): mark for name, mark in third.items()}
    photo = taking.jpeg(taking.photo(paper.filled(kind.name, written, kind.usual_board)))
    found = read(photo, pictures=True).sheets
    assert [(sheet.column, sheet.sheet.marks) for sheet in found] == [(0, marks), (2, third)]
    review = Review()
    for sheet in found:
        added = review.add_reading(sheet, "p1")
        assert added.fields.keys() == added.marks.keys()
        assert sheet.flat is not None
        shown = cv2.imdecode(np.frombuffer(sheet.flat, np.uint8), cv2.IMREAD_GRAYSCALE)
        for name, field in added.fields.items():
            ink = shown[flat_area(field.box, -1.4)]
            is_inked = ink.min() < 0.6 * np.median(ink)  # a shadow is not so dark
            assert is_inked == (name in sheet.sheet.marks), name
