"""The rules of Kniffel and its variants, in short."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from companion.core.guide import END, GOAL, TURN, Chapters, Guide
from companion.core.values import Document, Player
from companion.core.words import Sentence, Word, joined
from companion.games.kniffel.rules import Kniffel
from companion.games.kniffel.sheet import KniffelSheet, is_joker
from companion.games.kniffel.variants import BY_NAME, KNIFFEL, USUAL, Dice, FieldName, Variant

ROLL: Final = Sentence(
    "On your turn, roll all five dice. Then you may roll any of them again, at most twice."
)
WRITE: Final = Sentence(
    "Then write the result on a free line of your sheet. If it fits nowhere, strike a line out: "
    "it scores 0."
)
LAST: Final = Sentence("The game ends when every sheet is full. Whoever has the most points wins.")
STEP_ROLL: Final = Sentence("Roll up to three times, then tap what the dice show.")
STEP_WRITE: Final = Sentence("Each line shows the points that the dice score there.")
STEP_STRIKE: Final = Sentence("Nothing fits: tap the line that you can do without.")

# The dice of a game, line by line; a variant writes those of the lines that it has
EXAMPLE: Final[Mapping[FieldName, Dice]] = {
    "ones": (1, 1, 3, 4, 6),
    "twos": (2, 2, 2, 4, 5),
    "threes": (3, 3, 3, 1, 6),
    "fours": (4, 4, 4, 2, 3),
    "fives": (5, 5, 5, 5, 1),
    "sixes": (6, 6, 6, 2, 3),
    "one-pair": (5, 5, 1, 2, 4),
    "two-pairs": (6, 6, 3, 3, 1),
    "three-of-a-kind": (5, 5, 5, 2, 6),
    "full-house": (3, 3, 3, 5, 5),
    "small-straight": (1, 2, 3, 4, 5),
    "large-straight": (1, 2, 3, 4, 6),
    "chance": (6, 6, 5, 4, 2),
}


def example(variant: Variant) -> Document:
    """A sheet on which the dice of `EXAMPLE` are written."""
    sheet = KniffelSheet(variant)
    for field, dice in EXAMPLE.items():
        if field in variant.line:
            sheet = sheet.write(field, variant.line[field].worth(dice))
    return sheet.document()


def aim(variant: Variant) -> Sentence:
    return Sentence(
        "Fill the %(lines)s lines of your sheet, one each turn, with as many points as you can.",
        {"lines": len(variant.lines)},
    )


def above(variant: Variant) -> Sentence:
    return Sentence(
        "In the upper part, only dice with the line's number count. From %(least)s points "
        "there, you get a bonus of %(bonus)s.",
        {"least": variant.bonus_from, "bonus": variant.bonus},
    )


def below(variant: Variant) -> Sequence[Sentence]:
    """The points of the lower lines."""
    own: list[Word] = []
    every: list[Word] = []
    fixed: list[Sentence] = []
    for line in map(variant.line.__getitem__, variant.lower):
        if line.fixed:
            fixed.append(
                Sentence("%(what)s (%(points)s)", {"what": line.needs, "points": line.fixed})
            )
        else:
            (every if line.gives == "all dice" else own).append(line.title)
    found = []
    if own:
        found.append(Sentence("Only the dice that fit count: %(lines)s.", {"lines": joined(own)}))
    found.append(Sentence("All five dice count: %(lines)s.", {"lines": joined(every)}))
    found.append(Sentence("Always the same points: %(lines)s.", {"lines": joined(fixed)}))
    return found


def jokers(variant: Variant) -> Sequence[Sentence]:
    """The rule for a further five of a kind; empty where it counts as any dice."""
    if variant.further == "any dice":
        return ()
    extra = Sentence(
        "Another %(name)s gives %(extra)s extra points if the first one scored %(points)s.",
        {
            "name": variant.title,
            "extra": variant.extra,
            "points": variant.line[KNIFFEL].fixed,
        },
    )
    if variant.further == "any line":
        return extra, Sentence("It may go on any free line, for full points.")
    return extra, Sentence(
        "It goes on the line of its number; if that is filled, on any lower line, for full points."
    )


def difference(variant: Variant) -> Sentence:
    """The rules that a variant adds to the usual one."""
    parts = [part for part in _points(variant) if part not in _points(USUAL)]
    what = {"name": variant.choice, "what": joined(parts, " ")}
    return Sentence("%(name)s. %(what)s", what)


def _points(variant: Variant) -> Sequence[Sentence]:
    return (above(variant), *below(variant), *jokers(variant))


class KniffelGuide(Guide[Kniffel]):
    """The guide to a variant; without one, to the usual variant and how the others differ."""

    def __init__(self, variant: Variant | None = None) -> None:
        self.variant = variant or USUAL
        self.example = example(self.variant)
        others = [row for row in BY_NAME.values() if row is not USUAL]
        self.others = () if variant else tuple(map(difference, others))

    @property
    def chapters(self) -> Chapters:
        of_game = (
            (GOAL, (aim(self.variant),)),
            (TURN, (ROLL, WRITE)),
            (END, (*_points(self.variant), LAST)),
        )
        return (*of_game, (Sentence("Variants"), self.others)) if self.others else of_game

    def now(self, position: Kniffel, here: Sequence[Player]) -> Sequence[Sentence]:
        if position.over or position.active not in here:
            return ()
        if not position.dice:
            return (ROLL, WRITE)
        if is_joker(position.sheet_of(position.active), position.dice):
            return (*jokers(position.variant), WRITE)
        return (WRITE, above(position.variant), *below(position.variant))

    def step(self, position: Kniffel, here: Sequence[Player]) -> Sentence | None:
        if position.over or position.active not in here:
            return None
        fits = STEP_WRITE if position.scoring_fields else STEP_STRIKE
        return fits if position.dice else STEP_ROLL
