"""`companion read`: its document, its four statuses, a sentence for every file it cannot use.

What a photo shows is set here by each test; nothing is read from pixels.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from companion.cli import main
from companion.core.words import Sentence
from companion.games import scoring
from companion.vision.core import (
    Corners,
    FieldReading,
    PhotoReading,
    SheetReading,
    Trouble,
    Unreadable,
)
from lab.photos.bad_pictures import BAD, good

ROOT = Path(__file__).resolve().parents[2]
QWINTO = {
    "sheet": "qwinto",
    "orange": [None, 5, None, None, 10, 13, None, 17, None],
    "yellow": [2, 3, 7, 8, 10, 11, 12, 15, 16],
    "purple": [2, 4, None, 6, 7, None, 9, 11, None],
    "failed": 2,
}
FALLING = QWINTO | {"orange": [5, 4, *[None] * 7]}
SQUARE: Corners = ((10.04, 20.0), (110.0, 20.0), (110.0, 70.0), (10.0, 70.0))
CUT_OFF = Trouble("cut-off", Sentence("A pad is cut off at the %(side)s.", {"side": "left"}))


def sheet(document: dict[str, Any], **unsure: FieldReading) -> SheetReading:
    filled = scoring.filled_sheet(document)
    fields = {name: FieldReading(mark, 0.99876) for name, mark in filled.marks.items()}
    unsure = {name.replace("_", "."): reading for name, reading in unsure.items()}
    return SheetReading(
        sheet=filled,
        board="",
        corners=SQUARE,
        fields=fields | unsure,
        unsure=tuple(unsure),
    )


def photo(*sheets: SheetReading, troubles: tuple[Trouble, ...] = ()) -> PhotoReading:
    return PhotoReading(sheets, troubles, size=(203, 151), seconds=0.31449)


FINE = photo(sheet(QWINTO))
FAULTY = photo(sheet(FALLING))
NO_SHEET = photo(troubles=(Trouble("no-sheet", Sentence("There is no pad in this photo.")),))
BROKEN = Unreadable("damaged", Sentence("The picture is damaged."))


@dataclass(frozen=True)
class Ran:
    status: int
    out: str
    err: str

    @property
    def photos(self) -> list[Any]:
        document = json.loads(self.out)
        assert list(document) == ["format", "photos"]
        assert document["format"] == "companion-reading/1"
        return list(document["photos"])


Read = Callable[..., Ran]


@pytest.fixture
def read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Read:
    """Runs `companion read` for good photos that show these, named IMG_0.jpg and so on."""
    reader: Any = ModuleType("companion.vision.reading")
    monkeypatch.setitem(sys.modules, reader.__name__, reader)

    def run(
        *shows: PhotoReading | BaseException, more: tuple[str, ...] = (), name: str = "IMG_{}.jpg"
    ) -> Ran:
        """If `more` names standard input, that is the photo."""
        left = list(shows)

        def shown(data: bytes) -> PhotoReading:
            assert data == good("JPEG")
            answer = left.pop(0)
            if isinstance(answer, BaseException):
                raise answer
            return answer

        reader.read = shown
        paths = [tmp_path / name.format(at) for at in range(0 if "-" in more else len(shows))]
        for path in paths:
            path.write_bytes(good("JPEG"))
        status = main(["read", *map(str, paths), *more])
        ran = Ran(status, *capsys.readouterr())
        assert "Traceback" not in ran.err
        assert status != 2 or ran.err.strip()
        return ran

    return run


def test_json_is_the_documented_document(read: Read, tmp_path: Path) -> None:
    unsure = FieldReading(13, 0.61234567, ((18, 0.3), (None, 0.04)))
    somewhere = replace(CUT_OFF, corners=SQUARE)
    ran = read(
        photo(sheet(QWINTO, orange_6=unsure), troubles=(somewhere,)), NO_SHEET, more=("--json",)
    )
    (document, nothing) = ran.photos
    assert (document["file"], document["seconds"]) == (str(tmp_path / "IMG_0.jpg"), 0.314)
    (read_sheet,) = document["sheets"]
    assert read_sheet.pop("score")["total"] == 43
    fields = read_sheet.pop("fields")
    assert fields["orange.2"] == {"value": 5, "confidence": 0.9988}
    assert fields["orange.6"] == {"value": 13, "confidence": 0.6123}
    corners = [[10.0, 20.0], [110.0, 20.0], [110.0, 70.0], [10.0, 70.0]]
    assert read_sheet == {
        "sheet": QWINTO,
        "edition": "companion",
        "corners_px": corners,
        "written": {},
        "unsure": ["orange.6"],
        "problems": [],
    }
    assert document["refused"] == [
        {"code": "cut-off", "message": "A pad is cut off at the left.", "corners_px": corners}
    ]
    assert nothing["refused"] == [
        {"code": "no-sheet", "message": "There is no pad in this photo.", "corners_px": None}
    ]
    assert list(document) == list(nothing) == ["file", "seconds", "sheets", "refused"]


def test_the_edition_and_the_papers_own_sums_are_reported(read: Read) -> None:
    written = {
        "sum.total": FieldReading(57, 0.98765, ((51, 0.01),)),
        "sum.yellow": FieldReading(16, 0.9),
        "sum.purple": FieldReading(78, 0.31),
    }
    publisher = photo(replace(sheet(QWINTO), edition="nsv", written=written))
    ((read_sheet,),) = (found["sheets"] for found in read(publisher, more=("--json",)).photos)
    assert read_sheet["edition"] == "nsv"
    assert read_sheet["written"]["sum.total"] == {"value": 57, "confidence": 0.9877}
    lines = read(publisher).out.splitlines()
    assert "  sum.total: 57, which should be 43" in lines
    assert not any("sum.yellow" in line or "sum.purple" in line for line in lines)


def test_printed_names_are_reported(read: Read) -> None:
    """A code that gives two columns the same name is ignored."""
    tally = {"sheet": "tally", "players": ["1", "2"], "rounds": [[12, 30], [7, 0]]}
    one = replace(sheet(QWINTO), names={0: "Ada"})
    two = replace(sheet(tally), names={0: "Ada", 1: "Ben", 2: "Cleo"})
    same = replace(two, names={0: "Ada", 1: "Ada"})
    shown = photo(one, two, same)
    ran = read(shown)
    assert "IMG_0.jpg, 1 of 3: qwinto, Ada" in ran.out
    assert "   19  Ada" in ran.out
    assert "   19  1" in ran.out
    (document,) = read(shown, more=("--json",)).photos
    first, second, third = document["sheets"]
    assert (first["player"], "player" in second) == ("Ada", False)
    assert (second["sheet"]["players"], second["score"]["totals"]) == (
        ["Ada", "Ben"],
        {"Ada": 19, "Ben": 30},
    )
    assert third["sheet"]["players"] == ["1", "2"]


def test_a_sheet_that_may_be_another_has_a_score_in_json_alone(read: Read) -> None:
    written = {"sum.total": FieldReading(57, 0.98)}
    seen = photo(replace(sheet(QWINTO), unsure_edition=True, edition="nsv", written=written))
    ran = read(seen)
    assert "Is this your sheet?" in ran.out
    assert not any(text in ran.out for text in ("in total", "43", "57"))
    (document,) = read(seen, more=("--json",)).photos
    assert document["sheets"][0]["score"]["total"] == 43


def test_the_sheet_that_was_read_is_what_companion_score_takes(
    read: Read, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (document,) = read(FAULTY, more=("--json",)).photos
    (read_sheet,) = document["sheets"]
    path = tmp_path / "sheet.json"
    path.write_text(json.dumps(read_sheet["sheet"]))
    assert main(["score", str(path), "--json"]) == 1
    scored = json.loads(capsys.readouterr().out)
    assert {name: read_sheet[name] for name in ("problems", "score")} == {
        name: scored[name] for name in ("problems", "score")
    }


@pytest.mark.parametrize(
    ("shows", "status"),
    [
        ([FINE, FINE], 0),
        ([photo(sheet(QWINTO), troubles=(CUT_OFF,))], 0),
        ([FINE, FAULTY], 1),
        ([FAULTY, NO_SHEET], 3),
        ([NO_SHEET, FINE], 3),
        ([BROKEN, NO_SHEET, FAULTY], 2),
    ],
)
def test_the_worst_photo_decides_the_status(read: Read, shows: list[Any], status: int) -> None:
    assert read(*shows).status == status
    ran = read(*shows, more=("--json",))
    assert (ran.status, len(ran.photos)) == (status, len(shows))


def test_readable_photos_are_printed_beside_unreadable_ones(read: Read, tmp_path: Path) -> None:
    bad = tmp_path / "words.jpg"
    bad.write_bytes(b"hello")
    for shows in ([BROKEN, FINE], [FINE, BROKEN]):
        ran = read(*shows, more=(str(bad),))
        assert ran.status == 2
        assert ran.out.count("43  in total") == 1
        assert len(ran.err.splitlines()) == 2
    *_, refused = read(BROKEN, FINE, more=(str(bad), "--json")).photos
    message = "This is not a picture. Photos can be JPEG, PNG, WebP, HEIC or PDF files."
    assert refused == {
        "file": str(bad),
        "seconds": 0.0,
        "sheets": [],
        "refused": [{"code": "unusable", "message": message}],
    }


def test_people_see_the_sheet_the_terms_and_what_to_look_at(read: Read) -> None:
    number = FieldReading(13, 0.61, ((18, 0.3), (None, 0.04), (19, 0.01)))
    cross = FieldReading(False, 0.7, ((True, 0.3),))
    seen = photo(sheet(QWINTO, orange_6=number, failed_3=cross), troubles=(CUT_OFF,))
    ran = read(seen, NO_SHEET)
    lines = ran.out.splitlines()
    assert lines[0].endswith("IMG_0.jpg, 1 of 1: qwinto")
    assert "   43  in total" in lines
    assert "  orange.6: 13 (61 %), 18 (30 %) or empty (4 %)" in lines
    assert "  failed.3: not crossed (70 %) or crossed (30 %)" in lines
    first, second = ran.err.splitlines()
    assert first.endswith("IMG_0.jpg: A pad is cut off at the left.")
    assert second.endswith("IMG_1.jpg: There is no pad in this photo.")


def test_people_see_every_sheet_and_its_problems(read: Read) -> None:
    tally = {"sheet": "tally", "players": ["Ada", "Ben"], "rounds": [[12, 30], [7, 0]]}
    ran = read(photo(sheet(QWINTO), sheet(tally)), FAULTY)
    assert ran.status == 1
    assert "IMG_0.jpg, 1 of 2: qwinto" in ran.out
    assert "IMG_0.jpg, 2 of 2: tally" in ran.out
    assert "   19  Ada" in ran.out
    assert "49  in total" not in ran.out, "players of a tally have no total together"
    assert "Please look at" not in ran.out
    assert "orange.1, orange.2" in ran.err


def test_a_file_that_is_not_a_photo_or_cannot_be_read_is_unusable(
    read: Read, tmp_path: Path
) -> None:
    files = {"empty.jpg": b"", "words.jpg": b"hello " * 100, "scan.jpg": b"%PDF-1.7 x"}
    for name, raw in files.items():
        (tmp_path / name).write_bytes(raw)
    folder = (tmp_path, tmp_path / "missing", tmp_path / ("x" * 300))
    for path in (*(tmp_path / name for name in files), *folder, "/dev/null", "/dev/zero"):
        ran = read(more=(str(path),))
        assert (ran.status, ran.out, len(ran.err.splitlines())) == (2, "", 1)
        assert ran.err.startswith(str(path))
        assert read(more=(str(path), "--json")).status == 2


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        ModuleNotFoundError("No module named 'cv2'", name="cv2"),
        BROKEN,
    ],
)
def test_failures_while_reading_are_sentences(read: Read, error: Exception) -> None:
    ran = read(FINE, error, more=("--json",))
    assert ran.status == 2
    assert "IMG_1.jpg" in ran.err


def test_ctrl_c_ends_it_without_a_traceback(read: Read) -> None:
    ran = read(FINE, KeyboardInterrupt(), more=("--json",))
    assert (ran.status, ran.err.strip()) == (130, "")


def test_standard_input_is_read_once(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(good("JPEG"))))
    (document,) = read(FINE, more=("-", "--json")).photos
    assert document["file"] == "-"
    assert read(more=("-", "-")).status == 2
    monkeypatch.setattr(sys, "stdin", None)
    assert read(more=("-",)).status == 2, "closed by `<&-`"


def test_a_file_name_is_printed_as_given_but_without_control_codes(
    read: Read, tmp_path: Path
) -> None:
    for name in ("Zoë 🎲.jpg", "\x1b[31m.jpg", os.fsdecode(b"\xff\xfe.jpg")):
        assert read(more=(str(tmp_path / name),)).status == 2
        (document,) = read(FINE, more=("--json",), name=name).photos
        assert document["file"] == str(tmp_path / name)
        ran = read(FINE, NO_SHEET, name=name)
        assert ran.status == 3
        assert "\x1b" not in ran.out + ran.err


def test_wrong_arguments_have_status_2_and_help_names_the_formats(read: Read) -> None:
    assert read().status == 2
    assert read(more=("--xml", "a.jpg")).status == 2
    ran = read(more=("--help",))
    assert ran.status == 0
    assert "HEIC" in ran.out


# In a process of its own, with real streams and the real reader.


def test_a_real_process_refuses_without_a_decoder(tmp_path: Path) -> None:
    bad = tmp_path / os.fsdecode(b"Zo\xc3\xab \xff.jpg")
    bad.write_bytes(BAD["a huge JPEG by its head"][1]())
    code = (
        "import sys; from companion.cli import main; status = main(sys.argv[1:]);"
        "assert not {'cv2', 'numpy', 'PIL'} & {*sys.modules}; sys.exit(status)"
    )
    command = [sys.executable, "-W", "error", "-c", code, "read", str(bad), "/dev/zero", "--json"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    ran = subprocess.run(command, capture_output=True, cwd=ROOT, env=environment, check=False)
    assert ran.returncode == 2, ran.stderr
    assert [photo["sheets"] for photo in json.loads(ran.stdout)["photos"]] == [[], []]
    assert len(ran.stderr.splitlines()) == 2
