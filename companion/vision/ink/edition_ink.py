"""The writing on a publisher's sheet: from the flattened picture to probabilities."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.edition import Edition
from companion.core.sheet import EMPTY, NUMBERS, Field, Kind, Paper
from companion.vision.core import Chances, flat_area
from companion.vision.ink import cells, mixture, networks, sums
from companion.vision.ink.cells import SIDE
from companion.vision.ink.opinions import (
    CLEAR,
    looks_empty,
    made_unsure,
    mean,
    pooled,
    second_opinions,
)
from companion.vision.ink.siblings import FEW, STRONGEST, Siblings, siblings
from companion.vision.weighing import OUT_OF_SIGHT

# (right, down) in pixels of a field's picture: the additional looks at an unclear field
LOOKS: Final = ((0.58, 0.32), (-0.58, -0.32), (0.32, -0.58), (-0.32, 0.58))
# The share of a field that must be in view; below it, a person checks what is read
SEEN: Final = 0.9
UNSEEN: Final = 0.5  # the share of a field in view below which nothing can be said about it

STRONG: Final = 0.55
LEAST_GAIN: Final = 1.5
# The largest amplification of a faint pen; fainter ink cannot be distinguished from grain
MOST_GAIN: Final = 8.0
USUAL_STRENGTH: Final = 0.7
FAINT: Final = 0.3  # the strength below which marks are amplified to a usual pen's
# The strength below which a mark may look like an empty field; nearly only pencils have less. With
# 0.7, 600 sheets ask for 78 fields more, 3 fewer are silent and 5 more are wrong
WEAK: Final = 0.5
# The probability by the network alone from which a field is not surely empty, or surely marked
DOUBTFUL: Final = 0.03
# The probability of a mark by the network alone from which a weak pen's other marks make a field no
# surer to be empty, and those beyond which both make it surer. On 23 sheets in weak pencil 60 of
# 250 fields that are read empty with more than the first are marked, 4 of 1,614 with less than the
# second, and all of 606 that are read marked with more than the third.
IN_DOUBT: Final = 0.1
CONFIRMED: Final = (0.01, 0.95)
FAINTEST: Final = 0.07  # up to this strength a cross may be the paper's texture
MOST_MARK_GAIN: Final = 5.0  # the largest amplification of marks; numbers stand on plainer ground
# The least share of its printed colours that a field must show where no stroke stands out in it.
# Otherwise it is filled with ink, or something lies on it, or a highlight. Of 4,400 open fields
# outside glare ten show less; of 56 on which something lies 50 do.
SHOWN: Final = 0.45
# The level from which a field that shows half of that lies in a highlight, whose edges pass for ink
GLARE: Final = 0.08
ENOUGH: Final = 20  # fields on a sheet from which its pen can be estimated
_INSIDE: Final = np.hypot(*(np.mgrid[:SIDE, :SIDE] - (SIDE - 1) / 2)) < 0.35 * SIDE


def ink_chances(
    flat: npt.NDArray[np.uint8],
    edition: Edition,
    board: str,
    visible: npt.NDArray[np.bool_] | None = None,
    lost: Collection[str] = (),
) -> Mapping[str, Chances]:
    """Field id → the probabilities of its marks from the ink alone, in the order of the paper.

    Args:
        flat: BGR of shape (height, width, 3), at `FLAT_PX_PER_MM`, from the paper's top left
            corner.
        visible: (height, width), whether the photo shows the sheet there; None for everywhere. A
            field that is partly hidden has half its probabilities; a hidden one may be empty.
        lost: fields that may lie elsewhere; their probabilities are halved.
    """
    seen = siblings(flat, edition, board)
    by_kind: dict[Kind, list[int]] = {}
    for place, field in enumerate(seen.fields):
        by_kind.setdefault(field.kind, []).append(place)
    read: dict[str, Chances] = {}
    crosses = by_kind.get("cross", ())
    strength = math.inf if _is_of_grain(seen, crosses) else seen.strength
    for kind, places in by_kind.items():
        for place, chances in zip(places, _of_kind(seen, kind, places, strength), strict=True):
            least = -math.inf
            if looks_empty(chances, kind):
                least = SHOWN
            elif kind == "cross" and seen.levels[place] > GLARE:
                least = SHOWN / 2
            is_shown = seen.shown[place] >= least
            read[seen.fields[place].id] = chances if is_shown else made_unsure(chances)
    gray = np.asarray(cv2.cvtColor(flat, cv2.COLOR_BGR2GRAY), np.uint8)
    read |= second_opinions(gray, seen.fields, read)
    if visible is not None:
        read |= {f.id: _in_view(read[f.id], f, visible) for f in seen.fields}
    read |= {name: made_unsure(read[name]) for name in lost}
    return {field.id: read[field.id] for field in seen.fields}


def sum_chances(
    flat: npt.NDArray[np.uint8], paper: Paper, visible: npt.NDArray[np.bool_]
) -> Mapping[str, Chances]:
    """Id of a blank for a sum → the probabilities of its numbers, where there is ink.

    Args:
        flat, visible: as for `ink_chances`; a blank that is partly hidden is left out.
    """
    in_view = {blank.id: blank.box for blank in paper.sums if visible[flat_area(blank.box)].all()}
    return sums.read(cv2.cvtColor(flat, cv2.COLOR_BGR2GRAY), in_view)


def _of_kind(seen: Siblings, kind: Kind, places: Sequence[int], strength: float) -> list[Chances]:
    """The probabilities of the marks of all fields of a kind.

    Args:
        strength: as `Siblings.strength`; infinite where it is the paper's grain.
    """
    looks = pictures(seen, kind, places, strength)
    each = [_chances(kind, look) for look in looks]
    found = list(map(mean, zip(*each, strict=True)))
    if kind in NUMBERS or len(places) < ENOUGH:
        return found
    found = _for_the_pen(seen, kind, places, found, _gains(strength)[0])
    is_shown = seen.shown[[*places]] > SHOWN
    return _beside_each_other(found, kind, strength, is_shown, is_faint=len(looks) > 1)


def _is_of_grain(seen: Siblings, crosses: Sequence[int]) -> bool:
    """Whether `Siblings.strength` is the grain's: no field is marked, or few, by a strong pen."""
    if not FAINTEST < seen.strength < WEAK or len(crosses) < ENOUGH:
        return False
    network = networks.edition_network_for("cross")
    (look,) = pictures(seen, "cross", crosses, seen.strength)
    found = mixture.compared(network.chances(look, "cross"), EMPTY["cross"])
    marked = [at for at, each in zip(crosses, found, strict=True) if not looks_empty(each, "cross")]
    is_few = len(marked) < len(crosses) * STRONGEST
    return not marked or (is_few and float(np.median(seen.strokes(marked))) > WEAK)


