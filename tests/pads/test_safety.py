"""Typed text is only ever printed, and an engine can only print."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from markupsafe import Markup

from companion.core.refusal import Unusable
from companion.fitting import width
from companion.pads import engines, lettering, order, page_svg, pdf, typst, wkhtmltopdf
from companion.pads.engines import PrintingFailed
from companion.pads.papers import PAPERS
from lab import pdf as kit
from lab.patience import until
from tests.pads.test_geometry import pages_of_order
from tests.pads.test_places import ENGINES

HOSTILE = [
    '<meta name="pdfkit-page-size" content="A6">',  # CVE-2025-26240: an option of the command
    "<script>document.write(1)</script>",
    "</text></svg><h1>big</h1>",
    '" onload="x()" a="',
    "&lt;b&gt; &amp; &#60;",
    "%s %(x)s {{ 7 * 7 }} {% if %}",
    "\u05e2\u05d1\u05e8\u05d9\u05ea abc",
    "\u0641\u0627\u0631\u0633\u06cc\u200c\u0647\u0627",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "W" * 60,
    "\u592a\u90ce",
]


@pytest.mark.parametrize("engine", ENGINES)
def test_hostile_names_are_printed_as_text(engine: str) -> None:
    made = pages_of_order(players=HOSTILE)
    raw = pdf.pdf(made, engine=engine)
    assert len(kit.page_sizes(raw)) == len(made.pages) == 4
    width, height = kit.page_sizes(raw)[0]
    assert (width, height) == pytest.approx((210, 297), abs=0.3)
    text = "".join("".join(kit.texts(raw)).split())
    for name in HOSTILE[:6]:
        assert "".join(name.split()) in text
    assert not kit.has_pictures(raw)


@pytest.mark.parametrize(("sheet", "room"), [("qwinto", 62), ("tally", 21.6)])
def test_a_name_stays_in_its_place(sheet: str, room: float) -> None:
    for name in HOSTILE:
        made = pages_of_order(sheet, players=[name])
        ((_, lines),) = lettering.names(made.pages[0][0])
        assert lines
        assert all(width(line.content, line.size) <= room for line in lines)
        whole = page_svg.svg(made)[0]
        assert "<meta" not in whole
        assert "<script" not in whole
        assert "onload" not in whole or "&#34;" in whole


def test_wrong_orders_are_refused() -> None:
    for name in ("", "x" * 61, "Tim\u202egnp", "Tim\nSarah"):
        with pytest.raises(Unusable):
            pages_of_order(players=[name])
    wrong: list[dict[str, object]] = [{"paper": "a3"}, {"paper": "../a4"}, {"board": "black"}]
    wrong += [{"copies": 0}, {"copies": -1}, {"copies": 1001}]
    wrong += [{"players": ["x"] * 101}, {"players": ["x"] * 100, "copies": 100}]
    for one in wrong:
        with pytest.raises(order.BadOrder) as refused:
            pages_of_order(**one)
        assert "%" not in str(refused.value)


# No file and no network


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """A port of this machine, which answers nobody."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        yield listening


