"""Joins several opinions on one field into one.

Opinions are probabilities of marks (`Chances`). A field may be looked at several times (`mean`), it
may have a box for each digit (`number_chances`), and a second network may know it, too (`pooled`).
"""

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
# The exponents of the first and the second network's probabilities in `pooled`. Together they are
# more than 1: two that agree know more than one.
FIRST, SECOND = 0.8, 0.4
# The same for numbers in round fields, of which the second network has learned none
ROUND: Final = (1.0, 0.2)
# The exponent of the mean over several looks in `sharpened`, chosen on photos of writers who are
# reserved for that: of 1,599 unclear points 44 were wrong, 78 expected without it and 47 with it.
SHARPER: Final = 1.4
# How many times less likely a number of points is for each stroke as high as a digit that would be
# none of its digits: the network overlooks ones, which may be a part of the outline
OVERLOOKED: Final = 20.0
LIKELIEST: Final = 4  # How many readings of each digit are joined to numbers


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


def sharpened(chances: Chances) -> Chances:
    """The mean over several looks, made as sure as it is right: each look errs in its own way."""
    return pooled(chances, {}, range(0), (SHARPER, 0.0))


def with_strokes(chances: Chances, strokes: int) -> Chances:
    """The probabilities of a field's numbers, less for those with fewer digits than strokes.

    Args:
        strokes: how many of them are as high as digits.
    """
    parts: dict[Mark, float] = {}
    for mark, chance in chances.items():
        digits = 0 if mark is None else len(str(mark))
        parts[mark] = chance / OVERLOOKED ** max(strokes - digits, 0)
    whole = sum(parts.values()) + max(1 - sum(chances.values()), 0.0)
    return {mark: part / whole for mark, part in parts.items()}


def number_chances(digits: Sequence[Chances]) -> Chances:
    """The probabilities of numbers, from those of their digits, one box each.

    For example, three boxes with nothing, a 1 (0.9) or 7 (0.1), and a 4 hold 14 (0.9) or 74 (0.1).

    Numbers end in the last box. One that ends earlier is never sure, as its last digit may stand
    beside; its probability is halved if the boxes after it are clearly empty, for some people fill
    them from the left, else divided by `SLIP_ODDS`, and so is that of a number with a gap.
    """
    # (a character for each box, a space where it is empty; the probability) of each reading
    texts = [("", 1.0)]
    for likeliest in (ranked(chances)[:LIKELIEST] for chances in digits):
        longer = []
        for text, chance in texts:
            for mark, part in likeliest:
                longer.append((text + (" " if mark is None else str(mark)), chance * part))
        texts = longer
    numbers: dict[Mark, float] = {}
    for text, chance in texts:
        number = int(text.replace(" ", "")) if text.strip() else None
        numbers[number] = numbers.get(number, 0.0) + chance * _factor_of_gaps(text, digits)
    return numbers


def _factor_of_gaps(text: str, digits: Sequence[Chances]) -> float:
    """The factor on a reading's probability for empty boxes after its digits or between them."""
    factor = 1.0
    after = digits[len(text.rstrip()) :] if text.strip() else ()
    if after:
        is_clear = all(chances.get(None, 0.0) >= CLEAR for chances in after)
        factor /= 2 if is_clear else SLIP_ODDS
    if " " in text.strip():
        factor /= SLIP_ODDS
    return factor


def pooled(
    first: Chances,
    second: Chances,
    numbers: range,
    exponents: tuple[float, float] = (FIRST, SECOND),
) -> Chances:
    """The opinions of two networks on the same field, joined into one.

    Logarithmic pooling: p(mark) is proportional to first(mark) ** 0.8 · second(mark) ** 0.4, and so
    is the probability that the ink is unreadable. All of them count as at least `sums.LEAST`.

    Args:
        second: may have numbers that the field cannot hold; they count as unreadable ink.
        numbers: those that the field can hold.
        exponents: other ones than 0.8 and 0.4.
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
) -> Mapping[str, Chances]:
    """Field id → `found`, joined with the opinion of the network for sums, for unclear numbers.

    That network has seen the same writers in other pictures, and makes other mistakes. It is asked
    about fields that are probably empty, too: a slashed 0 looks struck out.

    Args:
        picture: as for `sums.read`.
        found: field id → the probabilities of its marks so far.
    """
    unclear = {
        field.id: field
        for field in fields
        if field.numbers
        and field.id in found
        and max(found[field.id].values(), default=0.0) < CLEAR
    }
    second = sums.read(picture, {name: field.box for name, field in unclear.items()})
    joined = {}
    for name, chances in second.items():
        field = unclear[name]
        exponents = ROUND if field.kind == "number" else (FIRST, SECOND)
        joined[name] = pooled(found[name], chances, field.numbers, exponents)
    return joined
