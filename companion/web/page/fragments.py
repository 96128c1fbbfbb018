"""Telling requests for a part of a page from those for a whole page, by htmx's headers."""

from __future__ import annotations

from typing import Final

from flask_htmx import HTMX

htmx: Final = HTMX()
"""The extension; it is true in a request that htmx made."""


def is_fragment() -> bool:
    """Whether htmx makes the request, to put the answer into the present page."""
    return bool(htmx)
