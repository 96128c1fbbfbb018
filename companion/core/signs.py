"""A turn in a few letters: its dice or cards, and what it put on a player's sheet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from companion.core.sheet import Field, FilledSheet
from companion.core.words import Word, minus


@dataclass(frozen=True, slots=True)
class Sign:
    """A die, a card or a mark, as small as in a list."""

    text: str | Word
    color: str = "plain"
    shape: Literal["die", "card", "number", "box", "bonus", "gain", "lost", "passed"] = "box"
    ground: str = ""  # the color of a card around the color of its number


PASSED: Final = Sign("–", shape="passed")


def dice(faces: Iterable[tuple[str, int | str]]) -> tuple[Sign, ...]:
    """The signs of dice, from pairs of a color and a face."""
    signs = []
    for color, face in faces:
        signs.append(Sign(face if isinstance(face, str) else str(face), color, "die"))
    return tuple(signs)


def gain(points: int) -> Sign:
    return Sign(f"+{points}", shape="gain") if points > 0 else Sign(minus(points), shape="lost")


def brought(before: FilledSheet, after: FilledSheet) -> tuple[Sign, ...]:
    """The marks and bonuses that a sheet has gained; boxes without a number are counted."""
    signs: list[Sign] = []
    boxes: Counter[str] = Counter()
    for field in after.layout.fields:
        mark = after.marks.get(field.id)
        # A 0 in a field of points is a mark.
        is_open = mark is None or mark is False or mark == "open"
        if is_open or mark == before.marks.get(field.id):
            continue
        if field.kind == "cross" and not field.print:
            boxes[field.color] += field.symbol != "lock"
        else:
            signs.append(_sign(field, mark))
    counted = [Sign(f"×{count}", color) for color, count in boxes.items() if count]
    known = {"", *(term.won_at for term in before.terms)}
    won = [term for term in after.terms if term.won_at not in known]
    bonuses = [Sign(f"★{term.points}", term.color, "bonus") for term in won]
    return (*counted, *signs, *bonuses)


def _sign(field: Field, mark: object) -> Sign:
    if field.kind == "value":
        return Sign(f"★{field.print}", field.color, "bonus")
    if field.kind != "cross":
        return Sign(minus(str(mark)), field.color, "number")
    is_lost = field.print.startswith("−")
    return Sign(field.print, field.color, "lost" if is_lost else "box")
