"""The first engine: pdfkit with wkhtmltopdf, made exact to a hundredth of a millimetre.

wkhtmltopdf draws a millimetre of CSS shorter than it is, by a factor that depends on the paper and
on nothing that can be set. So the page is drawn larger by the same factor.
"""

from __future__ import annotations

import math
import re
import secrets
import shutil
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from markupsafe import Markup

from companion.core.sheet import Box, Millimetres
from companion.core.words import N_, Sentence
from companion.pads.check import first_line_box, largest_offset
from companion.pads.engines import DEAD_PROXY, PrintingFailed, WrongSize, run, seconds_left
from companion.pads.page_svg import html
from companion.pads.papers import Page

NAME: Final = "wkhtmltopdf"
SECONDS: Final = 5.0
"""The limit of a run. A page takes 0.1 s and 30 pages less than 1 s, so a longer run hangs."""
SECONDS_PER_PAGE: Final = 0.1
CSS_DPI: Final = 96
POINTS: Final = 72
MM: Final = 25.4
CLIP: Final[Millimetres] = 1.0
"""How much narrower and lower than the page its box is.

A box as high as the page would make a second, empty page; a box that is a pixel too wide would
shrink the whole page, by 0.15 mm on A4.
"""

TOLERANCE: Final[Millimetres] = 0.05
"""How far off a print in true size may be."""
MOST_OFF: Final = 3.0
"""The factor of the true size beyond which a build is given no second try."""

_PAGE: Final = re.compile(rb"/Type\s*/Page\b(?!s)")


def executable() -> str | None:
    """The program's path, or None where it is not installed."""
    return shutil.which(NAME) if find_spec("pdfkit") else None


def factor(page: Page) -> float:
    """How much larger a page must be drawn to come out in its true size.

    Qt lays the page out in whole CSS pixels: `wide` of them are the paper's whole points, and it
    fits int(1.25 · wide) of the screen's into them. Measured: 0.003 mm off at the worst.
    """
    wide = round(round(page.width / MM * POINTS) * CSS_DPI / POINTS)
    return int(1.25 * wide) / wide


measured_factors: dict[tuple[str, Page], float] = {}
"""Program and paper → the factor that its own print has shown to be right."""


def pdf(
    pages: tuple[Markup, ...],
    page: Page,
    program: str,
    frame: Box | None = None,
    until: float = math.inf,
) -> bytes:
    """The pages as one PDF.

    Args:
        frame: where the box around the first line must come out. A build that prints it
            elsewhere is given a second try with a corrected factor. None checks nothing.
        until: the monotonic clock's time when both tries must be over.

    Raises:
        PrintingFailed: the program failed, hung, or made another number of pages.
        WrongSize: it prints in another size in spite of all, or nobody can tell in which.
    """
    scale = measured_factors.get((program, page), factor(page))
    raw = _printed(pages, page, program, scale, until)
    if frame is None:
        return raw
    found = _first_line_box(raw)
    if largest_offset(found, frame) <= TOLERANCE:
        return raw
    if not 1 / MOST_OFF < found.width / frame.width < MOST_OFF:
        raise _wrong_size()
    scale *= frame.width / found.width
    raw = _printed(pages, page, program, scale, until)
    if largest_offset(_first_line_box(raw), frame) > TOLERANCE:
        raise _wrong_size()
    measured_factors[program, page] = scale
    return raw


def _first_line_box(raw: bytes) -> Box:
    """The result of `check.first_line_box`; raises `WrongSize` if the box cannot be read."""
    found = first_line_box(raw)
    if found is None:
        text = N_("Whether this build of %(engine)s prints in true size cannot be told.")
        raise WrongSize(Sentence(text, {"engine": NAME}))
    return found


def _wrong_size() -> WrongSize:
    text = N_("This build of %(engine)s does not print in true size.")
    return WrongSize(Sentence(text, {"engine": NAME}))


def _printed(
    pages: tuple[Markup, ...], page: Page, program: str, scale: float, until: float
) -> bytes:
    document = html(pages, page, scale, CLIP, "")
    with tempfile.TemporaryDirectory(prefix="companion-pads-") as name:
        folder = Path(name)
        made = folder / "pads.pdf"
        seconds = seconds_left(SECONDS + SECONDS_PER_PAGE * len(pages), until)
        run(command(program, page, made), document, folder, seconds, NAME)
        raw = made.read_bytes() if made.exists() else b""
    if not raw.startswith(b"%PDF") or len(_PAGE.findall(raw)) != len(pages):
        text = N_("%(engine)s made something else than the pages it was given.")
        raise PrintingFailed(Sentence(text, {"engine": NAME}))
    return raw


def command(program: str, page: Page, made: Path) -> list[str]:
    """The command line, from pdfkit.

    pdfkit itself would run it without a time limit. It also turns `<meta name="pdfkit-…">` in a
    page into options (CVE-2025-26240); so it never sees the page, and looks for a random word.
    """
    from pdfkit import PDFKit, configuration

    options = {
        "margin-top": "0mm",
        "margin-right": "0mm",
        "margin-bottom": "0mm",
        "margin-left": "0mm",
        "page-width": f"{page.width}mm",
        "page-height": f"{page.height}mm",
        "encoding": "utf-8",
        "disable-javascript": "",
        "disable-local-file-access": "",
        "disable-plugins": "",
        "disable-external-links": "",
        "no-outline": "",
        "proxy": DEAD_PROXY,
        "javascript-delay": "1",
    }
    settings = configuration(wkhtmltopdf=program, meta_tag_prefix=secrets.token_hex(16))
    words: list[str] = PDFKit("", "string", options=options, configuration=settings).command(
        str(made)
    )
    return words
