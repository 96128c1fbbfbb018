"""The result of reading a photo. Nothing here opens a picture or needs OpenCV."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Final, TypeAlias

from companion.core.edition import OWN
from companion.core.refusal import Refusal, Unusable
from companion.core.sheet import Box, FilledSheet, Mark, Millimetres
from companion.core.values import Document
from companion.core.words import Sentence

Pixels: TypeAlias = float

# x to the right and y down, from the top left corner of the upright photo at its full size
Point: TypeAlias = tuple[Pixels, Pixels]

# The corners of a pad as printed: top left, top right, bottom right, bottom left
Corners: TypeAlias = tuple[Point, Point, Point, Point]


def as_corners(points: Iterable[Iterable[float]]) -> Corners:
    """Four points as corners; raises `ValueError` if they are not four pairs of numbers."""
    a, b, c, d = ((float(x), float(y)) for x, y in points)
    return (a, b, c, d)


# Mark that a field may hold → its probability, 0 to 1. The rest up to 1 is the probability of ink
# that means none of them.
Chances: TypeAlias = Mapping[Mark, float]

# Size of a file. Photos of 48 megapixels have 10 to 25 MB, those of 12 megapixels 3 to 8 MB.
MAX_PHOTO_BYTES: Final = 40 * 1024 * 1024

SURE_SUM: Final = 0.9  # Confidence from which a written sum counts for or against the counted one

# Modules without which no photo can be read. All the rest works without them.
MODULES: Final = ("cv2", "numpy", "PIL")
NOT_INSTALLED: Final = Sentence(
    "Reading photos is not set up on this computer. Whoever runs the app can install it;"
    " until then the sheets can be typed in."
)


def missing_module() -> str | None:
    """The first module that is missing for reading photos here; None where all are installed."""
    return next((name for name in MODULES if not find_spec(name)), None)


class Unreadable(Unusable):
    """The file is not a photo, or one that cannot be opened. `sentence` is for people."""

    def __init__(self, code: str, sentence: Sentence) -> None:
        super().__init__(Refusal(code, sentence.text, sentence.values).message)
        self.code = code
        self.sentence = sentence


@dataclass(frozen=True)
class Trouble:
    """Why a pad in the photo was not read, or why the photo shows none."""

    code: str  # such as `no-sheet`, `mirrored`, `cut-off`, `covered`, `blurred`, `too-small`
    sentence: Sentence  # the reason, and what to do, for people
    corners: Corners | None = None  # the pad's place in the photo, if it is known
    sheet: str = ""  # the kind of sheet that it looks like, if it is known


CRASHED: Final = Trouble("crashed", Sentence("This photo could not be read. Take another one."))


@dataclass(frozen=True)
class FieldReading:
    """The likeliest mark of a field."""

    value: Mark  # a number or None; True or False; "circled", "crossed" or "open"
    confidence: float  # the probability that `value` is right, 0 to 1, given the ink and the rules
    # The likeliest other marks with their probabilities, the likeliest first
    others: tuple[tuple[Mark, float], ...] = ()


@dataclass(frozen=True)
class SheetReading:
    """The reading of one pad of a photo."""

    sheet: FilledSheet  # the sheet as it was written; it may break the rules
    board: str  # `""` where the sheet has no boards
    corners: Corners
    fields: Mapping[str, FieldReading]  # every field of the pad, in the sheet's order
    # The fields that a person should check: first those by which the total may be most wrong
    unsure: tuple[str, ...]
    # A JPEG of the flattened pad at `FLAT_PX_PER_MM`, if pictures were asked for
    flat: bytes | None = None
    edition: str = OWN  # the name of the sheet's edition (`core.edition`)
    # Id of a blank for a sum → the number that its writer summed up, where there is ink. As it is
    # written, right or wrong; penalties have no sign.
    written: Mapping[str, FieldReading] = field(default_factory=dict)
    # The fields that would be read differently without their writer's sums
    by_sums: tuple[str, ...] = ()
    # The fields of a table with a dash or slash that is read as 0, and may stand for nothing
    dashes: tuple[str, ...] = ()
    unsure_edition: bool = False  # whether a person has to confirm that this is their sheet
    column: int = 0  # of a pad with a sheet in each, from 0
    # Place of a blank for a name → the name that is printed there, unchecked
    names: Mapping[int, str] = field(default_factory=dict)

    @property
    def player(self) -> str:
        """The name printed on a sheet of one player, or ""."""
        return "" if self.sheet.kind.sharing else self.names.get(0, "")

    @property
    def named(self) -> FilledSheet:
        """The sheet; over a shared one's columns are the names printed there, if they differ."""
        sharing = self.sheet.kind.sharing
        columns = sharing.columns(self.sheet.sheet) if sharing and self.names else ()
        names = [self.names.get(place) or str(place + 1) for place, _ in enumerate(columns)]
        return self.sheet if len({*names}) < len(names) or not names else self.sheet.named(names)


