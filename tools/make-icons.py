"""Makes the icons in static/icons/ from static/icon.svg, with the Chromium of the tests.

Systems that install the app take no SVG. A maskable icon fills its square, and what matters is in
the middle four fifths, because each system cuts its own shape from it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from lab import browser

STATIC: Final = Path(__file__).resolve().parents[1] / "static"
SAFE: Final = 0.72
"""Share of a maskable icon's width that the drawing takes."""
ICONS: Final = {
    "icon-192.png": (192, False),
    "icon-512.png": (512, False),
    "maskable-512.png": (512, True),
    "apple-touch-icon.png": (180, True),
}
"""File → its side in pixels, and whether it fills its square."""


def drawing(side: int, is_full: bool) -> str:
    svg = (STATIC / "icon.svg").read_text(encoding="utf-8")
    svg = svg.replace("<svg ", f'<svg width="{side}" height="{side}" ', 1)
    if not is_full:
        return svg
    tile = re.search(r"<rect[^>]*/>", svg)
    assert tile is not None
    inner = svg.split(tile.group(), 1)[1].replace("</svg>", "")
    full = re.sub(r' rx="\d+"', "", tile.group())
    moved = f'<g transform="translate(16 16) scale({SAFE}) translate(-16 -16)">{inner}</g>'
    return svg.split(tile.group(), 1)[0] + full + moved + "</svg>"


if __name__ == "__main__":
    (STATIC / "icons").mkdir(exist_ok=True)
    with browser.launched() as chromium:
        for name, (side, is_full) in ICONS.items():
            page = chromium.new_page(viewport={"width": side, "height": side})
            page.set_content(f"<style>*{{margin:0;display:block}}</style>{drawing(side, is_full)}")
            path = STATIC / "icons" / name
            page.screenshot(path=path, omit_background=True)
            page.close()
            print(name, path.stat().st_size, "bytes")
