"""The sheets of a small picture, in words and outlines, before the photo itself is sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from companion.core.words import N_
from companion.vision.core import Corners, PhotoReading

# Code of a trouble → the word for its sheet. The photo has more pixels: no sheet is too small.
FAULTS: Final[Mapping[str, str]] = {
    "blurred": N_("blurred"),
    "dark": N_("too dark"),
    "cut-off": N_("not fully in the picture"),
    "not-flat": N_("bent or covered"),
    "unknown-pad": N_("of another kind"),
}
# The share of the picture's longer side by which a sheet that is cut off lies outside
OUTSIDE: Final = 0.02


class Seen(NamedTuple):
    """A sheet in the picture, or what is wrong with the whole picture."""

    corners: Corners | None
    fault: str  # the reason to take the photo again; empty where there is none
    number: int  # the number of a fault that has a place in the picture; else 0


def look_context(reading: PhotoReading) -> dict[str, Any]:
    """The template's values for the sheets of a small picture."""
    found: list[tuple[Corners | None, str]] = [
        (sheet.corners, _cut_off(sheet.corners, reading.size)) for sheet in reading.sheets
    ]
    for trouble in reading.troubles:
        fault = FAULTS.get(trouble.code, "")
        if trouble.code == "cut-off" and trouble.corners:
            fault = _cut_off(trouble.corners, reading.size) or fault
        found.append((trouble.corners, fault))
    seen: list[Seen] = []
    # Numbered as the page lists them: by their faults.
    for corners, fault in sorted(found, key=lambda sheet: sheet[1]):
        number = sum(bool(other.number) for other in seen) + 1
        seen.append(Seen(corners, fault, number if fault and corners else 0))
    return {"seen": seen, "size": reading.size}


def _cut_off(corners: Corners, size: tuple[int, int]) -> str:
    """The sides on which a sheet leaves the picture; empty if it does not."""
    (width, height), least = size, OUTSIDE * max(size)
    across, down = zip(*corners, strict=True)
    sides = (
        (-min(down), N_("cut off at the top")),
        (max(down) - height, N_("cut off at the bottom")),
        (-min(across), N_("cut off on the left")),
        (max(across) - width, N_("cut off on the right")),
    )
    beyond, text = max(sides)
    return text if beyond > least else ""