def pictures(
    seen: Siblings, kind: Kind, places: Sequence[int], strength: float
) -> list[npt.NDArray[np.float32]]:
    """The pictures of some fields that a network reads, for each look at them."""
    # The ink of a faint pen is amplified, as suits all fields of its sheet
    if kind in NUMBERS:
        return [_as_strong(seen.ink(places))]
    return [seen.marks(places, gain) for gain in _gains(strength)]


def _chances(kind: Kind, pictures: npt.NDArray[np.float32]) -> list[Chances]:
    """The probabilities of some fields' marks; unclear fields are looked at several times."""
    network = networks.edition_network_for(kind)
    is_number = kind in NUMBERS
    inked = [
        at
        for at, picture in enumerate(pictures)
        if not (is_number and cells.is_blank(picture[0][_INSIDE]))
    ]
    chances: list[Chances] = [{EMPTY[kind]: 1.0}] * len(pictures)
    first = network.chances(pictures[inked], kind) if inked else []
    for at, found in zip(inked, first, strict=True):
        chances[at] = found
    unclear = [at for at in inked if max(chances[at].values()) < CLEAR]
    if unclear:
        others = (network.chances(moved, kind) for moved in _looks(pictures[unclear]))
        for at, *looks in zip(unclear, *others, strict=True):
            chances[at] = mean([chances[at], *looks])
    return chances


def _for_the_pen(
    seen: Siblings, kind: Kind, places: Sequence[int], found: list[Chances], gain: float
) -> list[Chances]:
    """The probabilities of marks, after another look at doubtful ones for the pen's colour.

    Args:
        found: by the network alone.
    """
    alone = np.array([1 - chances[EMPTY[kind]] for chances in found])
    at, colors = np.array(places), np.array([seen.fields[place].color for place in places])
    is_bare, is_marked = alone < DOUBTFUL, alone > 1 - DOUBTFUL
    is_doubtful = ~is_bare & ~is_marked
    found = [*found]
    for color in {*colors[is_doubtful].tolist()}:
        is_mine = colors == color
        marked = at[is_marked & is_mine] if (is_marked & is_mine).sum() >= FEW else at[is_marked]
        bare, asked = at[is_bare & is_mine], np.flatnonzero(is_doubtful & is_mine)
        if min(len(marked), len(bare)) >= FEW:
            look = seen.marks(at[asked].tolist(), gain, seen.pen_on(bare, marked))
            again = networks.edition_network_for(kind).chances(look, kind)
            for place, chances in zip(asked, again, strict=True):
                found[place] = pooled(found[place], chances, range(0), (0.5, 0.5))
    return found


