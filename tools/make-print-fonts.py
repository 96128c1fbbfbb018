"""Static fonts for the printed pads, and the widths of their letters, from the variable font.

    pip install fonttools brotli
    python tools/make-print-fonts.py

wkhtmltopdf knows neither variable fonts nor fonts inside a page, so it gets these as files.
"""

from __future__ import annotations

import json
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

FONTS = Path(__file__).parents[1] / "static" / "fonts"
WEIGHTS = {"Medium": 500, "SemiBold": 600}

advances = {}
for style, weight in WEIGHTS.items():
    font = TTFont(FONTS / "print" / "fredoka.woff2", recalcTimestamp=False)
    font.flavor = None
    font = instancer.instantiateVariableFont(font, {"wght": weight})
    names = {1: "Fredoka", 2: style, 3: f"Fredoka-{style}", 4: f"Fredoka {style}"}
    names |= {6: f"Fredoka-{style}", 16: "Fredoka", 17: style}
    for number, text in names.items():
        font["name"].setName(text, number, 3, 1, 0x409)
    options = subset.Options(hinting=False, layout_features=["kern", "mark", "mkmk", "ccmp"])
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=font.getBestCmap())
    subsetter.subset(font)
    font.save(FONTS / "print" / f"fredoka-{weight}.ttf")
    units = font["head"].unitsPerEm
    advances[weight] = {
        chr(code): round(font["hmtx"][name][0] / units, 3)
        for code, name in sorted(font.getBestCmap().items())
    }

table = json.dumps(advances, ensure_ascii=False, separators=(",", ":"))
(FONTS / "print" / "advances.json").write_text(table + "\n", encoding="utf-8")
