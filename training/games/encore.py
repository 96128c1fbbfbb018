"""Random Encore! sheets: boxes crossed at random, with the values and jokers that go with them."""

from __future__ import annotations

from typing import Final

from companion.core.sheet import Field, Mark
from training import Rng
from training.games import SheetTraining


def random_marks(fields: tuple[Field, ...], rng: Rng) -> dict[str, Mark]:
    """A random share of the boxes is crossed, some columns and at most one color completely."""
    boxes = [field for field in fields if field.letter and field.kind == "cross"]
    share = rng.uniform(0.05, 0.75)
    full = {column for column in "ABCDEFGHIJKLMNO" if rng.random() < 0.25}
    color = str(rng.choice(("green", "yellow", "blue", "red", "orange", "none")))
    marks: dict[str, Mark] = {
        box.id: True
        for box in boxes
        if box.id[0] in full or box.color == color or rng.random() < share
    }
    groups = {f"column.{box.id[0]}" for box in boxes} | {f"color.{box.color}" for box in boxes}
    open_groups = {
        group
        for box in boxes
        if box.id not in marks
        for group in (f"column.{box.id[0]}", f"color.{box.color}")
    }
    for group in sorted(groups):
        is_later = rng.random() < 0.5
        if group not in open_groups:
            marks[f"{group}.{'later' if is_later else 'first'}"] = "circled"
        if is_later:
            # Another player was the first to complete the group.
            marks[f"{group}.first"] = "crossed"
    used = int(rng.integers(0, 9))
    return marks | {f"joker.{number}": True for number in range(1, used + 1)}


SHEET: Final = SheetTraining(
    random_marks,
    letters={
        "green": ("G", "V", "Gr", "Z"),
        "yellow": ("G", "A", "Ge", "J"),
        "blue": ("B", "A", "Az", "M"),
        "red": ("R", "R", "Ro", "C"),
        "orange": ("O", "N", "Or", "P"),
    },
    outlined=tuple(f"H{row}" for row in range(1, 8)),
)
