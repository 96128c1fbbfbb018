"""The second engine: Typst, a wheel that comes with the app, for where wkhtmltopdf is missing.

It draws a page's SVG in the page's true size.
"""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from markupsafe import Markup

from companion.fitting import is_known
from companion.folders import FONTS
from companion.pads.engines import run
from companion.pads.papers import Page

NAME: Final = "Typst"
# Base time limit, to which SECONDS_PER_PAGE is added: 0.1 s and 0.01 s a page without other fonts
SECONDS: Final = 10.0
SECONDS_PER_PAGE: Final = 0.1


def is_installed() -> bool:
    return find_spec("typst") is not None


def document(pages: tuple[Markup, ...], page: Page) -> str:
    """The engine's document and the pages that it places, as JSON."""
    size = f"width: {page.width}mm, height: {page.height}mm"
    return json.dumps(
        {
            "document": f"""
                #set document(title: "Companion")
                #set page({size}, margin: 0mm)
                #for page in json(bytes(sys.inputs.pages)) {{
                  image(bytes(page), format: "svg", width: 100%, height: 100%)
                }}""",
            "pages": json.dumps(pages),
        }
    )


def pdf(pages: tuple[Markup, ...], page: Page) -> bytes:
    """The pages as one PDF.

    Raises:
        PrintingFailed: it failed or hung.
    """
    worker = Path(__file__).with_name("typst_worker.py")
    # -P: the engine's own folder must not be searched for modules.
    command = [sys.executable, "-P", str(worker), str(FONTS)]
    # A computer may have thousands of fonts, and opening them all takes seconds.
    if not is_known("".join({*"".join(pages)} - {"\n"})):
        command.append("--system-fonts")
    return run(NAME, command, document(pages, page), SECONDS + SECONDS_PER_PAGE * len(pages))
