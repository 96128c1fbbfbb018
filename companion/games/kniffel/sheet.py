"""One player's Kniffel sheet: what dice are worth in a field, what is wrong with it, its total.

It knows no turn and no other player. Readings where the rules are silent: `docs/rules.md`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Self, TypeAlias

from companion.core.refusal import Refusal, Unusable, counted
from companion.core.result import Result
from companion.core.values import Document, is_huge, is_whole
from companion.core.words import N_

FieldName: TypeAlias = str
Dice: TypeAlias = tuple[int, ...]  # Five faces, 1 to 6, as they were named

# The upper fields; the place of a field, from 1, is the number that it counts
UPPER: Final = ("ones", "twos", "threes", "fours", "fives", "sixes")
FULL_HOUSE, KNIFFEL, CHANCE = "full-house", "kniffel", "chance"
# The lower fields that give the same points whatever the dice sum to
FIXED: Final[Mapping[FieldName, int]] = {
    FULL_HOUSE: 25,
    "small-straight": 30,
    "large-straight": 40,
    KNIFFEL: 50,
}
LOWER: Final = ("three-of-a-kind", "four-of-a-kind", *FIXED, CHANCE)
FIELDS: Final = (*UPPER, *LOWER)  # From top to bottom

DICE: Final = 5
BONUS: Final = 35
BONUS_FROM: Final = 63  # Sum of the upper fields that brings the bonus: three of each number
EXTRA: Final = 100  # Points of each further Kniffel, where the table plays with jokers
MOST_EXTRA: Final = len(FIELDS) - 1
NO_JOKERS, FORCED = "none", "forced"
JOKERS: Final = (NO_JOKERS, FORCED)

# The points that dice can give in each field
POSSIBLE: Final[Mapping[FieldName, frozenset[int]]] = {
    **{field: frozenset(range(0, 6 * n, n)) for n, field in enumerate(UPPER, start=1)},
    **dict.fromkeys(LOWER, frozenset({0, *range(5, 31)})),
    **{field: frozenset({0, points}) for field, points in FIXED.items()},
    CHANCE: frozenset(range(5, 31)),
}


@dataclass(frozen=True)
class KniffelSheet:
    jokers: str = NO_JOKERS
    # (field, points) of the fields that are filled, from top to bottom; 0 is struck out
    points: tuple[tuple[FieldName, int], ...] = ()
    extra: int = 0  # Further Kniffels that brought 100 points each

    @classmethod
    def from_document(cls, document: Mapping[str, object]) -> Self:
        """The sheet of a public sheet document.

        Raises:
            Unusable: `jokers` is none of `JOKERS`; a field is neither a whole number nor open;
                `extra` is not 0–12.
        """
        jokers = document.get("jokers", NO_JOKERS)
        if jokers not in JOKERS:
            raise Unusable(f"'jokers' must be one of: {', '.join(JOKERS)}.")
        points = []
        for field in FIELDS:
            number = document.get(field)
            if number is None:
                continue
            if not is_whole(number) or is_huge(number):
                raise Unusable(f"'{field}' must be the points written there, or null.")
            points.append((field, number))
        return cls(str(jokers), tuple(points), counted(document, "extra", MOST_EXTRA))

    def at(self, field: FieldName) -> int | None:
        """The points in a field; None while it is open."""
        return dict(self.points).get(field)

    def is_open(self, field: FieldName) -> bool:
        return self.at(field) is None

    @property
    def is_full(self) -> bool:
        return len(self.points) == len(FIELDS)

    def write(self, field: FieldName, points: int, is_extra: bool = False) -> KniffelSheet:
        """The sheet with points in a field. Nothing is checked, see `refusal`."""
        written = {**dict(self.points), field: points}
        in_order = tuple((name, written[name]) for name in FIELDS if name in written)
        return replace(self, points=in_order, extra=self.extra + is_extra)

    def document(self) -> Document:
        fields = {field: self.at(field) for field in FIELDS}
        return {"sheet": "kniffel", "jokers": self.jokers, **fields, "extra": self.extra}

    def score(self) -> Document:
        written = dict(self.points)
        upper = sum(written.get(field, 0) for field in UPPER)
        lower = sum(written.get(field, 0) for field in LOWER)
        bonus = BONUS if upper >= BONUS_FROM else 0
        extra = EXTRA * self.extra
        total = upper + bonus + lower + extra
        return {"upper": upper, "bonus": bonus, "lower": lower, "extra": extra, "total": total}

    def result(self) -> Result:
        """The total; a tie is shared."""
        return Result(self.score()["total"])

    def problems(self) -> tuple[Refusal, ...]:
        """Every fault of a filled-in sheet: all of them, not the first."""
        text = N_("No dice give %(points)s points in this field.")
        problems = []
        for field, points in self.points:
            if points not in POSSIBLE[field]:
                wrong = Refusal("number-out-of-range", text, {"points": points}, (field,))
                problems.append(wrong)
        if self.extra and (self.jokers == NO_JOKERS or self.at(KNIFFEL) != FIXED[KNIFFEL]):
            problems.append(
                Refusal(
                    "extra-without-kniffel",
                    "A further Kniffel gives extra points only where jokers are played and the"
                    " first one brought 50.",
                    fields=(KNIFFEL,),
                )
            )
        return tuple(problems)


def is_joker(sheet: KniffelSheet, dice: Dice) -> bool:
    """Whether these dice are a further Kniffel that has to be written as a joker."""
    is_further = len(set(dice)) == 1 and not sheet.is_open(KNIFFEL)
    return sheet.jokers == FORCED and is_further


def brings_extra(sheet: KniffelSheet, dice: Dice) -> bool:
    """Whether these dice bring 100 extra points, whichever field they are written in."""
    return is_joker(sheet, dice) and sheet.at(KNIFFEL) == FIXED[KNIFFEL]


def worth(sheet: KniffelSheet, field: FieldName, dice: Dice) -> int:
    """The points of five dice in a field of this sheet, without extra points."""
    if field in UPPER:
        number = UPPER.index(field) + 1
        return number * dice.count(number)
    if field in FIXED:
        is_fit = _fits(field, dice) or is_joker(sheet, dice)
        return FIXED[field] if is_fit else 0
    return sum(dice) if _fits(field, dice) else 0


def _fits(field: FieldName, dice: Dice) -> bool:
    """Whether dice without a joker's right have what a lower field asks for."""
    alike = sorted(Counter(dice).values(), reverse=True)
    if field == FULL_HOUSE:
        return alike == [3, 2]
    if field.endswith("-straight"):
        length = 4 if field == "small-straight" else 5
        starts = range(1, 8 - length)
        return any(set(range(start, start + length)) <= set(dice) for start in starts)
    needed = {"three-of-a-kind": 3, "four-of-a-kind": 4, KNIFFEL: DICE}.get(field, 0)
    return alike[0] >= needed


