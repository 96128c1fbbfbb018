"""Other limits for a test than the usual ones."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.tables import Tables


def set_limits(monkeypatch: pytest.MonkeyPatch, tables: Tables, **values: int) -> None:
    """Sets limits of open tables until the end of the test."""
    monkeypatch.setattr(tables, "limits", replace(tables.limits, **values))
