"""One player's sheet of Kniffel or one of its variants: what dice are worth, faults, the total.

It knows no turn and no other player. `variants.py` has the differences of the variants, and
`docs/rules.md` the readings where the rules are silent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

from companion.core.numbers import NumberSheet
from companion.core.refusal import Refusal, counted
from companion.core.values import Document
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

NOT_POSSIBLE: Final = N_("No roll scores %(number)s in this field.")


@dataclass(frozen=True)
class KniffelSheet(NumberSheet):
    NAME = "kniffel"
    OUT_OF_RANGE = NOT_POSSIBLE
    TAKEN = N_("Something stands in this field already.")

    variant: Variant = USUAL
    extra: int = 0  # further five alike that brought extra points each

    @property
    def ranges(self) -> Mapping[FieldName, Sequence[int]]:
        """The points that some dice give in each field; 0 is struck out."""
        return self.variant.possible

    @classmethod
    def from_document(cls, document: Mapping[str, object]) -> Self:
        """The sheet of a public sheet document.

        Raises:
            Unusable: `variant` and `jokers` are not those of a variant; a field is neither a whole
                number nor open; `extra` is more than there are other fields.
        """
        variant = variant_of(document)
        return cls(variant, counted(document, "extra", len(variant.fields) - 1)).read(document)

    def write(self, where: FieldName, number: int, is_extra: bool = False) -> Self:
        """See `NumberSheet.write`."""
        return replace(super().write(where, number), extra=self.extra + is_extra)

    def document(self) -> Document:
        fields = {**self.variant.said, **self.numbers}
        return {"sheet": self.NAME, **fields, "extra": self.extra}

    def score(self) -> Document:
        variant = self.variant
        upper, lower = self.total(variant.upper), self.total(variant.lower)
        bonus = variant.bonus if upper >= variant.bonus_from else 0
        extra = variant.extra * self.extra
        total = upper + bonus + lower + extra
        return {"upper": upper, "bonus": bonus, "lower": lower, "extra": extra, "total": total}

    @property
    def first_counts(self) -> bool:
        """Whether the line of five alike has its points, so that a further one may bring extra."""
        return self.at(KNIFFEL) == self.variant.line[KNIFFEL].fixed

    def problems(self) -> tuple[Refusal, ...]:
        """Every fault of the filled-in sheet, not only the first."""
        problems = list(super().problems())
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
    """Why a joker cannot be written in an open field, or None.

    With "first above", it goes to the upper field of its number; if that is taken, to any lower
    field; if all of those are taken, it is struck out in an upper one.
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
    refused = sheet.taken(field)
    return joker_refusal(sheet, field, dice) if not refused and is_joker(sheet, dice) else refused


def typed_refusal(sheet: KniffelSheet, field: FieldName, points: int) -> Refusal | None:
    """Why points that were typed may not be written in a field, or None when they may."""
    refused = sheet.taken(field)
    if refused or points in sheet.ranges[field]:
        return refused
    return Refusal("points-impossible", NOT_POSSIBLE, {"number": points}, (field,))


def may_be_extra(sheet: KniffelSheet, field: FieldName, points: int) -> bool:
    """Whether a further five alike can give these points in the field, with extra ones."""
    if not brings_extra(sheet, (1,) * DICE):
        return False
    for number in range(1, 7):
        dice = (number,) * DICE
        if worth(sheet, field, dice) == points and refusal(sheet, field, dice) is None:
            return True
    return False
