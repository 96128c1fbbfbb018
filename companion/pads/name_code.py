"""The QR code of the players' names on a pad, so that a photo of it says whose it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import segno

from companion.core.sheet import Box
from companion.fitting import code_box, code_sizes
from companion.pads.aruco import outline
from companion.pads.geometry import Pad

CUT: Final = "…"  # Ends a name of which the code has only the beginning


def name_code(pad: Pad) -> tuple[Box, str] | None:
    """(place on the pad, SVG path from there), or None without names."""
    if not pad.names:
        return None
    code, box = _code(coded_names(pad)), code_box(pad.paper)
    modules = [*map(bytes, code.matrix_iter(border=1))]
    size = len(code.matrix)
    path = outline(lambda row, column: modules[row + 1][column + 1] > 0, size, box.width / size)
    return box, path


def coded_names(pad: Pad) -> tuple[str, ...]:
    """The names as the code has them: the longest are cut until a code fits into its place."""
    names, sizes = pad.names, code_sizes(code_box(pad.paper))
    for most in range(max(map(len, names), default=0), 0, -1):
        cut = tuple(n if len(n) <= most else n[: most - 1].rstrip() + CUT for n in names)
        if len(_code(cut).matrix) in sizes:
            return cut
    return names


def _code(names: Sequence[str]) -> segno.QRCode:
    # Always UTF-8: without it, a reader of the code would have to guess.
    return segno.make_qr("\n".join(names), error="l", mode="byte", encoding="utf-8")
