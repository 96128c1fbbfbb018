"""`companion pad`: what it prints, writes and refuses, and with which status."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from companion import cli
from companion.pads import pdf
from companion.pads.engines import PrintingFailed
from tests.kit import pdf as kit

ROOT = Path(__file__).parents[2]


def pad(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = cli.main(["pad", *arguments])
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return status, out, err


def mapped(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    status, out, err = pad(capsys, *arguments, "--map")
    assert (status, err) == (0, "")
    document: dict[str, Any] = json.loads(out)
    return document


def test_the_map_has_the_documented_shape(capsys: pytest.CaptureFixture[str]) -> None:
    """Names may follow one option."""
    names = ("--player", "A", "B", "C", "--player", "D")
    document = mapped(capsys, "qwinto", *names)
    assert document["format"] == "companion-pad/1"
    assert (document["sheet"], document["paper"]) == ("qwinto", "a4")
    assert [pad["page"] for pad in document["pads"]] == [1, 1, 1, 2, 2, 2]
    for pad in document["pads"]:
        assert len(pad["box_mm"]) == 4
        assert len(pad["fields"]) == 31
        assert all(len(field["box_mm"]) == 4 for field in pad["fields"])


@pytest.mark.parametrize(
    ("arguments", "kinds", "ids"),
    [
        ("encore --board purple", {"cross", "value"}, {"A1", "O7", "joker.8", "column.H.later"}),
        ("tally --paper letter", {"digits"}, {"round.1.player.1"}),
        ("qwinto --paper a5", {"number", "cross"}, {"orange.1", "failed.4"}),
    ],
)
def test_the_map_of_each_paper_and_sheet(
    capsys: pytest.CaptureFixture[str], arguments: str, kinds: set[str], ids: set[str]
) -> None:
    document = mapped(capsys, *arguments.split())
    assert document.get("board") == ("purple" if "purple" in arguments else None)
    fields = document["pads"][0]["fields"]
    assert {field["kind"] for field in fields} == kinds
    assert ids <= {field["id"] for field in fields}
    for field in fields:
        lefts = [cell[0] for cell in field.get("cells_mm", [])]
        assert len(lefts) == (3 if field["kind"] == "digits" else 0), "a box for each digit"
        assert lefts == sorted(lefts)


def test_a_pdf_is_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    target = tmp_path / "out.pdf"
    status, out, err = pad(
        capsys, "qwinto", "-o", str(target), "--copies", "2", "--player", "Ada", "--player", "Zoë"
    )
    assert (status, out) == (0, "")
    assert "100 %" in err
    assert len(kit.page_sizes(target.read_bytes())) == 2
    text = "".join(kit.texts(target.read_bytes()))
    assert text.count("Ada") == text.count("Zoë") == 2
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("qwinto",),
        ("chess", "--map"),
        ("qwinto", "--map", "--paper", "a3"),
        ("encore", "--map", "--board", "pink"),
        ("qwinto", "--map", "--copies", "two"),
        ("qwinto", "--map", "--copies", "9" * 5000),
        ("qwinto", "--map", "-o", "x.pdf"),
        ("qwinto", "-o", "/"),
        ("qwinto", "-o", "/nowhere/at/all.pdf"),
    ],
    ids=lambda words: " ".join(words)[:60],
)
def test_unusable_arguments_have_status_2(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    status, out, err = pad(capsys, *arguments)
    assert (status, out) == (2, "")
    assert err.strip()


def test_a_failed_engine_has_status_1_and_leaves_the_old_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object, **more: object) -> bytes:
        raise PrintingFailed(pdf.NO_ENGINE)

    monkeypatch.setattr(pdf, "pdf", fail)
    target = tmp_path / "out.pdf"
    target.write_bytes(b"old")
    status, out, err = pad(capsys, "qwinto", "-o", str(target))
    assert (status, out) == (1, "")
    assert "wkhtmltopdf" in err
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_pages_load_no_engine() -> None:
    """Serving ordinary pages must not cost what printing needs; nor does looking for an engine."""
    test = (
        "import sys, companion.web\n"
        "from companion.pads import pdf\n"
        "pdf.is_possible()\n"
        "print({'pdfkit', 'weasyprint', 'cv2', 'PIL', 'numpy'} & set(sys.modules))"
    )
    command = [sys.executable, "-c", test]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout == "set()\n"
