"""The games that are played on a sheet of these lines, a row each: Kniffel, Yahtzee, Yatzy.

A row has all the differences: its lines with what fits and what they give, the bonus, and what a
further five alike counts as. Rules, sheet, pad, reader and guide follow from it.
Sources: `docs/rules.md`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations_with_replacement
from typing import Final, Literal, TypeAlias

from companion.core.refusal import Unusable
from companion.core.words import Word

FieldName: TypeAlias = str
Dice: TypeAlias = tuple[int, ...]  # five faces, 1 to 6, as they were named

DICE: Final = 5
KNIFFEL: Final = "kniffel"  # the field for five of a kind, in every variant
NO_JOKERS, FORCED = "none", "forced"
JOKERS: Final = (NO_JOKERS, FORCED)

# A further five of a kind counts as any dice, as a joker that has to be written in the upper line
# of its number first, or as a joker for any line
Further: TypeAlias = Literal["any dice", "first above", "any line"]


# The dice that make a line; none where they do not fit.


def showing(number: int, dice: Dice) -> Dice:
    """
    >>> showing(5, (5, 1, 5, 2, 2)), showing(6, (5, 1, 5, 2, 2))
    ((5, 5), ())
    """
    return tuple(die for die in dice if die == number)


def alike(count: int, dice: Dice) -> Dice:
    """The highest ones, where several are there.

    >>> alike(2, (3, 3, 3, 5, 5)), alike(3, (3, 3, 3, 5, 5)), alike(4, (3, 3, 3, 5, 5))
    ((5, 5), (3, 3, 3), ())
    """
    faces = [face for face, shown in Counter(dice).items() if shown >= count]
    return (max(faces),) * count if faces else ()


def two_pairs(dice: Dice) -> Dice:
    """Two different pairs.

    >>> two_pairs((3, 3, 3, 5, 5)), two_pairs((3, 3, 3, 3, 5))
    ((3, 3, 5, 5), ())
    """
    faces = sorted(face for face, shown in Counter(dice).items() if shown >= 2)
    return tuple(face for face in faces for _ in range(2)) if len(faces) == 2 else ()


def full_house(dice: Dice) -> Dice:
    """Three alike and two others alike."""
    return dice if sorted(Counter(dice).values()) == [2, 3] else ()


def in_a_row(count: int, dice: Dice) -> Dice:
    """
    >>> in_a_row(4, (2, 3, 4, 5, 5)), in_a_row(4, (1, 2, 3, 5, 6))
    ((2, 3, 4, 5), ())
    """
    for start in range(1, 8 - count):
        row = tuple(range(start, start + count))
        if set(row) <= set(dice):
            return row
    return ()


def exactly(faces: Dice, dice: Dice) -> Dice:
    return faces if tuple(sorted(dice)) == faces else ()


def anything(dice: Dice) -> Dice:
    return dice


@dataclass(frozen=True)
class Line:
    """A line of the sheet."""

    field: FieldName
    title: Word
    made_by: Callable[[Dice], Dice]
    # The points: the sum of the dice that make it, the sum of all dice, or always the same
    gives: Literal["its dice", "all dice"] | int = "its dice"
    needs: Word | None = None  # what fits, where its points are always the same

    @property
    def fixed(self) -> int | None:
        return None if isinstance(self.gives, str) else self.gives

    def worth(self, dice: Dice) -> int:
        """The points of dice that are not a joker."""
        made = self.made_by(dice)
        if not made:
            return 0
        return self.fixed or sum(dice if self.gives == "all dice" else made)


@dataclass(frozen=True, eq=False)
class Variant:
    """One row. Compared and hashed by identity: there is one object of each."""

    name: str  # as documents have it in `variant`
    jokers: str  # as documents have it; unlike `further`, it has no value for a free joker
    title: Word  # the game's name, and that of its line of five alike
    choice: Word  # the variant in words, where it is chosen
    board: str  # the printed pad
    lines: tuple[Line, ...]  # from top to bottom; the first six are the upper ones
    bonus: int = 35
    bonus_from: int = 63  # sum of the upper lines that brings it: three of each number
    further: Further = "any dice"
    extra: int = 0  # points for each further five alike, where the first one counts

    @property
    def said(self) -> dict[str, str]:
        """Its fields in documents, which leave the usual variant out."""
        variant = {} if self.name == USUAL.name else {"variant": self.name}
        return {"jokers": self.jokers, **variant}

    @cached_property
    def upper(self) -> tuple[FieldName, ...]:
        """The upper fields; the place of each, from 1, is the number that it counts."""
        return tuple(line.field for line in self.lines[:6])

    @cached_property
    def lower(self) -> tuple[FieldName, ...]:
        return tuple(line.field for line in self.lines[6:])

    @cached_property
    def fields(self) -> tuple[FieldName, ...]:
        return (*self.upper, *self.lower)

    @cached_property
    def line(self) -> Mapping[FieldName, Line]:
        return {line.field: line for line in self.lines}

    @cached_property
    def possible(self) -> Mapping[FieldName, tuple[int, ...]]:
        """The points that some dice give in each field."""
        every_roll = list(combinations_with_replacement(range(1, 7), DICE))
        return {line.field: tuple(sorted({*map(line.worth, every_roll)})) for line in self.lines}

    @cached_property
    def most_sums(self) -> Mapping[str, int]:
        """Id of a blank for a sum → the most that all lines of a part give."""
        upper, lower = (
            sum(self.possible[field][-1] for field in part) for part in (self.upper, self.lower)
        )
        return {
            "sum.upper": upper,
            "sum.bonus": self.bonus,
            "sum.upper-total": upper + self.bonus,
            "sum.lower": lower,
        }


UPPER: Final = (
    Line("ones", Word("Ones"), partial(showing, 1)),
    Line("twos", Word("Twos"), partial(showing, 2)),
    Line("threes", Word("Threes"), partial(showing, 3)),
    Line("fours", Word("Fours"), partial(showing, 4)),
    Line("fives", Word("Fives"), partial(showing, 5)),
    Line("sixes", Word("Sixes"), partial(showing, 6)),
)
THREE: Final = Word("Three of a kind")
FOUR: Final = Word("Four of a kind")
FULL: Final = Word("Full house")
SMALL: Final = Word("Small straight")
LARGE: Final = Word("Large straight")
CHANCE: Final = Line("chance", Word("Chance"), anything, "all dice")


def _five(title: Word) -> Line:
    return Line(KNIFFEL, title, partial(alike, 5), 50, Word("five alike"))


def _thirteen(title: Word) -> tuple[Line, ...]:
    """The lines of Kniffel and Yahtzee, which differ in the name of the one for five alike."""
    return (
        *UPPER,
        Line("three-of-a-kind", THREE, partial(alike, 3), "all dice"),
        Line("four-of-a-kind", FOUR, partial(alike, 4), "all dice"),
        Line("full-house", FULL, full_house, 25, Word("full house")),
        Line("small-straight", SMALL, partial(in_a_row, 4), 30, Word("four in a row")),
        Line("large-straight", LARGE, partial(in_a_row, 5), 40, Word("five in a row")),
        _five(title),
        CHANCE,
    )


YATZY_TITLE: Final = Word("Yatzy")
YATZY_LINES: Final = (
    *UPPER,
    Line("one-pair", Word("One pair"), partial(alike, 2)),
    Line("two-pairs", Word("Two pairs"), two_pairs),
    Line("three-of-a-kind", THREE, partial(alike, 3)),
    Line("four-of-a-kind", FOUR, partial(alike, 4)),
    Line("small-straight", SMALL, partial(exactly, (1, 2, 3, 4, 5)), 15, Word("1 to 5 in a row")),
    Line("large-straight", LARGE, partial(exactly, (2, 3, 4, 5, 6)), 20, Word("2 to 6 in a row")),
    Line("full-house", FULL, full_house, "all dice"),
    CHANCE,
    _five(YATZY_TITLE),
)

KNIFFEL_TITLE: Final = Word("Kniffel")
YAHTZEE_TITLE: Final = Word("Yahtzee")

# The usual one comes first. No two have the same `name` and `jokers`.
VARIANTS: Final = (
    Variant(
        name="kniffel",
        jokers=NO_JOKERS,
        title=KNIFFEL_TITLE,
        choice=KNIFFEL_TITLE,
        board="kniffel",
        lines=_thirteen(KNIFFEL_TITLE),
    ),
    Variant(
        name="kniffel",
        jokers=FORCED,
        title=KNIFFEL_TITLE,
        choice=KNIFFEL_TITLE,
        board="kniffel",
        lines=_thirteen(KNIFFEL_TITLE),
        further="first above",
        extra=100,
    ),
    Variant(
        name="yahtzee",
        jokers=FORCED,
        title=YAHTZEE_TITLE,
        choice=Word("Yahtzee: jokers, first above"),
        board="kniffel",
        lines=_thirteen(YAHTZEE_TITLE),
        further="first above",
        extra=100,
    ),
    Variant(
        name="yahtzee-free",
        jokers=NO_JOKERS,
        title=YAHTZEE_TITLE,
        choice=Word("Yahtzee: jokers, free choice"),
        board="kniffel",
        lines=_thirteen(YAHTZEE_TITLE),
        further="any line",
        extra=100,
    ),
    Variant(
        name="yatzy",
        jokers=NO_JOKERS,
        title=YATZY_TITLE,
        choice=Word("Yatzy: 15 lines, with pairs"),
        board="yatzy",
        lines=YATZY_LINES,
        bonus=50,
    ),
)
USUAL: Final = VARIANTS[0]

NAMES: Final = tuple(dict.fromkeys(row.name for row in VARIANTS))
BOARDS: Final = tuple(dict.fromkeys(row.board for row in VARIANTS))
# The first one of each
BY_NAME: Final = {name: next(row for row in VARIANTS if row.name == name) for name in NAMES}
BY_BOARD: Final = {board: next(row for row in VARIANTS if row.board == board) for board in BOARDS}


def variant_of(said: Mapping[str, object]) -> Variant:
    """The variant that a document's `variant` and `jokers` mean.

    Without `variant` it is the usual one, as in documents that are older than the others; without
    `jokers`, the first of its name.

    Raises:
        Unusable: one of them is unknown, or they contradict each other.

    >>> variant_of({"jokers": "forced"}).title, variant_of({"variant": "yahtzee"}).jokers
    ('Kniffel', 'forced')
    >>> variant_of({"variant": "yatzy", "jokers": "forced"})
    Traceback (most recent call last):
    companion.core.refusal.Unusable: With 'variant' yatzy, 'jokers' must be: none.
    """
    name, jokers = said.get("variant", USUAL.name), said.get("jokers")
    if name not in NAMES:
        raise Unusable(f"'variant' must be one of: {', '.join(NAMES)}.")
    if "jokers" in said and jokers not in JOKERS:
        raise Unusable(f"'jokers' must be one of: {', '.join(JOKERS)}.")
    named = [row for row in VARIANTS if row.name == name]
    for row in named:
        if jokers in (None, row.jokers):
            return row
    known = " or ".join(row.jokers for row in named)
    raise Unusable(f"With 'variant' {name}, 'jokers' must be: {known}.")
