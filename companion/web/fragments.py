"""Whether a request wants a whole page or a part of it, by the headers that htmx sends."""

from __future__ import annotations

from typing import Final

from flask_htmx import HTMX

htmx: Final = HTMX()
"""Is true in a request that htmx made."""


def is_fragment() -> bool:
    """Whether htmx asks, which puts the answer into the page that is there."""
    return bool(htmx)
