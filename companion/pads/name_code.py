"""The QR code of the players' names on a pad, so that a photo of it says whose it is."""

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
    """The names as the code has them: the longest end in "…", so that it fits into its place."""
    most, cut = max(map(len, pad.names), default=0), pad.names
    while cut and len(_code(cut).matrix) not in CODE_SIZES:
        most -= 1
        cut = tuple(n if len(n) <= most else n[: most - 1].rstrip() + "…" for n in pad.names)
    return cut


def _code(names: tuple[str, ...]) -> segno.QRCode:  # In UTF-8, or a reader would have to guess
    return segno.make_qr("\n".join(names), error="l", mode="byte", encoding="utf-8")
