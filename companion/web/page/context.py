"""The request under way: which tables its app serves, and whether it asks for part of a page."""

from __future__ import annotations

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
