"""The font of the pages: one weight of the variable font, without the signs that no page uses.

    pip install fonttools brotli
    python tools/make-screen-font.py

It is the largest file that a phone loads. Accents that a phone sends apart from their letters are
joined by the browser, so the font needs no marks of its own.
"""

from __future__ import annotations

from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

WEIGHT = 600
"""The one weight of titles, buttons and numbers: all weights together are twice as large."""
SPACE_KERNING = -25
"""Limit of what kerning takes from a blank, in units of the font; a blank has 241."""
FONTS = Path(__file__).parents[1] / "static" / "fonts"
LATIN = [
    *range(0x20, 0x7F),
    0xA0,
    0xA1,
    0xA7,
    0xAB,
    0xB7,
    0xBB,
    *range(0xBF, 0xF7),
    *range(0xF8, 0x100),
]
"""ASCII, and the letters and quotation marks of Western Europe."""
OTHERS = [0x131, 0x152, 0x153, 0x2013, 0x2014, 0x2026, 0x2039, 0x203A, 0x20AC, 0x2212]
QUOTES = [0x2018, 0x2019, 0x201A, 0x201C, 0x201D, 0x201E]

font = TTFont(FONTS / "print" / "fredoka.woff2", recalcTimestamp=False)
font = instancer.instantiateVariableFont(font, {"wght": WEIGHT})
options = subset.Options(hinting=False, layout_features=["kern"], name_IDs=[0, 1, 2, 13, 14])
subsetter = subset.Subsetter(options)
subsetter.populate(unicodes=[*LATIN, *OTHERS, *QUOTES])
subsetter.subset(font)
for lookup in font["GPOS"].table.LookupList.Lookup:
    for subtable in lookup.SubTable:
        pairs = getattr(subtable, "ExtSubTable", subtable)
        # The font draws a V so far into the blank before it that "Im Verlauf" reads as one word.
        if pairs.LookupType == 2 and pairs.Format == 1 and "space" in pairs.Coverage.glyphs:
            records = pairs.PairSet[pairs.Coverage.glyphs.index("space")].PairValueRecord
            for record in records:
                record.Value1.XAdvance = max(record.Value1.XAdvance, SPACE_KERNING)
font.flavor = "woff2"
font.save(FONTS / "fredoka.woff2")
