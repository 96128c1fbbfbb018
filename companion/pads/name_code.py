"""The QR code of the players' names on a pad, so that a photo of it says whose it is."""

from __future__ import annotations

import segno

from companion.core.sheet import Box
from companion.fitting import code_box, code_sizes
from companion.pads.aruco import outline
from companion.pads.geometry import Pad


def name_code(pad: Pad) -> tuple[Box, str] | None:
    """(place on the pad, SVG path from there), or None without names or where they are too long."""
    if not pad.names:
        return None
    # Always UTF-8: without it, a reader of the code would have to guess.
    code = segno.make_qr("\n".join(pad.names), error="l", mode="byte", encoding="utf-8")
    modules = [*map(bytes, code.matrix_iter(border=1))]
    size, box = len(code.matrix), code_box(pad.paper)
    if size not in code_sizes(box):
        return None
    path = outline(lambda row, column: modules[row + 1][column + 1] > 0, size, box.width / size)
    return box, path
