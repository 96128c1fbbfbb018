"""Marks as text in forms, and the marks that a field may hold."""

from __future__ import annotations

from typing import Final

from companion.core.sheet import Field, Mark
from companion.tables import Refused

STATES: Final = ("open", "circled", "crossed")


def is_empty(mark: Mark) -> bool:
    """Whether a mark is that of an empty field; the number 0 is not."""
    return mark is None or mark is False or mark == "open"


def is_same(mark: Mark, other: Mark) -> bool:
    """Whether two marks are the same. Plain `==` says that 1 equals a cross (True)."""
    return mark == other and type(mark) is type(other)


def possible_marks(field: Field) -> tuple[Mark, ...]:
    """The marks to choose from for a field; none for a field whose number is typed."""
    if field.kind == "cross":
        return (True, False)
    if field.kind == "value":
        return STATES
    return (*field.numbers, None) if field.kind == "number" else ()


def parse_mark(field: Field, text: str) -> Mark:
    """The mark in a form's text; raises `Refused` when the field cannot hold it."""
    # A number may lie outside the field's range: that is a problem of the sheet, not of the form
    if field.is_number:
        if not text:
            return None
        digits = text.removeprefix("-") if min(field.numbers) < 0 else text
        if digits.isascii() and digits.isdigit() and len(digits) <= field.most_digits:
            return int(text)
    elif field.kind == "cross" and text in ("true", "false"):
        return text == "true"
    elif field.kind == "value" and text in STATES:
        return text
    raise Refused("bad-tap", why="value")


def mark_text(mark: Mark) -> str:
    """A mark as text in a form, the inverse of `parse_mark`."""
    if isinstance(mark, bool):
        return "true" if mark else "false"
    return "" if mark is None else str(mark)
