"""Whether a request wants a whole page or a part of it, as flask-htmx reads htmx's headers."""

from __future__ import annotations

from typing import Final

from flask_htmx import HTMX

htmx: Final = HTMX()
"""True in a request that htmx made."""


def is_fragment() -> bool:
    """Whether htmx asks, and will put the answer into the page that is there."""
    return bool(htmx)
