"""Typing a sheet in, number after number: the keypad, and the numbers that break a rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from companion.core.sheet import Field
from companion.paper.sheets import ReviewSheet


@dataclass(frozen=True)
class Keypad:
    """The keys beside a sheet that is typed in."""

    numbers: tuple[int, ...]
    """A key each; empty for a keypad of digits."""
    highest: int
    """The highest number of a keypad of digits."""


def keypad(sheet: ReviewSheet) -> Keypad | None:
    """The keypad for a drawn sheet; None where nothing is written but crosses."""
    fields = _typed_fields(sheet)
    if not fields:
        return None
    if any(field.kind == "digits" for field in fields):
        return Keypad((), max(max(field.numbers) for field in fields))
    return Keypad(tuple(sorted({number for field in fields for number in field.numbers})), 0)


def stands(sheet: ReviewSheet) -> bool:
    """Whether a drawn sheet stands upright on a phone, as it does at a table.

    The boxes of digits do not fit upright, nor does a sheet of which an upright phone shows a part.
    """
    if sheet.has_picture or sheet.layout.upright_width is not None:
        return False
    return all(field.kind != "digits" for field in sheet.layout.fields)


def impossible_numbers(sheet: ReviewSheet) -> Mapping[str, str]:
    """Empty number field of a drawn sheet → the numbers that would break a rule there."""
    return {
        field.id: " ".join(str(number) for number in field.numbers if _breaks(sheet, field, number))
        for field in _typed_fields(sheet)
        if field.kind == "number" and sheet.marks[field.id] is None
    }


def _typed_fields(sheet: ReviewSheet) -> list[Field]:
    if sheet.has_picture:
        return []
    return [field for field in sheet.fields.values() if field.kind in ("number", "digits")]


def _breaks(sheet: ReviewSheet, field: Field, number: int) -> bool:
    filled = sheet.kind.marked(sheet.board, {**sheet.marks, field.id: number})
    return any(field.id in problem.fields for problem in filled.problems)
