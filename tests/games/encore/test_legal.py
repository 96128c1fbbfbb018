"""How many crossings are legal in fixed positions of Encore!: counted once, and by brute force.

They are what perft is for chess programs: no subtle mistake survives them.
"""

from __future__ import annotations

import random

import pytest

from companion.games.encore.boards import BOARDS, COLORS
from companion.games.encore.crossing import crossings, dead_end
from companion.games.encore.dice import COLOR_FACES, NUMBER_FACES, DiceChoice
from companion.games.encore.sheet import EncoreSheet
from lab.oracles.encore import Print, every_crossing
from tests.games.encore.oracle import begin, sensible

COUNTS = (1, 2, 3, 4, 5)


def printed(board: str) -> Print:
    """A board for the brute force: only its colours and stars."""
    return Print(dict(BOARDS[board].colors), BOARDS[board].stars, {}, {})


def played(board: str, moves: int) -> EncoreSheet:
    """A sheet after so many crossings, the same on every run."""
    chance, sheet = random.Random(f"{board} {moves}"), EncoreSheet(board)
    for _ in range(moves):
        ways = [
            way
            for color in COLORS
            for count in COUNTS
            for way in sorted(crossings(sheet, color, [count]), key=sorted)
        ]
        sheet = sheet.cross(sorted(chance.choice(ways)), 0)
    return sheet


POSITIONS = {
    # (board, crossings made): legal crossings of one, two, three, four and five boxes. The first
    # ones by hand: column H of the black board is green, orange, red, blue twice and yellow twice;
    # pairs are G2 H2, H3 I3, H4 G4, H4 H5, H5 G5, H6 H7, H6 I6 and H7 I7.
    ("black", 0): [7, 8, 11, 6, 1],
    ("black", 4): [18, 18, 17, 15, 8],
    ("black", 9): [25, 16, 15, 10, 4],
    ("red", 6): [17, 14, 12, 8, 6],
    ("blue", 6): [25, 21, 22, 14, 9],
    ("green", 6): [16, 14, 12, 10, 3],
    ("orange", 6): [20, 16, 15, 9, 5],
    ("purple", 6): [17, 15, 16, 16, 13],
    ("yellow", 6): [22, 21, 19, 8, 3],
}
every_position = pytest.mark.parametrize(("board", "moves"), POSITIONS)


@every_position
def test_counts_of_legal_crossings(board: str, moves: int) -> None:
    """Compared with every set of one to five open boxes of a colour, judged by the rule text."""
    sheet = played(board, moves)
    counts = [sum(len(crossings(sheet, color, [n])) for color in COLORS) for n in COUNTS]
    assert counts == POSITIONS[board, moves]
    for color in COLORS:
        found = crossings(sheet, color, COUNTS)
        every = every_crossing(printed(board), list(sheet.crossed), color, list(COUNTS))
        assert len(set(found)) == len(found)
        assert set(found) == every


@pytest.mark.parametrize("board", ["black", "green"])
def test_taps_lead_to_the_listed_crossings(board: str) -> None:
    chance = random.Random(board)
    sheet = played(board, 6)
    for _ in range(300):
        color = chance.choice(COLORS)
        allowed = chance.choice([(1,), (2,), (3,), (4,), (5,), COUNTS])
        shape = sorted(chance.choice(sheet.board.shapes(color, chance.choice(COUNTS))))
        boxes = frozenset(chance.sample(shape, chance.randint(0, len(shape))))
        ways = [way for way in crossings(sheet, color, allowed) if boxes <= way]
        refused = dead_end(sheet, color, allowed, boxes)
        assert (refused is None) == bool(ways)
        says_there_is_none = refused is not None and refused.message.startswith(
            ("No ", "There is no")
        )
        assert not (says_there_is_none and crossings(sheet, color, allowed))


def test_the_choices_are_those_with_a_crossing() -> None:
    """`choices` looks at each colour once; here every pair of dice is looked at by itself."""
    chance = random.Random(7)
    for _ in range(20):
        position, referee = begin(("Ada", "Ben"), chance)
        for _ in range(chance.randrange(1, 40)):
            action = sensible(position, referee, chance)
            referee.happens(action)
            position = position.play(action)
            if referee.over:
                break
        every = [
            DiceChoice(color_die, number_die, color)
            for color_die in COLOR_FACES
            for number_die in NUMBER_FACES
            for color in COLORS
        ]
        for player in position.players:
            choices = position.choices(player)
            assert len(set(choices)) == len(choices)
            assert set(choices) == {
                choice for choice in every if position.crossings(player, choice)
            }
