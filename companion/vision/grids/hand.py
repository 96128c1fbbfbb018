"""One person's digits, compared with each other.

Many cross their sevens and write ones that any network takes for sevens, some of them surely.
Beside crossed sevens they are another group. Whether a digit is a three or a five is seen beside
the same person's clear ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import chain, pairwise
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.sheet import Mark
from companion.vision.core import Chances
from companion.vision.ink import mixture

Floats = npt.NDArray[np.float32]

ALIKE: Final = (1, 7)  # The digits that are compared
# The least probability of both together by which a stroke is one of them, and of one by which it is
# clear
EITHER, CLEAR = 0.9, 0.999
BESIDE: Final = 2.0  # How many usual ones, and usual sevens, count beside the table's
COMPARED: Final = 1.5  # The exponent of what the comparison says
# The logit between ones and sevens where no one is clear: all of them look like sevens; the least
# gap between logits in which it lies instead
LIKE_SEVENS, GAP = 4.5, 3.0
# So many sevens that are not clear, without a one among them, may be ones
MANY: Final = 3
# The probability of a number that only the comparison makes the likeliest: a person is asked,
# unless a sum agrees
OTHERWISE: Final = 0.85
FLOOR: Final = 1e-3  # The least probability that a comparison gives to a digit


def compared(numbers: Sequence[Chances], digits: Sequence[Sequence[Chances]]) -> list[Chances]:
    """The probabilities of one person's numbers, given how all their ones and sevens look.

    Args:
        numbers: the probabilities of each number.
        digits: those of its digits; none where it is not clear how many there are.
    """
    seen: list[tuple[int, int, Chances]] = []
    for number, each in enumerate(digits):
        for place, digit in enumerate(each):
            parts = [digit.get(mark, 0.0) for mark in ALIKE]
            if sum(parts) >= EITHER:
                one, seven = (part / sum(parts) for part in parts)
                seen.append((number, place, {ALIKE[0]: one, ALIKE[1]: seven}))
    alone = [chances for *_, chances in seen]
    one, seven = (max((chances[mark] for chances in alone), default=0.0) for mark in ALIKE)
    if seven < CLEAR:
        # Nothing shows which of the two they are.
        return _doubted(numbers, seen) if one < 0.5 and len(seen) >= MANY else [*numbers]
    beside = mixture.compared(alone, ALIKE[0], BESIDE, 0.0 if one >= CLEAR else _border(alone))
    places: dict[int, dict[int, Chances]] = {}
    for (number, place, _), chances in zip(seen, beside, strict=True):
        places.setdefault(number, {})[place] = chances
    return [
        _likened(chances, len(digits[number]), places[number]) if number in places else chances
        for number, chances in enumerate(numbers)
    ]


def _border(alone: Sequence[Chances]) -> float:
    """The logit between ones and sevens that all look like sevens, but for a crossbar."""
    logits = sorted(
        min(math.log(chances[ALIKE[1]] / max(chances[ALIKE[0]], 1e-9)), mixture.LARGEST)
        for chances in alone
        if chances[ALIKE[1]] > chances[ALIKE[0]]
    )
    gaps = ((above - below, below) for below, above in pairwise(logits))
    gap, below = max(gaps, default=(0.0, 0.0))
    return below + gap / 2 if gap >= GAP else LIKE_SEVENS


def _doubted(numbers: Sequence[Chances], seen: Sequence[tuple[int, int, Chances]]) -> list[Chances]:
    """Numbers with such digits, about which a person is asked, and the others."""
    doubtful = {number for number, *_ in seen}
    return [
        {mark: part * OTHERWISE for mark, part in chances.items()} if at in doubtful else chances
        for at, chances in enumerate(numbers)
    ]


def _likened(chances: Chances, count: int, places: Mapping[int, Chances]) -> Chances:
    """Numbers of so many digits, of which those are likelier that agree with a comparison.

    Args:
        places: the place of a digit, from the left → what it is among `ALIKE`.
    """
    families: dict[str, dict[Mark, float]] = {}
    kept: dict[Mark, float] = {}
    for mark in chances:
        sign, text = "-" * (int(mark or 0) < 0), str(abs(int(mark or 0)))
        if len(text) != count:
            kept[mark] = chances[mark]
            continue
        factor = 1.0
        for place, among in places.items():
            if (digit := int(text[place])) in among:
                factor *= (among[digit] + FLOOR) ** COMPARED
                text = f"{text[:place]}{ALIKE[0]}{text[place + 1 :]}"
        families.setdefault(sign + text, {})[mark] = factor
    # Whether it is a number with another digit there, such as 49, is not compared.
    for factors in families.values():
        whole = sum(chances[mark] for mark in factors)
        parts = {mark: chances[mark] * factor for mark, factor in factors.items()}
        kept |= {mark: part * whole / sum(parts.values()) for mark, part in parts.items()}
    return _asked_if_other(chances, kept)


# All digits, by their shapes

HEIGHT: Final = 30  # Pixels of a digit whose shape is compared
BLUR: Final = 1.6  # Pixels by which strokes may lie beside each other
SURE: Final = 0.97  # The probability of a number whose digits are clear
# The weight of what the network sees in two digits, beside their shapes
SEEN: Final = 0.2
# How much two digits of a person that are the same usually differ, and how many of those count
USUAL, COUNTED = 0.35, 1.0
STRICT: Final = 8.0  # How much a difference counts


def shape(picture: Floats) -> Floats:
    """A digit without its place, and with soft strokes; the sum of its squares is 1.

    Args:
        picture: its ink, (height, width).
    """
    height, width = picture.shape
    moments = cv2.moments(picture)
    whole = max(moments["m00"], 1e-6)
    across = (width - 1) / 2 - moments["m10"] / whole
    down = (height - 1) / 2 - moments["m01"] / whole
    middle = np.array([[1, 0, across], [0, 1, down]])
    soft = cv2.GaussianBlur(cv2.warpAffine(picture, middle, (width, height)), (0, 0), BLUR)
    return np.asarray(soft / max(float(np.linalg.norm(soft)), 1e-6), np.float32).ravel()


def likened(
    numbers: Sequence[Chances],
    digits: Sequence[Sequence[Chances]],
    shapes: Sequence[Sequence[Floats]],
) -> list[Chances]:
    """The probabilities of one person's numbers, given how their clear digits look.

    Args:
        numbers: the probabilities of each number.
        digits: those of its digits; none where it is not clear how many there are.
        shapes: as `shape` returns them, of the same digits; none for what is not compared.
    """
    places = [at for at, each in enumerate(digits) if each and len(shapes[at]) == len(each)]
    if not places:
        return [*numbers]
    owners = np.repeat(places, [len(digits[at]) for at in places])
    clear = np.array([mark for at in places for mark in _clear_digits(numbers[at], digits[at])])
    far = _differences(
        [*chain(*(digits[at] for at in places))], np.vstack([shapes[at] for at in places])
    )
    is_other = owners[:, np.newaxis] != owners
    # (digits, 10): how far each is from this person's zeros, ones …
    offs = []
    for mark in range(10):
        others = is_other & (clear == mark)
        offs.append(((far * others).sum(axis=1) + COUNTED * USUAL) / (others.sum(axis=1) + COUNTED))
    off = np.stack(offs, axis=1)
    found = [*numbers]
    for at in places:
        found[at] = _agreeing(numbers[at], off[owners == at])
    return found


def _differences(digits: Sequence[Chances], shapes: Floats) -> Floats:
    """How much digits differ from each other, (digits, digits); arguments as for `likened`."""
    far = 1 - shapes @ shapes.T
    for mark in range(10):  # One after the other: a large table has thousands of digits.
        seen = np.log([each.get(mark, 0.0) + FLOOR for each in digits])
        far += SEEN * np.abs(seen[:, np.newaxis] - seen) / 10
    return np.asarray(far, np.float32)


def _clear_digits(chances: Chances, digits: Sequence[Chances]) -> list[int]:
    """The digits of a number that is clear; −1 for each that is not."""
    likeliest = max(chances, key=lambda mark: chances[mark])
    text = str(abs(int(likeliest or 0)))
    is_clear = chances[likeliest] >= SURE and len(text) == len(digits)
    return [*map(int, text)] if is_clear else [-1] * len(digits)


def _agreeing(chances: Chances, off: npt.NDArray[np.floating[Any]]) -> Chances:
    """A number's probabilities, of which those of as many digits agree with a comparison.

    Args:
        off: how far each of its digits is from this person's zeros, ones …, (digits, 10).
    """
    parts = {}
    for mark, chance in chances.items():
        text = str(abs(int(mark or 0)))
        if len(text) == len(off):
            away = sum(float(off[place, int(digit)]) for place, digit in enumerate(text))
            parts[mark] = chance * math.exp(-STRICT * away)
    if len(parts) < 2:
        return chances
    factor = sum(chances[mark] for mark in parts) / sum(parts.values())
    kept = {**chances, **{mark: part * factor for mark, part in parts.items()}}
    return _asked_if_other(chances, kept)


def _asked_if_other(before: Chances, now: Chances) -> Chances:
    """What a comparison says; less of it where it alone makes a number the likeliest."""
    likeliest = [max(each, key=lambda mark: each[mark]) for each in (before, now)]
    if likeliest[0] == likeliest[1]:
        return now
    return {mark: part * OTHERWISE for mark, part in now.items()}
