"""One player's sheet of Kniffel or one of its variants: what dice are worth, faults, the total.

It knows no turn and no other player. What the variants differ in stands in `variants.py`. Readings
where the rules are silent: `docs/rules.md`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Self

from companion.core.refusal import Refusal, Unusable, counted
from companion.core.result import Result
from companion.core.values import Document, is_huge, is_whole
from companion.core.words import N_
from companion.games.kniffel.variants import (
    DICE,
    KNIFFEL,
    USUAL,
    Dice,
    FieldName,
    Variant,
    variant_of,
)

NOT_POSSIBLE: Final = N_("No roll scores %(points)s in this field.")


@dataclass(frozen=True)
class KniffelSheet:
    variant: Variant = USUAL
    # (field, points) of the fields that are filled, from top to bottom; 0 is struck out
    points: tuple[tuple[FieldName, int], ...] = ()
    extra: int = 0  # further five alike that brought extra points each

    @classmethod
    def from_document(cls, document: Mapping[str, object]) -> Self:
        """The sheet of a public sheet document.

        Raises:
            Unusable: `variant` and `jokers` are not those of a variant; a field is neither a whole
                number nor open; `extra` is more than there are other fields.
        """
        variant = variant_of(document)
        points = []
        for field in variant.fields:
            number = document.get(field)
            if number is None:
                continue
            if not is_whole(number) or is_huge(number):
                raise Unusable(f"'{field}' must be the points written there, or null.")
            points.append((field, number))
        return cls(variant, tuple(points), counted(document, "extra", len(variant.fields) - 1))

    def at(self, field: FieldName) -> int | None:
        """The points in a field; None while it is open."""
        return dict(self.points).get(field)

    def is_open(self, field: FieldName) -> bool:
        return self.at(field) is None

    @property
    def is_full(self) -> bool:
        return len(self.points) == len(self.variant.fields)

    def write(self, field: FieldName, points: int, is_extra: bool = False) -> KniffelSheet:
        """The sheet with points in a field. Nothing is checked, see `refusal`."""
        written = {**dict(self.points), field: points}
        in_order = tuple((name, written[name]) for name in self.variant.fields if name in written)
        return replace(self, points=in_order, extra=self.extra + is_extra)

    def document(self) -> Document:
        fields = {field: self.at(field) for field in self.variant.fields}
        return {"sheet": "kniffel", **self.variant.said, **fields, "extra": self.extra}

    def score(self) -> Document:
        written, variant = dict(self.points), self.variant
        upper = sum(written.get(field, 0) for field in variant.upper)
        lower = sum(written.get(field, 0) for field in variant.lower)
        bonus = variant.bonus if upper >= variant.bonus_from else 0
        extra = variant.extra * self.extra
        total = upper + bonus + lower + extra
        return {"upper": upper, "bonus": bonus, "lower": lower, "extra": extra, "total": total}

    def result(self) -> Result:
        """The total; a tie is shared."""
        return Result(self.score()["total"])

    @property
    def first_counts(self) -> bool:
        """Whether the line of five alike has its points, so that a further one may bring extra."""
        return self.at(KNIFFEL) == self.variant.line[KNIFFEL].fixed

    def problems(self) -> tuple[Refusal, ...]:
        """Every fault of a filled-in sheet: all of them, not the first."""
        problems = []
        for field, points in self.points:
            if points not in self.variant.possible[field]:
                values = {"points": points}
                problems.append(Refusal("number-out-of-range", NOT_POSSIBLE, values, (field,)))
        if self.extra and not (self.variant.extra and self.first_counts):
            problems.append(
                Refusal(
                    "extra-without-kniffel",
                    "Another %(name)s gives extra points only if you play with jokers and the "
                    "first one scored %(points)s.",
                    {"name": self.variant.title, "points": self.variant.line[KNIFFEL].fixed},
                    fields=(KNIFFEL,),
                )
            )
        return tuple(problems)


def is_joker(sheet: KniffelSheet, dice: Dice) -> bool:
    """Whether these dice are a further five alike that counts as a joker."""
    is_further = len(set(dice)) == 1 and not sheet.is_open(KNIFFEL)
    return is_further and sheet.variant.further != "any dice"


def brings_extra(sheet: KniffelSheet, dice: Dice) -> bool:
    """Whether these dice bring extra points, whichever field they are written in."""
    return is_joker(sheet, dice) and sheet.first_counts


def worth(sheet: KniffelSheet, field: FieldName, dice: Dice) -> int:
    """The points of five dice in a field of this sheet, without extra points."""
    line = sheet.variant.line[field]
    return (is_joker(sheet, dice) and line.fixed) or line.worth(dice)


def joker_refusal(sheet: KniffelSheet, field: FieldName, dice: Dice) -> Refusal | None:
    """Why a joker may not be written in an open field, or None.

    One that goes "first above" goes to the upper field of its number; if that is taken, to any
    lower field; if those are all taken, it is struck out in an upper one.
    """
    variant = sheet.variant
    if variant.further != "first above":
        return None
    own, name = variant.upper[dice[0] - 1], {"name": variant.title}
    if sheet.is_open(own):
        if field == own:
            return None
        text = N_("Another %(name)s has to go in the upper field of its number first.")
        return Refusal("joker-first", text, name, fields=(own,))
    lower = tuple(filter(sheet.is_open, variant.lower))
    if field in variant.upper and lower:
        text = N_(
            "Another %(name)s cannot be struck out in the upper part while a lower field is free."
        )
        return Refusal("joker-first", text, name, fields=lower)
    return None


def refusal(sheet: KniffelSheet, field: FieldName, dice: Dice) -> Refusal | None:
    """Why these dice may not be written in a field, or None when they may."""
    if not sheet.is_open(field):
        text = N_("This field is already filled.")
        return Refusal("field-taken", text, fields=(field,))
    return joker_refusal(sheet, field, dice) if is_joker(sheet, dice) else None


def typed_refusal(sheet: KniffelSheet, field: FieldName, points: int) -> Refusal | None:
    """Why points that were typed may not be written in a field, or None when they may."""
    if not sheet.is_open(field):
        text = N_("This field is already filled.")
        return Refusal("field-taken", text, fields=(field,))
    if points not in sheet.variant.possible[field]:
        return Refusal("points-impossible", NOT_POSSIBLE, {"points": points}, (field,))
    return None


def may_be_extra(sheet: KniffelSheet, field: FieldName, points: int) -> bool:
    """Whether some further five alike gives these points in the field, and extra ones."""
    for number in range(1, 7):
        dice = (number,) * DICE
        is_right = brings_extra(sheet, dice) and worth(sheet, field, dice) == points
        if is_right and refusal(sheet, field, dice) is None:
            return True
    return False
