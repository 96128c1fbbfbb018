"""Draws the pages of a PDF, scanned or written on a tablet, as photos of their own."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from companion.core.words import N_
from companion.vision.pictures.containers import damaged, refuse

MOST_PAGES: Final = 10  # Pages of a PDF that are read, the first ones
PAGE_SIDE: Final = 3508  # Pixels of a page's longer side, whatever size it claims: A4 at 300 dpi
PAGE_QUALITY: Final = 95  # Quality of a page's JPEG, 0 to 100
HEAD_BYTES: Final = 1024  # Bytes at a file's start that identify a PDF


def is_scan(head: bytes) -> bool:
    """Whether a file that begins like this is a PDF."""
    return head[:HEAD_BYTES].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"%PDF-")


def pages(data: bytes) -> Iterator[tuple[bytes, int]]:
    """Draws the first `MOST_PAGES` pages of a PDF, each when it is asked for.

    PDFium is written in C++, and the file may attack it: call this in a process that has limits,
    and that no other photo is given to afterwards.

    Yields:
        (a JPEG of the page, the number of all pages).

    Raises:
        Unreadable: `locked` or `damaged`.
    """
    import cv2
    from pypdfium2 import PdfDocument, PdfiumError, raw

    try:
        with PdfDocument(data) as document:
            for page in islice(document, MOST_PAGES):
                pixels = page.render(scale=PAGE_SIDE / max(page.get_size())).to_numpy()
                options = [cv2.IMWRITE_JPEG_QUALITY, PAGE_QUALITY]
                yield cv2.imencode(".jpg", pixels, options)[1].tobytes(), len(document)
    except PdfiumError as error:
        if error.err_code == raw.FPDF_ERR_PASSWORD:
            refuse("locked", N_("This PDF has a password. Send it without one, or take photos."))
        raise damaged() from error
