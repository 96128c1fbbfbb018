"""The first engine: pdfkit with wkhtmltopdf, made true to size.

wkhtmltopdf draws a millimetre of CSS shorter than it is, by a factor that depends on the paper and
on nothing that can be set. So the page is drawn larger by the same factor.
"""

from __future__ import annotations

import secrets
import shutil
from importlib.util import find_spec
from typing import Final

from markupsafe import Markup

from companion.core.sheet import Millimetres
from companion.core.words import N_
from companion.pads.engines import DEAD_PROXY, PrintingFailed, run
from companion.pads.page_svg import html
from companion.pads.papers import Page

NAME: Final = "wkhtmltopdf"
# The limit of a run. A page takes 0.1 s and 30 pages less than 1 s, so a longer run hangs.
SECONDS: Final = 5.0
SECONDS_PER_PAGE: Final = 0.1
CSS_DPI: Final = 96
POINTS: Final = 72
MM: Final = 25.4
# How much narrower and lower than the page its box is. A box as high as the page would make a
# second, empty page; a box that is a pixel too wide would shrink the whole page, by 0.15 mm on A4.
CLIP: Final[Millimetres] = 1.0


def executable() -> str | None:
    """The program's path, or None if it is not installed."""
    return shutil.which(NAME) if find_spec("pdfkit") else None


def factor(page: Page) -> float:
    """How much larger a page must be drawn to come out in its true size."""
    # WebKit lays it out 1.25 times as wide as the paper's `wide` CSS pixels, in whole ones, and
    # shrinks that to fit (`printingMinimumShrinkFactor` of its PrintContext.cpp). Qt takes `wide`
    # from the paper's whole points. Measured: 0.003 mm off at the worst. By its source a build with
    # patched Qt rounds `wide` otherwise, which is at most 0.05 mm of a pad.
    wide = round(round(page.width / MM * POINTS) * CSS_DPI / POINTS)
    return int(1.25 * wide) / wide


def pdf(pages: tuple[Markup, ...], page: Page, program: str) -> bytes:
    """The pages as one PDF.

    Raises:
        PrintingFailed: the program failed, hung, or made another number of pages, as a build that
            shrinks less does.
    """
    document = html(pages, page, factor(page), CLIP)
    seconds = SECONDS + SECONDS_PER_PAGE * len(pages)
    raw = run(NAME, command(program, page), document, seconds)
    if raw.count(b"/Type /Page\n") != len(pages):
        text = N_("%(engine)s did not produce the pages that it was given.")
        raise PrintingFailed(text, engine=NAME)
    return raw


def command(program: str, page: Page) -> list[str]:
    """The command line, from pdfkit."""
    # pdfkit itself would run it without a time limit. It also turns `<meta name="pdfkit-…">` in a
    # page into options (CVE-2025-26240); so it never sees the page, and looks for a random word.
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
    words: list[str] = PDFKit("", "string", options=options, configuration=settings).command()
    return words
