"""Qwinto sheets as people fill them in: numbers of thrown dice, written where they fit best."""

from __future__ import annotations

from typing import Final

from benchmarks.games import BREAKS_A_RULE, Rng, SheetFilling
from companion.core.sheet import Mark
from companion.games.qwinto import sheet as qwinto


def random_marks(rng: Rng, board: str) -> dict[str, Mark]:
    """The sheet of a player after a random number of turns."""
    sheet = qwinto.QwintoSheet()
    turns = int(rng.integers(6, 60))
    for _ in range(turns):
        if qwinto.is_finished(sheet):
            break
        dice = int(rng.integers(1, 4))
        number = int(rng.integers(1, 7, dice).sum())
        colors = rng.permutation(qwinto.COLORS)[:dice]
        best: tuple[float, str, int] | None = None
        for color in map(str, colors):
            for field in qwinto.open_fields(sheet, color, number):
                off = abs(field - 1 - (number - 1) / 17 * 8 + rng.normal(0, 0.5))
                if best is None or off < best[0]:
                    best = (off, color, field)
        if best and best[0] < rng.uniform(1.5, 4.5):
            sheet = sheet.write(qwinto.ROWS[best[1]][best[2] - 1], number)
        elif rng.random() < 0.3:
            sheet = sheet.fail()
    marks: dict[str, Mark] = {
        f"{color}.{index}": number
        for color in qwinto.COLORS
        for index, number in enumerate(sheet.row(color), start=1)
    }
    written = [name for name, number in marks.items() if number is not None]
    if written and rng.random() < BREAKS_A_RULE:
        marks[str(rng.choice(written))] = int(rng.integers(1, 19))
    failed = list(range(1, 5))
    if rng.random() < 0.04:
        rng.shuffle(failed)
    return marks | {f"failed.{number}": True for number in failed[: sheet.failed]}


def _is_lost(field: str, drawn: Mark, documented: Mark) -> bool:
    """The document counts failures; it does not say which boxes are crossed."""
    return field.startswith("failed.")


FILLING: Final = SheetFilling(random_marks, is_lost=_is_lost)
