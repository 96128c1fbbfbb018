"""The handwriting of the benchmark: of people on whose digits no network was trained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

FOLDER: Final = Path(__file__).resolve().parents[4] / "shared" / "data" / "handwriting"
"""Where the handwriting is, unless another folder is given; see training/README.md."""

WIDEST: Final = 1.9  # the largest width of a digit, as a factor on its height

LEFT_OUT: Final = frozenset({"unipen:w055", "unipen:w133"})
"""Writers whose 1 and 7 have the same shape, so that nobody could read their sheets."""

UNREADABLE: Final[Mapping[str, frozenset[tuple[int, int]]]] = {
    "unipen:w001": frozenset({(3, 1)}),
    "unipen:w023": frozenset({(0, 4)}),
    "unipen:w027": frozenset({(2, 4)}),
    "unipen:w046": frozenset({(4, 0)}),
    "unipen:w062": frozenset({(9, 2)}),
    "unipen:w066": frozenset({(9, 1), (9, 2), (9, 3)}),
    "unipen:w101": frozenset({(8, 1), (9, 3)}),
    "unipen:w137": frozenset({(0, 9), (4, 8)}),
    "unipen:w141": frozenset({(0, 11), (1, 9)}),
    "unipen:w191": frozenset({(3, 34)}),
    "unipen:w195": frozenset(
        {(0, 5), (0, 24), (0, 34), (0, 35), (3, 4), (3, 5), (3, 6), (8, 31), (9, 4)}
    ),
}
"""Writer → (digit, index among the writer's samples) of samples that are left out.

They are cut off, mislabelled, or were read differently by people who went through all samples.
"""

Points: TypeAlias = npt.NDArray[np.float32]  # (n, 2): x to the right, y down


@dataclass(frozen=True)
class Glyph:
    """One digit of one person. The unit of length is the median height of the writer's digits."""

    # The pen's path, from the glyph's top left corner; empty if only a scan is known.
    strokes: tuple[Points, ...]
    ink: npt.NDArray[np.uint8] | None  # a scan, 255 is ink; None if strokes are known
    width: float
    height: float


Hand: TypeAlias = Mapping[int, tuple[Glyph, ...]]  # digit → samples, at least one for every digit


@lru_cache(maxsize=2)
def hands(folder: Path = FOLDER) -> Mapping[str, Hand]:
    """Writer → hand, for the writers of the part "final" who wrote every digit."""
    from training.writing import digits

    found: dict[str, Hand] = {}
    for writer, labels in sorted(digits.load(folder, "final").items()):
        if writer in LEFT_OUT:
            continue
        unreadable = UNREADABLE.get(str(writer), frozenset())
        raw = {
            int(label): tuple(
                sample
                for place, sample in enumerate(samples)
                if (int(label), place) not in unreadable and not _is_junk(sample)
            )
            for label, samples in labels.items()
        }
        if set(range(10)) <= {label for label, samples in raw.items() if samples}:
            found[str(writer)] = _hand(raw)
    return found


def _hand(raw: Mapping[int, tuple[object, ...]]) -> Hand:
    boxes = {label: [_extent(digit) for digit in samples] for label, samples in raw.items()}
    usual = float(np.median([height for extents in boxes.values() for _, height in extents]))
    return {
        label: tuple(_glyph(digit, usual) for digit in samples) for label, samples in raw.items()
    }


def _is_junk(digit: object) -> bool:
    """Whether this is only a dash: an illegible, slashed digit whose body was cut off."""
    width, height = _extent(digit)
    return width > WIDEST * height


def _strokes(digit: object) -> list[Points]:
    raw = getattr(digit, "strokes", None) or ()
    return [np.asarray(stroke, np.float32).reshape(-1, 2) for stroke in raw if len(stroke)]


def _extent(digit: object) -> tuple[float, float]:
    """Width and height in units of the sample."""
    strokes = _strokes(digit)
    if strokes:
        low, high = np.concatenate(strokes).min(0), np.concatenate(strokes).max(0)
        return float(high[0] - low[0]), float(max(high[1] - low[1], 1e-3))
    ink = np.asarray(digit.ink)  # type: ignore[attr-defined]
    return float(ink.shape[1]), float(ink.shape[0])


def _glyph(digit: object, usual: float) -> Glyph:
    width, height = _extent(digit)
    # Digits of very different size are more often an accident of sampling than a habit.
    unit = height / float(np.clip(height / usual, 0.75, 1.25))
    strokes = _strokes(digit)
    if strokes:
        low = np.concatenate(strokes).min(0)
        smooth = tuple(_smooth((stroke - low) / unit) for stroke in strokes)
        return Glyph(smooth, None, width / unit, height / unit)
    ink = np.asarray(digit.ink, np.uint8)  # type: ignore[attr-defined]
    return Glyph((), ink, width / unit, height / unit)


def _smooth(points: Points) -> Points:
    """The stroke resampled at even steps, without the tablet's raster."""
    steps = np.hypot(*np.diff(points, axis=0).T)
    way = np.concatenate([[0.0], np.cumsum(steps)])
    if way[-1] < 0.02:
        return points[:1].repeat(2, 0) + np.array([[0, 0], [0.02, 0.01]], np.float32)
    at = np.linspace(0, way[-1], max(int(way[-1] / 0.02), 4))
    even = np.stack([np.interp(at, way, points[:, axis]) for axis in (0, 1)], 1)
    even = even.astype(np.float32)
    kernel = cv2.getGaussianKernel(7, 1.2).astype(np.float32)
    soft = cv2.filter2D(even, -1, kernel, borderType=cv2.BORDER_REPLICATE)
    soft[0], soft[-1] = even[0], even[-1]
    return np.asarray(soft, np.float32)
