"""What people write on their sheets: plausible games, now and then with a broken rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from companion.core.sheet import Mark, Sheet
from companion.core.values import Document
from companion.games.catalog import SHEETS
from companion.games.encore.boards import (
    BOARDS,
    BOXES,
    BY_COLUMN,
    COLORS,
    COLUMNS,
    JOKERS,
    NEIGHBORS,
    START_COLUMN,
)
from companion.games.qwinto import sheet as qwinto

BREAKS_A_RULE: Final = 0.03
"""The share of sheets with a mistake of the player in them."""


@dataclass(frozen=True)
class Filled:
    """A sheet as somebody filled it in."""

    sheet: Sheet
    board: str
    marks: Mapping[str, Mark]
    """Every field of the printed pad → what is drawn there."""

    @property
    def document(self) -> Document:
        return self.sheet.document(self.board, self.marks)

    @property
    def total(self) -> int:
        score = self.sheet.score(self.document)
        return int(score["total"])


def filled(kind: str, rng: np.random.Generator) -> Filled:
    """A random sheet of a kind: `qwinto`, `encore`, `encore:red` or `tally`."""
    name, _, board = kind.partition(":")
    sheet = SHEETS[name]
    board = board or (str(rng.choice(sheet.boards)) if sheet.boards else "")
    marks = {"qwinto": _qwinto, "encore": _encore, "tally": _tally}[name](rng, board)
    empty: dict[str, Mark] = {
        field.id: {"number": None, "digits": None, "cross": False, "value": "open"}[field.kind]
        for field in sheet.paper(board).fields
    }
    if unknown := set(marks) - set(empty):
        raise ValueError(f"no such fields: {unknown}")
    whole = Filled(sheet, board, empty | marks)
    _verify(whole)
    return whole


def _verify(one: Filled) -> None:
    """The document says the same as the marks, but for values crossed out because of others."""
    said = one.sheet.marks(one.document)
    for name, mark in one.marks.items():
        told = said.get(name)
        if isinstance(mark, bool):
            told = bool(told)
        elif isinstance(mark, str):
            told = told or "open"
            if mark == "crossed" and told == "open":
                continue
        counted = name.startswith(("failed.", "joker."))
        if mark != told and not counted and not (mark == "circled" and name.endswith(".later")):
            raise AssertionError(f"{name}: drawn {mark}, said {told}")


def _qwinto(rng: np.random.Generator, board: str) -> dict[str, Mark]:
    sheet = qwinto.Sheet()
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
            sheet = sheet.write(best[1], best[2], number)
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
    marks |= {f"failed.{number}": True for number in failed[: sheet.failed]}
    return marks


def _encore(rng: np.random.Generator, name: str) -> dict[str, Mark]:
    board = BOARDS[name]
    crossed: set[str] = set()
    focus = rng.normal(7, 3)
    for _ in range(int(rng.integers(4, 38))):
        color = str(rng.choice(COLORS))
        free = [
            box
            for box in BOXES
            if board.colors[box] == color
            and box not in crossed
            and (box[0] == START_COLUMN or any(one in crossed for one in NEIGHBORS[box]))
        ]
        if not free:
            continue
        weights = np.exp([-abs(COLUMNS.index(box[0]) - focus) / 4 for box in free])
        move = [str(rng.choice(free, p=weights / weights.sum()))]
        wanted = int(rng.integers(1, 6))
        while len(move) < wanted:
            around = {
                box
                for one in move
                for box in NEIGHBORS[one]
                if board.colors[box] == color and box not in crossed and box not in move
            }
            if not around:
                break
            move.append(str(rng.choice(sorted(around))))
        crossed |= set(move)
    slip = rng.random() < BREAKS_A_RULE
    if slip and rng.random() < 0.4:
        crossed.add(str(rng.choice(BOXES)))
    marks: dict[str, Mark] = dict.fromkeys(sorted(crossed), True)
    used = min(int(rng.binomial(JOKERS, rng.uniform(0.1, 1.0))), JOKERS)
    marks |= {f"joker.{number}": True for number in range(1, used + 1)}
    progress = len(crossed) / len(BOXES)
    groups = [(f"column.{one}", BY_COLUMN[one]) for one in COLUMNS]
    groups += [(f"color.{one}", board.by_color[one]) for one in COLORS]
    for group, boxes in groups:
        full = boxes <= crossed
        if slip and rng.random() < 0.05:
            full = not full
        is_color = group.startswith("color")
        away = abs(COLUMNS.index(group[-1]) - 7) if not is_color else 9
        taken = rng.random() < progress * (0.85 - 0.06 * away)
        if taken:
            marks[f"{group}.first"] = "crossed"
        if full:
            marks[f"{group}.{'later' if taken else 'first'}"] = "circled"
    return marks


def _tally(rng: np.random.Generator, board: str) -> dict[str, Mark]:
    players = int(rng.integers(2, 7))
    rounds = int(rng.integers(1, 9))
    high = rng.uniform(8, 40)
    marks: dict[str, Mark] = {}
    for number in range(1, rounds + 1):
        for place in range(1, players + 1):
            took = 0 if rng.random() < 0.15 else round(float(rng.gamma(1.6, high / 2)))
            marks[f"round.{number}.player.{place}"] = min(took, 108)
    if rng.random() < BREAKS_A_RULE:
        marks[str(rng.choice(sorted(marks)))] = int(rng.integers(109, 400))
    if rounds > 1 and rng.random() < 0.1:
        # A round that is still going on.
        for place in range(1, players + 1):
            if rng.random() < 0.5:
                marks[f"round.{rounds}.player.{place}"] = None
    return marks
