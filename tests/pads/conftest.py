"""Fixtures of the printing tests, with long time limits for the engines."""

from __future__ import annotations

from companion.pads import typst, wkhtmltopdf
from lab.patience import PATIENCE

# Not in a fixture, because tests look for an engine when they are collected.
for limited in (wkhtmltopdf, typst):
    limited.SECONDS = PATIENCE  # type: ignore[attr-defined]
