"""Style sheets and pictures show the colours that `companion.core.look` names, and none alike."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from companion.core import look

ROOT = Path(__file__).parents[2]
STYLES = sorted((ROOT / "static").rglob("*.css"))
PICTURES = sorted(
    path
    for folder in ("static", "templates", "printables/templates")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".svg", ".html")
)
ALMOST = 35.0
"""Two colours (red, green, blue from 0 to 255) less far apart are meant to be one."""

SET = re.compile(r"--([\w-]+): *(#[0-9a-f]{6})")
HEX = re.compile(r"#[0-9a-f]{6}\b", re.IGNORECASE)


def test_each_colour_is_set_once_for_light_and_dark() -> None:
    """A colour is a name on the sheet of paper, too; so it does not change with the screen."""
    found = [pair for path in STYLES for pair in SET.findall(path.read_text("utf-8"))]
    named = {**look.COLORS, "on-color": look.ON_COLOR}
    assert sorted(pair for pair in found if pair[0] in named) == sorted(named.items())


def parts(color: str) -> list[int]:
    return [int(color[at : at + 2], 16) for at in (1, 3, 5)]


@pytest.mark.parametrize("path", [*STYLES, *PICTURES], ids=lambda path: path.name)
def test_no_colour_is_almost_that_of_a_sheet(path: Path) -> None:
    for written in HEX.findall(path.read_text("utf-8")):
        for name, color in look.COLORS.items():
            apart = math.dist(parts(written), parts(color))
            assert apart == 0 or apart > ALMOST, f"{written} is almost {name}, {color}"
