"""Turns a sheaf into a PDF with the first engine that is installed."""

from __future__ import annotations

import contextlib
import math
import os
import tempfile
import time
from pathlib import Path
from typing import Final

from companion.core.words import Sentence
from companion.pads import weasyprint, wkhtmltopdf
from companion.pads.engines import PrintingFailed
from companion.pads.geometry import Sheaf
from companion.pads.page_svg import svg
from companion.pads.saying import Say, in_english

ENGINES: Final = (wkhtmltopdf.NAME, weasyprint.NAME)

NO_ENGINE: Final = Sentence(
    "No program to make PDFs is installed. Install wkhtmltopdf (on Debian and Ubuntu: sudo apt"
    " install wkhtmltopdf) or WeasyPrint (pip install weasyprint). Ready-made pads lie in the"
    " folder printables."
)


def is_possible() -> bool:
    """Whether any engine is installed."""
    return wkhtmltopdf.executable() is not None or weasyprint.is_installed()


def pdf(
    sheaf: Sheaf,
    say: Say = in_english,
    engine: str | None = None,
    seconds: float = math.inf,
) -> bytes:
    """The pages as a PDF.

    Args:
        engine: one of `ENGINES`, or None for the first that is installed; if that fails, the other
            has its try.
        seconds: the limit for all tries together. Each try has a limit of its own besides.

    Raises:
        PrintingFailed: no engine is installed, or it failed or hung.
        ValueError: an engine of another name.
    """
    if engine not in (None, *ENGINES):
        raise ValueError(f"no engine is called {engine!r}; there are: {', '.join(ENGINES)}")
    until = time.monotonic() + seconds
    program = wkhtmltopdf.executable() if engine in (None, wkhtmltopdf.NAME) else None
    if program is not None:
        try:
            return wkhtmltopdf.pdf(svg(sheaf, say), sheaf.page, program, sheaf.frame, until)
        except PrintingFailed:
            if engine is not None or not weasyprint.is_installed():
                raise
    if engine in (None, weasyprint.NAME) and weasyprint.is_installed():
        return weasyprint.pdf(svg(sheaf, say), sheaf.page, until)
    raise PrintingFailed(NO_ENGINE)


def write_whole(path: Path, raw: bytes) -> None:
    """Writes a file whole or not at all; raises `OSError`."""
    target = path.resolve()
    if target.exists() and not target.is_file():
        target.write_bytes(raw)  # a device or a pipe
        return
    handle, name = tempfile.mkstemp(prefix=f".{target.name[:40]}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)
        Path(name).replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