@pytest.mark.parametrize("engine", ENGINES)
def test_a_page_fetches_nothing(
    engine: str, listener: socket.socket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Escaping keeps tags out of our pages; should one slip through, it must reach nothing."""
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    monkeypatch.setenv("HTTP_PROXY", address)
    secret = tmp_path / "secret.svg"
    secret.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><text>TOPSECRETWORD</text></svg>'
    )
    drawing = (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
        ' viewBox="0 0 210 297"><text x="9" y="9">page</text>'
        '<image xlink:href="%s" width="9" height="9"/></svg>'
    )
    around = (
        f'<img src="{address}/img.png"><link rel="stylesheet" href="{address}/x.css">'
        f'<style>@import "{address}/i.css"; b {{ background: url({address}/b.png) }}</style>'
        "<b>b</b>"
        f'<iframe src="{secret.as_uri()}"></iframe><img src="{secret.as_uri()}">'
        f'<object data="{secret.as_uri()}" type="text/plain"></object>'
        f'<script>new Image().src = "{address}/js.png"</script>'
    )
    page = PAPERS["a4"]
    for target in (f"{address}/svg.png", secret.as_uri(), str(secret), f"../../../../{secret}"):
        probe = Markup(drawing % target)  # noqa: S704 - hostile on purpose
        raw = b""
        with suppress(PrintingFailed):
            if engine == wkhtmltopdf.NAME:
                program = str(wkhtmltopdf.executable())
                raw = wkhtmltopdf.pdf((probe + Markup(around),), page, program)  # noqa: S704
            else:
                raw = typst.pdf((probe,), page)
        assert "TOPSECRETWORD" not in "".join(kit.texts(raw) if raw else [])
        assert b"TOPSECRETWORD" not in kit.inside(raw)
        assert not kit.has_pictures(raw)
    with pytest.raises(BlockingIOError):
        listener.accept()


def test_a_page_names_no_address() -> None:
    for page in page_svg.svg(pages_of_order(players=["Ada"])):
        assert page.count("http") == 1
        assert 'xmlns="http://www.w3.org/2000/svg"' in page
        for word in ("href", "url(", "<style", "style=", "<image", "<use"):
            assert word not in page


# Engines that hang, fail or are not there


def script(folder: Path, text: str) -> str:
    path = folder / "wkhtmltopdf"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o700)
    return str(path)


def test_a_hung_engine_and_its_child_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wkhtmltopdf, "SECONDS", 0.5)
    child = tmp_path / "child"
    program = script(tmp_path, f"sleep 600 & echo $! > {child}; cat > /dev/null; wait")
    with pytest.raises(PrintingFailed, match="did not answer within"):
        wkhtmltopdf.pdf((Markup("x"),), PAPERS["a4"], program)
    number = int(child.read_text())

    def has_ended() -> bool:
        """Whether the killed child is gone, or waits for its new parent to notice."""
        try:
            return Path(f"/proc/{number}/stat").read_text().split()[2] == "Z"
        except OSError:
            return True

    assert until(has_ended)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("cat > /dev/null; echo no such thing >&2; exit 7", "status 7"),
        ("exit 7", "status 7"),
        ("cat > /dev/null; kill -SEGV $$", "status -11"),
        ("cat > /dev/null; exit 0", "did not produce the pages"),
        ("cat > /dev/null; echo %PDF-1.4", "did not produce the pages"),
        ("cat > /dev/null; echo half; exit 1", "status 1"),
    ],
)
def test_a_failing_engine_says_so_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, says: str
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(work))
    with pytest.raises(PrintingFailed, match=says):
        wkhtmltopdf.pdf((Markup("x"),), PAPERS["a4"], script(tmp_path, text))
    assert list(work.iterdir()) == []
    with pytest.raises(PrintingFailed, match="could not be started"):
        engines.run("nothing", [str(tmp_path / "nothing")], "x", 1)


def test_without_an_engine_there_is_a_clear_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wkhtmltopdf, "executable", lambda: None)
    monkeypatch.setattr(typst, "is_installed", lambda: False)
    assert not pdf.is_possible()
    with pytest.raises(PrintingFailed, match="sudo apt install wkhtmltopdf"):
        pdf.pdf(pages_of_order())


def test_the_second_engine_steps_in_where_the_first_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("typst")
    monkeypatch.setattr(wkhtmltopdf, "executable", lambda: None)
    assert b"Typst" in kit.inside(pdf.pdf(pages_of_order()))


def test_wkhtmltopdf_may_do_nothing_but_print() -> None:
    """Older ones run scripts and read this machine's files unless that is forbidden."""
    pytest.importorskip("pdfkit")
    words = wkhtmltopdf.command(sys.executable, PAPERS["a4"])
    assert {"--disable-javascript", "--disable-local-file-access", "--proxy"} <= set(words)