FLAT_PX_PER_MM: Final = 6.0  # Pixels per millimetre at which flattened pads are read and shown


def flat_area(box: Box, margin: Millimetres = 0.0) -> tuple[slice, slice]:
    """The rows and columns of a box, and of a margin around it, on a flattened sheet.

    A margin below 0 leaves at least the middle third of the box, and at least a pixel.

    >>> flat_area(Box(0, 6, 1, 12), -1.4)
    (slice(44, 100, None), slice(2, 4, None))
    """

    def part(low: Millimetres, side: Millimetres) -> slice:
        around = max(margin, -side / 3)
        start = max(round((low - around) * FLAT_PX_PER_MM), 0)
        return slice(start, max(round((low + side + around) * FLAT_PX_PER_MM), start + 1))

    return part(box.y, box.height), part(box.x, box.width)


@dataclass(frozen=True)
class PhotoReading:
    """Everything that one photo shows, from top to bottom and from left to right."""

    sheets: tuple[SheetReading, ...]
    # One for each pad that was not read; a single `no-sheet` if the photo shows no pad
    troubles: tuple[Trouble, ...]
    size: tuple[int, int]  # width and height of the upright photo
    seconds: float


def sheet_document(reading: SheetReading) -> Document:
    """One sheet in the public format `companion-reading/1`."""
    sheet = reading.named
    return {
        "sheet": sheet.document,
        **({"player": reading.player} if reading.player else {}),
        "edition": reading.edition,
        "corners_px": _corners_px(reading.corners),
        "fields": _values(reading.fields),
        "written": _values(reading.written),
        "unsure": list(reading.unsure),
        "problems": [problem.document() for problem in sheet.problems],
        "score": sheet.score,
        **({"dashes": list(reading.dashes)} if reading.dashes else {}),
        **({"unsure_edition": True} if reading.unsure_edition else {}),
    }


def _values(fields: Mapping[str, FieldReading]) -> Document:
    return {
        name: {"value": field.value, "confidence": round(field.confidence, 4)}
        for name, field in fields.items()
    }


def _trouble_document(trouble: Trouble) -> Document:
    """A trouble in the public format, in English."""
    sentence = trouble.sentence
    return {
        "code": trouble.code,
        "message": Refusal(trouble.code, sentence.text, sentence.values).message,
        "corners_px": trouble.corners and _corners_px(trouble.corners),
    }


def _corners_px(corners: Corners) -> list[list[float]]:
    return [[round(x, 1), round(y, 1)] for x, y in corners]


def photo_document(name: str, reading: PhotoReading) -> Document:
    """One photo in the public format `companion-reading/1`.

    Args:
        name: of the photo's file.
    """
    return {
        "file": name,
        "seconds": round(reading.seconds, 3),
        "sheets": list(map(sheet_document, reading.sheets)),
        "refused": list(map(_trouble_document, reading.troubles)),
    }
