"""The QR code of the players' names on a pad, to name the sheets of a photo."""

from __future__ import annotations

import segno

from companion.core.sheet import Box
from companion.fitting import CODE_SIZES
from companion.pads.aruco import outline
from companion.pads.geometry import Pad


def name_code(pad: Pad) -> tuple[Box, str] | None:
    """(place on the pad, SVG path from there), or None without names."""
    if not pad.names:
        return None
    code, box = _code(coded_names(pad)), pad.paper.code
    modules, size = [*map(bytes, code.matrix_iter(border=1))], len(code.matrix)
    path = outline(lambda row, column: modules[row + 1][column + 1] > 0, size, box.width / size)
    return box, path


def coded_names(pad: Pad) -> tuple[str, ...]:
    """The names in the code; the longest are cut with "…" until it fits into its place."""
    most, names = max(map(len, pad.names), default=0), pad.names
    while names and len(_code(names).matrix) not in CODE_SIZES:
        most -= 1
        names = tuple(_cut(name, most) for name in pad.names)
    return names


def _cut(name: str, most: int) -> str:
    return name if len(name) <= most else name[: most - 1].rstrip() + "…"


def _code(names: tuple[str, ...]) -> segno.QRCode:
    # In UTF-8, or a reader would have to guess.
    return segno.make_qr("\n".join(names), error="l", mode="byte", encoding="utf-8")
