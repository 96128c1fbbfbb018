"""Joins the opinions on one field: of several looks, on the digits of a number, of two networks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Final

import numpy.typing as npt

from companion.core.sheet import EMPTY, Field, Kind, Mark
from companion.vision.core import Chances
from companion.vision.evidence import ranked
from companion.vision.ink import sums
from companion.vision.weighing import SLIP_ODDS

CLEAR: Final = 0.9995  # A field that is read with a lower probability is looked at again
FIRST: Final = 0.9  # the exponent of the first network's probabilities in `pooled`
# The exponent of the second one's. Together they are more than 1: two that agree know more.
SECOND: Final = 0.2


def looks_empty(chances: Chances, kind: Kind) -> bool:
    """Whether an empty field is likelier than any other mark."""
    return max(chances, key=lambda mark: chances[mark]) == EMPTY[kind]


def made_unsure(chances: Chances) -> Chances:
    """The probabilities halved, so that the field is unsure and a person checks it."""
    return {mark: chance / 2 for mark, chance in chances.items()}


def mean(looks: Sequence[Chances]) -> Chances:
    """The mean probability of each mark over several looks at a field."""
    marks = dict.fromkeys(chain.from_iterable(looks))
    return {mark: sum(look.get(mark, 0.0) for look in looks) / len(looks) for mark in marks}


def number_chances(digits: Sequence[Chances]) -> Chances:
    """The probabilities of numbers, from those of their digits, one box each.

    Numbers end in the last box. One that ends earlier is never sure, as its last digit may stand
    beside; its probability is halved if the boxes after it are clearly empty, for some people fill
    them from the left, else divided by `SLIP_ODDS`, and so is that of a number with a gap.
    """
    ways = [("", 1.0)]
    for likeliest in (ranked(chances)[:4] for chances in digits):
        ways = [
            (text + (" " if mark is None else str(mark)), chance * part)
            for text, chance in ways
            for mark, part in likeliest
        ]
    together: dict[Mark, float] = {}
    for text, chance in ways:
        after = digits[len(text.rstrip()) :] if text.strip() else ()
        factor = 1.0
        if after:
            is_clear = all(chances.get(None, 0.0) >= CLEAR for chances in after)
            factor /= 2 if is_clear else SLIP_ODDS
        if " " in text.strip():
            factor /= SLIP_ODDS
        number = int(text.replace(" ", "")) if text.strip() else None
        together[number] = together.get(number, 0.0) + chance * factor
    return together


def pooled(
    first: Chances,
    second: Chances,
    numbers: range,
    exponents: tuple[float, float] = (FIRST, SECOND),
) -> Chances:
    """The opinions of two networks on the same field, joined into one.

    Logarithmic pooling: the probabilities, at least `sums.LEAST`, are multiplied, with exponents.

    Args:
        second: also of numbers that the field cannot hold, which are unreadable there.
    """
    marks = [*first, *(mark for mark in second if mark not in first and mark in numbers)]
    parts = dict.fromkeys(marks, 1.0)
    unreadable = 1.0
    for opinion, exponent in zip((first, second), exponents, strict=True):
        chances = {mark: opinion.get(mark, 0.0) for mark in marks}
        for mark, chance in chances.items():
            parts[mark] *= max(chance, sums.LEAST) ** exponent
        unreadable *= max(1 - sum(chances.values()), sums.LEAST) ** exponent
    whole = sum(parts.values()) + unreadable
    return {mark: part / whole for mark, part in parts.items()}


def second_opinions(
    picture: npt.NDArray[Any],
    fields: Iterable[Field],
    found: Mapping[str, Chances],
    of_empty: bool = False,
) -> Mapping[str, Chances]:
    """Unclear number fields, with what the network for sums says of them added.

    It has seen the same writers in other pictures, and makes other mistakes.

    Args:
        picture: as for `sums.read`.
        found: field id → the probabilities of its marks so far.
        of_empty: whether fields that are probably empty are looked at, too.
    """
    unclear = {
        field.id: field
        for field in fields
        if field.numbers
        and field.id in found
        and max(found[field.id].values(), default=0.0) < CLEAR
        and (of_empty or not looks_empty(found[field.id], field.kind))
    }
    seen = sums.read(picture, {name: field.box for name, field in unclear.items()})
    return {
        name: pooled(found[name], chances, unclear[name].numbers) for name, chances in seen.items()
    }
