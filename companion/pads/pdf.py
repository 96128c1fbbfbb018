"""Turns the pages of an order into a PDF with the first engine that is installed."""

from __future__ import annotations

from typing import Final

from companion.core.words import N_
from companion.pads import typst, wkhtmltopdf
from companion.pads.engines import PrintingFailed
from companion.pads.geometry import Printout
from companion.pads.languages import Say, in_english
from companion.pads.page_svg import svg

NO_ENGINE: Final = N_(
    "No program to make PDFs is installed. Install wkhtmltopdf (on Debian and Ubuntu: sudo apt "
    "install wkhtmltopdf). Ready-made pads are in the folder printables."
)


def is_possible() -> bool:
    return wkhtmltopdf.executable() is not None or typst.is_installed()


def pdf(printout: Printout, say: Say = in_english, engine: str | None = None) -> bytes:
    """The pages as a PDF.

    Args:
        engine: the name of an engine, or None for the first that is installed.

    Raises:
        PrintingFailed: no engine is installed, or it failed or hung.
    """
    pages = svg(printout, say)
    if engine != typst.NAME and (program := wkhtmltopdf.executable()):
        return wkhtmltopdf.pdf(pages, printout.page, program)
    if engine != wkhtmltopdf.NAME and typst.is_installed():
        return typst.pdf(pages, printout.page)
    raise PrintingFailed(NO_ENGINE)