def joker_refusal(sheet: KniffelSheet, field: FieldName, dice: Dice) -> Refusal | None:
    """Why a joker may not be written in an open field, or None.

    It goes to the upper field of its number; if that is taken, to any lower field; if those are
    all taken, it is struck out in an upper one.
    """
    own = UPPER[dice[0] - 1]
    if sheet.is_open(own):
        if field == own:
            return None
        text = N_("A further Kniffel has to be written in the upper field of its number first.")
        return Refusal("joker-first", text, fields=(own,))
    lower = tuple(name for name in LOWER if sheet.is_open(name))
    if field in UPPER and lower:
        text = N_("A further Kniffel is not struck out above while a lower field is open.")
        return Refusal("joker-first", text, fields=lower)
    return None


def refusal(sheet: KniffelSheet, field: FieldName, dice: Dice) -> Refusal | None:
    """Why these dice may not be written in a field, or None when they may."""
    if not sheet.is_open(field):
        text = N_("Something stands in this field already.")
        return Refusal("field-taken", text, fields=(field,))
    return joker_refusal(sheet, field, dice) if is_joker(sheet, dice) else None


def typed_refusal(sheet: KniffelSheet, field: FieldName, points: int) -> Refusal | None:
    """Why points that were typed may not be written in a field, or None when they may."""
    if not sheet.is_open(field):
        text = N_("Something stands in this field already.")
        return Refusal("field-taken", text, fields=(field,))
    if points not in POSSIBLE[field]:
        text = N_("No dice give %(points)s points in this field.")
        return Refusal("points-impossible", text, {"points": points}, (field,))
    return None


def may_be_extra(sheet: KniffelSheet, field: FieldName, points: int) -> bool:
    """Whether some further Kniffel gives these points in the field, and 100 extra."""
    for number in range(1, 7):
        kniffel = (number,) * DICE
        is_right = brings_extra(sheet, kniffel) and worth(sheet, field, kniffel) == points
        if is_right and refusal(sheet, field, kniffel) is None:
            return True
    return False
