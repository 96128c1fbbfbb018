"""The tables that this app serves, for its pages."""

from __future__ import annotations

from flask import current_app

from companion.tables import Tables


def store() -> Tables:
    """The tables that `create_app` was given."""
    tables: Tables = current_app.extensions["tables"]
    return tables
