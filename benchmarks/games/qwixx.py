"""Qwixx sheets as people fill them in: numbers of thrown dice, crossed where few are skipped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from benchmarks.fingers import Hands, TappedTurn, may_write_or_pass
from benchmarks.games import BREAKS_A_RULE, Rng, SheetFilling
from companion.core.sheet import Mark
from companion.core.values import Player
from companion.games.qwixx import sheet as qwixx
from companion.games.qwixx.layout import SHEET


def random_marks(rng: Rng, board: str) -> dict[str, Mark]:
    """The sheet of a player after a random number of throws, their own and the others'."""
    sheet = qwixx.QwixxSheet()
    patience = rng.uniform(0.5, 3.5)
    for _ in range(int(rng.integers(4, 70))):
        if len(sheet.locks) == 2 or qwixx.has_failed(sheet):
            break
        number = int(rng.integers(1, 7, 2).sum())
        ways = sorted(_ways(sheet, number))
        if ways and ways[0][0] + rng.normal(0, 0.4) < patience:
            sheet = sheet.cross(ways[0][1], number)
        elif rng.random() < 0.06:
            sheet = sheet.fail()
    marks = dict(SHEET.marks(sheet))
    if rng.random() < BREAKS_A_RULE:
        # Most often somebody forgets the lock, or crosses it too early.
        row = str(rng.choice(qwixx.COLORS))
        marks[f"{row}.lock"] = not marks.get(f"{row}.lock", False)
    if sheet.failed and rng.random() < 0.04:
        marks |= {f"failed.{number}": False for number in range(1, sheet.failed + 1)}
        boxes = rng.permutation(qwixx.FAILED_ROLLS)[: sheet.failed]
        marks |= {f"failed.{int(box) + 1}": True for box in boxes}
    return marks


def _ways(sheet: qwixx.QwixxSheet, number: int) -> Iterator[tuple[int, str]]:
    """(numbers lost by it, row) for every row in which the number may be crossed."""
    for color, numbers in qwixx.NUMBERS.items():
        if color not in sheet.locks and qwixx.refusal(sheet, color, number) is None:
            row = sheet.row(color)
            first = numbers.index(row[-1]) + 1 if row else 0
            yield numbers.index(number) - first, color


def _is_lost(field: str, drawn: Mark, documented: Mark) -> bool:
    """The document counts failures; it does not say which boxes are crossed."""
    return field.startswith("failed.")


FILLING: Final = SheetFilling(random_marks, is_lost=_is_lost)


def _roll(hands: Hands, player: Player) -> None:
    """Taps the dice that are asked for: the white ones, or all whose rows are open."""
    rows = "#dice .dice-row"
    for row in range(hands.count(player, rows)):
        hands.tap(player, f"#dice .dice-row:nth-child({row + 1}) .die", hands.chance.randrange(6))


def _may_act(hands: Hands, player: Player) -> bool:
    """Whether the player is asked, once the page has closed a step that asks nobody."""
    page = hands.phones[player].page
    page.wait_for_function("() => !document.querySelector('[data-alone]')")
    return may_write_or_pass(hands, player)


OF_ACTIVE: Final = "of the active player"
TURNS: Final = (
    TappedTurn(_roll, "≤ 4", OF_ACTIVE, is_of_active=True, may_act=_may_act),
    TappedTurn(_roll, "≤ 8", f"{OF_ACTIVE}, all dice", is_of_active=True, switched=("all_dice",)),
    TappedTurn(_roll, "≤ 5", "of a turn of two", may_act=_may_act),
)