def _beside_each_other(
    found: list[Chances],
    kind: Kind,
    strength: float,
    is_shown: npt.NDArray[np.bool_],
    *,
    is_faint: bool,
) -> list[Chances]:
    """The probabilities of marks, given those of the sheet's other fields; see `mixture`.

    A weak pen's mark may look like an empty field beside its others on another colour, and the
    paper's grain like a weak pen's mark. So the others do not make a field surely empty of which
    the network alone is in doubt; where it agrees with them, both count.

    Args:
        strength: as `Siblings.strength`.
        is_shown: which fields show their print, as a weak pen leaves it.
        is_faint: whether nearly all ink may be amplified grain, which among itself would pass for
            marks; then the others only make a field look emptier.
    """
    empty = EMPTY[kind]
    compared = mixture.compared(found, empty)
    if is_faint:
        compared = [
            max(both, key=lambda chances: chances[empty])
            for both in zip(found, compared, strict=True)
        ]
    if strength >= WEAK:
        return compared
    is_plain = is_shown & (not is_faint)
    return [*map(partial(_of_weak_pen, kind), found, compared, is_plain.tolist())]


def _of_weak_pen(kind: Kind, alone: Chances, compared: Chances, is_plain: bool) -> Chances:
    empty = alone[EMPTY[kind]]
    if looks_empty(compared, kind) and 1 - empty > IN_DOUBT:
        return {mark: chance * empty for mark, chance in compared.items()}
    if is_plain and not CONFIRMED[0] <= 1 - empty <= CONFIRMED[1]:
        return pooled(compared, alone, range(0), (1.0, 1.0))
    return compared


def _gains(strength: float) -> tuple[float, ...]:
    """By how much marks are amplified for each look at them, as suits their sheet's pen."""
    if strength >= FAINT:
        return (1.0,)
    if strength > FAINTEST:
        return (min(USUAL_STRENGTH / strength, MOST_MARK_GAIN),)
    # Either hardly anything is crossed, or a very faint pen was used, and a person has to check the
    # marks.
    return 1.0, MOST_MARK_GAIN


def _as_strong(ink: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Ink of one sheet's number fields as if its pen were as strong as a ballpoint's."""
    # A faint pencil on a sheet in bright light is faint in all of its fields, so all of them
    # together separate it from grain. A strong pen is left as it is.
    inside = ink[:, :, _INSIDE]
    paper = np.median(inside, axis=2)
    strokes = np.percentile(inside[:, 0] - paper[:, :1], 99, axis=1)
    gain = STRONG / max(float(np.percentile(strokes, 90)), STRONG / MOST_GAIN)
    if gain < LEAST_GAIN:
        return ink
    even = ink - paper[:, :, np.newaxis, np.newaxis]
    return np.asarray(np.clip(even * np.float32(gain), 0, 1), np.float32)


def _looks(pictures: npt.NDArray[np.float32]) -> Iterator[npt.NDArray[np.float32]]:
    """The pictures as if they were cut out a little aside, once for each of `LOOKS`."""
    side = pictures.shape[-1]
    for across, down in LOOKS:
        way = np.array(((1, 0, across), (0, 1, down)), np.float32)
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        moved = []
        for channel in pictures.reshape(-1, side, side):
            moved.append(
                cv2.warpAffine(
                    channel, way, (side, side), flags=flags, borderMode=cv2.BORDER_REPLICATE
                )
            )
        yield np.stack(moved).reshape(pictures.shape).astype(np.float32)


def unseen(paper: Paper, visible: npt.NDArray[np.bool_]) -> frozenset[str]:
    """The fields too far out of view to be read; `visible` as in `ink_chances`."""
    return frozenset(field.id for field in paper.fields if _share_seen(field, visible) < UNSEEN)


def _in_view(chances: Chances, field: Field, visible: npt.NDArray[np.bool_]) -> Chances:
    """The probabilities of a field as far as it can be seen."""
    share = _share_seen(field, visible)
    if share < UNSEEN:
        return {EMPTY[field.kind]: OUT_OF_SIGHT}
    return chances if share > SEEN else made_unsure(chances)


def _share_seen(field: Field, visible: npt.NDArray[np.bool_]) -> float:
    """The share of a field that can be seen, 0 to 1."""
    return float(visible[flat_area(field.box)].mean())
