"""The request under way: its app's tables, a form's numbers, and whether it asks for a fragment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from flask import current_app
from flask_htmx import HTMX

from companion.tables import Tables

htmx: Final = HTMX()  # The extension; it is true in a request that htmx made


def is_fragment() -> bool:
    """Whether htmx makes the request, to put the answer into the present page."""
    return bool(htmx)


def current_tables() -> Tables:
    """The tables that `create_app` was given."""
    tables: Tables = current_app.extensions["tables"]
    return tables


def form_number(form: Mapping[str, str], name: str) -> int:
    """A number in a form, such as a seat's; -1 if it is not a number."""
    text = form.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else -1
