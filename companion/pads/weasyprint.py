"""The second engine: WeasyPrint, where there is no wkhtmltopdf: slower, and exact by itself."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from markupsafe import Markup

from companion import children
from companion.pads.engines import limits, run
from companion.pads.page_svg import html
from companion.pads.papers import Page

NAME: Final = "WeasyPrint"
# Base time limit, to which SECONDS_PER_PAGE is added: 0.7 s to start, and 0.1 s a page
SECONDS: Final = 10.0
SECONDS_PER_PAGE: Final = 0.5


@cache
def is_installed() -> bool:
    """Whether the package is there, and the Pango libraries that it needs."""
    if find_spec("weasyprint") is None:
        return False
    test = [sys.executable, "-c", "import weasyprint"]
    try:
        ran = children.run(test, limits(SECONDS), stderr=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return ran.returncode == 0


def document(pages: tuple[Markup, ...], page: Page) -> str:
    """The pages as the engine gets them."""
    size = f"@page {{ size: {page.width}mm {page.height}mm; margin: 0; }}"
    return html(pages, page, 1, 0, size)


def pdf(pages: tuple[Markup, ...], page: Page) -> bytes:
    """The pages as one PDF.

    Raises:
        PrintingFailed: it failed, hung, or made another number of pages.
    """
    worker = Path(__file__).with_name("weasyprint_worker.py")
    # -P: the engine's own folder must not be searched for modules.
    command = [sys.executable, "-P", str(worker), str(len(pages))]
    return run(NAME, command, document(pages, page), SECONDS + SECONDS_PER_PAGE * len(pages))
