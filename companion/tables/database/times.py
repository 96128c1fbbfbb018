"""Moments as the database keeps them: whole milliseconds since 1970, in UTC."""

from __future__ import annotations

from datetime import UTC, datetime


def from_milliseconds(milliseconds: int) -> datetime:
    """The moment, aware and in UTC."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def to_milliseconds(moment: datetime) -> int:
    """An aware moment, rounded to whole milliseconds.

    Raises:
        OverflowError, ValueError: it is too far from 1970 for this computer.
    """
    return round(moment.timestamp() * 1000)
