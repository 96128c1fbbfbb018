"""Encore! sheets as people fill them in."""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np

from benchmarks.fingers import PASS, Hands, TappedTurn
from benchmarks.games import BREAKS_A_RULE, Rng, SheetFilling
from companion.core.sheet import Mark
from companion.core.values import Player
from companion.games.encore.boards import (
    BOARDS,
    BOXES,
    BY_COLUMN,
    COLORS,
    COLUMNS,
    JOKERS,
    NEIGHBORS,
    START_COLUMN,
    Board,
)
from companion.games.encore.dice import COLOR_FACES, NUMBER_FACES


def random_marks(rng: Rng, name: str) -> dict[str, Mark]:
    """The sheet of a player after a random number of crossings; `name` is the board's."""
    board = BOARDS[name]
    crossed = _random_crosses(rng, board)
    slip = rng.random() < BREAKS_A_RULE
    if slip and rng.random() < 0.4:
        crossed.add(str(rng.choice(BOXES)))
    marks: dict[str, Mark] = dict.fromkeys(sorted(crossed), True)
    used = min(int(rng.binomial(JOKERS, rng.uniform(0.1, 1.0))), JOKERS)
    marks |= {f"joker.{number}": True for number in range(1, used + 1)}
    progress = len(crossed) / len(BOXES)
    groups = [(f"column.{column}", BY_COLUMN[column]) for column in COLUMNS]
    groups += [(f"color.{color}", board.by_color[color]) for color in COLORS]
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


def _random_crosses(rng: Rng, board: Board) -> set[str]:
    """The boxes that are crossed after 4 to 37 legal crossings around a random column."""
    crossed: set[str] = set()
    focus = rng.normal(7, 3)
    for _ in range(int(rng.integers(4, 38))):
        color = str(rng.choice(COLORS))
        free = [
            box
            for box in BOXES
            if board.colors[box] == color
            and box not in crossed
            and (box[0] == START_COLUMN or any(near in crossed for near in NEIGHBORS[box]))
        ]
        if not free:
            continue
        weights = np.exp([-abs(COLUMNS.index(box[0]) - focus) / 4 for box in free])
        move = [str(rng.choice(free, p=weights / weights.sum()))]
        wanted = int(rng.integers(1, 6))
        while len(move) < wanted:
            around = {
                near
                for box in move
                for near in NEIGHBORS[box]
                if board.colors[near] == color and near not in crossed and near not in move
            }
            if not around:
                break
            move.append(str(rng.choice(sorted(around))))
        crossed |= set(move)
    return crossed


def _is_lost(field: str, drawn: Mark, documented: Mark) -> bool:
    """The document counts jokers and holds no value that another player was the first to take."""
    return (
        field.startswith("joker.")
        or (drawn == "crossed" and documented == "open")
        or (drawn == "circled" and field.endswith(".later"))
    )


FILLING: Final = SheetFilling(random_marks, is_lost=_is_lost)


# Tapped in a browser

CHOICE: Final = ".player.selected .encore-picker"


def _roll(hands: Hands, player: Player) -> None:
    for part in ("colors.+", "numbers.+"):
        for _ in range(3):
            hands.tap_any(player, f'#dice [data-part="{part}"]')


def _tell_nothing(hands: Hands, player: Player) -> None:
    """The first crossing says that the dice are rolled."""


def _may_act(hands: Hands, player: Player) -> bool:
    return bool(hands.count(player, CHOICE) or hands.count(player, PASS))


def _cross_or_pass(hands: Hands, player: Player) -> None:
    """Draws a finger over the largest group that the dice allow, entered or not, else passes."""
    sets = []
    if hands.count(player, CHOICE):
        sets = hands.value(player, CHOICE, "picker => JSON.parse(picker.dataset.sets)")
    if hands.count(player, f"{CHOICE} .jokers"):
        dice = hands.chance.choices(COLOR_FACES, k=3), hands.chance.choices(NUMBER_FACES, k=3)
        whens = [(one, one["when"]) for one in sets]
        sets = [
            one
            for one, when in whens
            if when["color_die"] in dice[0] and when["number_die"] in dice[1]
        ]
    if not sets:
        hands.tap(player, PASS)
        return
    chosen = max(sets, key=lambda one: (max(map(len, one["sets"])), hands.chance.random()))
    when, boxes = chosen["when"], max(chosen["sets"], key=len)
    for part in ("color_die", "number_die"):
        if when[part] == "joker":
            hands.tap(player, f'{CHOICE} [data-part="{part}"][data-value="joker"]')
    fields = [f'.player.selected [data-f="{box}"]' for box in boxes]
    if len(boxes) > 1:
        hands.stroke(player, fields)
    else:
        hands.tap(player, fields[0])
    if hands.count(player, done := f"{CHOICE} [data-done]:not([hidden])"):
        hands.tap(player, done)


_OF_ACTIVE: Final = partial(TappedTurn, is_of_active=True, may_act=_may_act, act=_cross_or_pass)
TURNS: Final = (
    _OF_ACTIVE(_tell_nothing, "≤ 7, others ≤ 1.5", "of the active player"),
    _OF_ACTIVE(_roll, "≤ 9", "of the active player, all dice", switched=("all_dice",)),
)
