"""Fixtures of the printing tests: engines that may take as long as a busy machine needs."""

from __future__ import annotations

from companion.pads import typst, wkhtmltopdf
from lab.patience import PATIENCE

# Here and not in a fixture: whether an engine is there is asked when the tests are collected.
for limited in (wkhtmltopdf, typst):
    limited.SECONDS = PATIENCE  # type: ignore[attr-defined]
