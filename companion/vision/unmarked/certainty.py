"""How certain it is that a flattened sheet is of its edition: by its outlines, texts and bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.edition import Edition
from companion.vision.core import FLAT_PX_PER_MM, flat_area
from companion.vision.unmarked.blobs import Color
from companion.vision.unmarked.rectifying import Rectified, outline_names
from companion.vision.unmarked.signature import Colors, explained_share

# For each group, such as the failed boxes: field or blank → the correlation of its outline, 0 to 1,
# where it is in the photo.
Groups: TypeAlias = Sequence[Mapping[str, float]]

# The least mean correlation of a group's outlines. Of 289 simulated sheets 15 have less somewhere,
# in hard light or where they curl; sheets with a group that lies half a unit aside have up to 0.2,
# as a rule.
OUTLINED: Final = 0.2
# The same for small groups: failed boxes one place aside have up to 0.4, where 4 of 144 groups have
# less.
BOXED: Final = 0.4
# The least by which the correlation of fields with the same text exceeds that of others. Of 45
# simulated sheets none has less than 0.39, of 12 with mixed numbers none more than 0.19.
SAME_TEXTS: Final = 0.28
# The least share of the differences in colour beside the fields that their bars explain. Of 37
# simulated sheets none has less than 0.93, of 12 with colours in blocks none more than 0.15.
SAME_BARS: Final = 0.6
# The correlation below which an outline is not there, unless somebody wrote over it
UNPRINTED: Final = 0.1
# The most outlines of a small group. Moved by one place, a row of so few still covers all of its
# places but one.
SMALL: Final = 4
FEW: Final = 3  # The least number of outlines that make a group
LONGEST: Final = 3  # The most characters of a text that is compared
SIDE: Final = 16  # Pixels of the picture of a text
MARGIN: Final = 0.15  # The part of a field's width beside its text, on either side
BLUR: Final = 1.2  # About how many pixels fields may be off their places
# Where colours are looked up above and below a field, in units from its middle
ACROSS: Final = (-0.18, -0.09, 0.0, 0.09, 0.18)


def grouped(rectified: Rectified) -> Groups:
    """The groups of fields and blanks that are informative."""
    # Landmarks located the sheet, so they prove nothing
    edition, fit = rectified.placing.edition, rectified.fit
    groups: dict[str, dict[str, float]] = {}
    for name, score, is_in in zip(
        outline_names(edition), rectified.scores, fit.is_inside, strict=True
    ):
        if is_in and name not in edition.landmarks:
            groups.setdefault(name.partition(".")[0], {})[name] = float(score)
    return [scores for scores in groups.values() if len(scores) >= FEW]


def shows_enough(groups: Groups, edition: Edition) -> bool:
    """Whether half of the groups that are informative are in the photo."""
    # Our own pad, cropped through its markers, has the same landmarks, and everything else
    # elsewhere
    names = {n.partition(".")[0] for n in outline_names(edition) if n not in edition.landmarks}
    return 2 * len(groups) >= len(names)


def outlined(groups: Groups) -> list[float]:
    """The mean correlation of each group, 0 to 1."""
    return [float(np.mean([*scores.values()])) for scores in groups]


def misplaced(groups: Groups) -> frozenset[str]:
    """The fields and blanks of groups that are not where the edition has them."""
    names: set[str] = set()
    for scores, seen in zip(groups, outlined(groups), strict=True):
        if seen < (BOXED if len(scores) <= SMALL else OUTLINED):
            names.update(scores)
    return frozenset(names)


def unprinted(groups: Groups) -> frozenset[str]:
    """The outlines of small groups that are not there, as where a row lies one place aside."""
    small = (scores for scores in groups if len(scores) <= SMALL)
    return frozenset(
        name for scores in small for name, score in scores.items() if score < UNPRINTED
    )


def has_same_print(
    image: Color, visible: npt.NDArray[np.bool_], edition: Edition, board: str
) -> bool:
    """Whether the texts and bars of a flattened sheet, BGR, are those of an edition."""
    return (
        texts_alike(image, visible, edition, board) >= SAME_TEXTS
        and bars_explained(image, edition, board) >= SAME_BARS
    )


def texts_alike(
    image: Color, visible: npt.NDArray[np.bool_], edition: Edition, board: str
) -> float:
    """How much more alike fields for crosses are that print the same text than others, −1 to 2."""
    # Special editions print the numbers of a row in another order. It is 1 without several texts.
    gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    soft = np.asarray(cv2.GaussianBlur(gray, (0, 0), BLUR), np.float32)
    texts, pictures = [], []
    for field in edition.paper(board).fields:
        text, box = edition.prints[board][field.id].text, field.box
        area = flat_area(box, -MARGIN * box.width)
        is_shown = visible[area].all()
        if field.kind == "cross" and 0 < len(text) <= LONGEST and is_shown:
            picture = cv2.resize(soft[area], (SIDE, SIDE)).ravel()
            pictures.append(picture - picture.mean())
            texts.append(text)
    is_same = np.equal.outer(texts, texts)
    is_other, is_pair = ~is_same, is_same & ~np.eye(len(texts), dtype=bool)
    if not (is_other.any() and is_pair.any()):
        return 1.0
    even = _unit(np.array(pictures))
    # All may have a cross.
    unlike = _unit(even - np.median(even, axis=0))
    alike = unlike @ unlike.T
    return float(alike[is_pair].mean() - alike[is_other].mean())


def _unit(pictures: npt.NDArray[np.floating]) -> npt.NDArray[np.float32]:
    lengths = np.linalg.norm(pictures, axis=-1, keepdims=True)
    return np.asarray(pictures / np.maximum(lengths, 1e-6), np.float32)


def bars_explained(image: Color, edition: Edition, board: str) -> float:
    """The share of the differences in colour above and below fields that their bars explain.

    Special editions have colours in blocks. It is 1 without bars.
    """
    beside, bars = [], []
    for number, bar in enumerate(edition.bars):
        for field in edition.paper(board).fields:
            (x, y), reach = field.box.center, (field.box.height + bar.height) / 4
            if field.shape == "square" and bar.y < y < bar.y + bar.height:
                for edge in (y - reach, y + reach):
                    beside.append([(x + off * edition.unit, edge) for off in ACROSS])
                    bars.append(number)
    if not beside:
        return 1.0
    colors, _ = Colors(image).median_features(np.array(beside) * FLAT_PX_PER_MM - 0.5)
    return explained_share(colors, np.array(bars))
