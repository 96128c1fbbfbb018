"""Other limits for a test than the usual ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from companion.tables import Tables


def set_limits(monkeypatch: pytest.MonkeyPatch, tables: Tables, **values: Any) -> None:
    """Sets limits of open tables until the end of the test."""
    monkeypatch.setattr(tables.limiter, "limits", replace(tables.limits, **values))
