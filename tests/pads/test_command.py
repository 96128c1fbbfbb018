"""`companion pad`: what it prints, writes and refuses, and with which status."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from companion import cli
from companion.pads import pdf, typst, wkhtmltopdf
from lab import pdf as kit


def pad(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = cli.main(["pad", *arguments])
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return status, out, err


def test_the_map_has_the_documented_shape(capsys: pytest.CaptureFixture[str]) -> None:
    """Names may follow one option."""
    names = ("--player", "A", "B", "C", "--player", "D")
    status, out, err = pad(capsys, "qwinto", *names, "--map")
    assert (status, err) == (0, "")
    document = json.loads(out)
    assert document["format"] == "companion-pad/1"
    assert (document["sheet"], document["paper"]) == ("qwinto", "a4")
    assert "board" not in document
    assert [one["page"] for one in document["pads"]] == [1, 1, 1, 2, 2, 2]
    for one in document["pads"]:
        assert len(one["box_mm"]) == 4
        assert len(one["fields"]) == 31
        assert all(len(field["box_mm"]) == 4 for field in one["fields"])


def test_a_board_and_a_paper_can_be_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = pad(capsys, "encore", "--board", "purple", "--paper", "a5", "--map")
    document = json.loads(out)
    assert [document[name] for name in ("sheet", "board", "paper")] == ["encore", "purple", "a5"]


def test_a_pdf_is_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    target = tmp_path / "out.pdf"
    names = ("--player", "Ada", "--player", "Zoë")
    status, out, err = pad(capsys, "qwinto", "-o", str(target), "--copies", "2", *names)
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
    monkeypatch.setattr(wkhtmltopdf, "executable", lambda: None)
    monkeypatch.setattr(typst, "is_installed", lambda: False)
    target = tmp_path / "out.pdf"
    target.write_bytes(b"old")
    status, out, err = pad(capsys, "qwinto", "-o", str(target))
    assert (status, out) == (1, "")
    assert "wkhtmltopdf" in err
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_full_disk_leaves_no_part_of_a_pdf(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(pdf, "pdf", lambda *_: b"x" * 100_000)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        status, _, err = pad(capsys, "qwinto", "-o", str(tmp_path / "out.pdf"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (status, err) == (2, f"{tmp_path}/out.pdf cannot be written: File too large.\n")
    assert list(tmp_path.iterdir()) == []


def test_pages_load_no_engine() -> None:
    """Ordinary pages must not load what printing needs, nor must the search for an engine."""
    test = (
        "import sys, companion.web.app\n"
        "from companion.pads import pdf\n"
        "pdf.is_possible()\n"
        "print({'pdfkit', 'typst', 'cv2', 'PIL', 'numpy'} & set(sys.modules))"
    )
    assert subprocess.check_output([sys.executable, "-c", test], text=True) == "set()\n"
