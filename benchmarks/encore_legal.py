"""How long it takes to find all that is legal for one Encore! player and roll.

    python -m benchmarks encore

Random positions on all boards, from the first turn to the last; for each one everything that a
screen asks: the choices of dice, and for each choice the boxes that can be part of a crossing.
The goal is under 5 ms at worst.
"""

from __future__ import annotations

import random
import statistics
from dataclasses import replace
from time import thread_time

from companion.games.encore import GAME
from companion.games.encore.boards import BOARDS, COLORS
from companion.games.encore.crossing import crossings
from companion.games.encore.dice import COLOR_FACES, COUNTS, NUMBER_FACES
from companion.games.encore.rules import Encore
from companion.games.encore.sheet import Sheet

SEED = 20
POSITIONS = 2000


def filled(board: str, moves: int, chance: random.Random) -> Sheet:
    """A sheet after so many random crossings."""
    sheet = Sheet(board)
    for _ in range(moves):
        ways = [way for color in COLORS for way in crossings(sheet, color, COUNTS)]
        if not ways:
            break
        sheet = sheet.cross(sorted(chance.choice(sorted(ways, key=sorted))), 0)
    return sheet


def rolled(chance: random.Random) -> Encore:
    """Two players after a roll; one in four rolls is the worst one, with both jokers."""
    board = chance.choice(list(BOARDS))
    position = GAME.start(("Ada", "Ben"), {"board": board})
    assert isinstance(position, Encore)
    colors, numbers = chance.sample(COLOR_FACES, 3), chance.sample(NUMBER_FACES, 3)
    if chance.random() < 1 / 4:
        colors[0], numbers[0] = "joker", "joker"
    return replace(
        position,
        sheets=(filled(board, chance.randrange(45), chance), position.sheets[1]),
        color_dice=tuple(colors),
        number_dice=tuple(numbers),
    )


def measure(position: Encore) -> float:
    """Milliseconds of the processor for one position, whatever else the machine does."""
    start = thread_time()
    for choice in position.choices("Ada"):
        position.reach("Ada", choice)
    return (thread_time() - start) * 1000


def run(positions: int = POSITIONS) -> None:
    """Prints the worst and the median of all positions."""
    chance = random.Random(SEED)
    for board in BOARDS.values():
        board.shapes("red", 1)  # worked out once in a process
    times = [measure(rolled(chance)) for _ in range(positions)]
    worst, median = max(times), statistics.median(times)
    print(
        f"Encore!, what is legal for one player: {positions} positions,"
        f" worst {worst:.2f} ms, median {median:.2f} ms (aim: worst below 5 ms)"
    )
