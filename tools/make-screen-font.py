"""The fonts of the pages: Fredoka for titles, buttons and numbers, Nunito for texts.

    pip install fonttools brotli
    npm install --prefix FOLDER @expo-google-fonts/{fredoka,nunito,m-plus-rounded-1c}
    python tools/make-screen-font.py FOLDER

Every page loads the letters of its three languages, in one weight. A name may need others: Fredoka
has the accents, but few letters with them, so these are composed at its own anchors, and accents of
Vietnamese come from Nunito. Neither has Greek, or signs such as a star: M PLUS Rounded has them.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from fontTools import subset
from fontTools.pens.boundsPen import BoundsPen
from fontTools.pens.recordingPen import DecomposingRecordingPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

WEIGHT = 600
"""The one weight of titles, buttons and numbers: all weights together are twice as large."""
SPACE_KERNING = -25
"""Limit of the kerning of a blank, in units of the font; a blank has 241."""
FONTS = Path(__file__).parents[1] / "static" / "fonts"
LATIN = [*map(chr, range(0x20, 0x7F)), *"\xa0¡«·»¿×ÄÖÜßäöüÁÉÍÓÚÑáéíóúñàçèº–—‘’‚“”„…‹›€−"]
"""ASCII, and what English, German and Spanish write: `unicode-range` in static/app.css, too."""
SIGNS = "←→✓✕★"
MORE = [
    chr(code)
    for first, last in (
        (0xC0, 0x17F),
        (0x1A0, 0x1A1),
        (0x1AF, 0x1B0),
        (0x218, 0x21B),
        (0x1EA0, 0x1EF9),
    )
    for code in range(first, last + 1)
    if chr(code) not in LATIN
]
"""The other letters of Europe that are Latin, and of Vietnamese."""
GREEK = [*map(chr, range(0x384, 0x3CF))]

HORN, BELOW, ABOVE, OGONEK = 0, 1, 4, 5
"""Fredoka's classes of anchors."""
CARON, CEDILLA, COMMA, DOT_ABOVE, DOT_BELOW = "\u030c", "\u0327", "\u0326", "\u0307", "\u0323"
BAR = "-"
"""The stroke through a đ, which Unicode does not take for an accent."""
COMMA_FOR_CEDILLA = "GKLNRklnr"
"""Letters below which Latvian writes a comma for a cedilla."""
NUNITO_HEIGHTS = {False: 484, True: 705}
"""Anchors above Nunito's letters, by whether they are capitals."""
NEARER = 20
"""By how much Fredoka's accents are nearer to their letters than Nunito's, in units."""
INSIDE = {"o": 198, "O": 282}
"""Where a horn begins, from the right end of its letter; 109 for a u."""

Part = tuple[str, float, float]
"""An accent's glyph and its place."""


def subtables(font: TTFont, kind: int) -> Iterator[Any]:
    """The subtables of a kind in the font's table of positions."""
    for lookup in font["GPOS"].table.LookupList.Lookup:
        for subtable in lookup.SubTable:
            inner = getattr(subtable, "ExtSubTable", subtable)
            if inner.LookupType == kind:
                yield inner


def bounds(font: TTFont, glyph: str) -> tuple[float, float, float, float]:
    """Left, bottom, right and top of a glyph."""
    glyphs = font.getGlyphSet()
    pen = BoundsPen(glyphs)
    glyphs[glyph].draw(pen)
    return pen.bounds


def add(font: TTFont, name: str, letter: str, draw: Callable[[Any], None], advance: int) -> None:
    """Adds a glyph, for a letter if there is one."""
    pen = TTGlyphPen(font.getGlyphSet())
    draw(pen)
    glyph = font["glyf"][name] = pen.glyph()
    font.setGlyphOrder(font["glyf"].glyphOrder)
    glyph.recalcBounds(font["glyf"])
    font["hmtx"][name] = (advance, glyph.xMin)
    for table in font["cmap"].tables if letter else ():
        table.cmap[ord(letter)] = name


def borrow(font: TTFont, donor: TTFont, name: str, letter: str = "") -> str:
    """Copies a glyph of another font, if that was not done yet; returns its name."""
    own = f"borrowed.{name}"
    if own not in font["hmtx"].metrics:
        recording = DecomposingRecordingPen(donor.getGlyphSet())
        donor.getGlyphSet()[name].draw(recording)
        add(font, own, letter, recording.replay, donor["hmtx"][name][0])
    return own


class Composer:
    """Adds letters with accents to Fredoka."""

    def __init__(self, font: TTFont, donor: TTFont) -> None:
        self.font, self.donor = font, donor
        self.names = font.getBestCmap()
        self.bases: dict[str, list[tuple[int, int] | None]] = {}
        self.marks: dict[str, tuple[int, int]] = {}
        for table in subtables(font, 4):
            records = zip(table.BaseCoverage.glyphs, table.BaseArray.BaseRecord, strict=True)
            for name, record in records:
                self.bases[name] = [a and (a.XCoordinate, a.YCoordinate) for a in record.BaseAnchor]
            for name, record in zip(
                table.MarkCoverage.glyphs, table.MarkArray.MarkRecord, strict=True
            ):
                self.marks[name] = (record.MarkAnchor.XCoordinate, record.MarkAnchor.YCoordinate)

    def compose(self, letter: str) -> None:
        """Adds a letter, if it has accents."""
        base, *marks = {"Đ": "Ð", "đ": f"d{BAR}"}.get(letter, unicodedata.normalize("NFD", letter))
        if base == letter:
            return
        if base in COMMA_FOR_CEDILLA and marks == [CEDILLA]:
            marks = [COMMA]
        if base == "i" and unicodedata.combining(marks[-1]) == 230:
            base = "ı"
        if (
            len(marks) == 2 and marks[0] in "\u0302\u0306"
        ):  # a circumflex or breve with a tone on it
            marks = ["".join(marks)]
        glyph = self.names[ord(base)]
        wider = 0
        if marks == [CARON] and base in "dtlL":
            parts, wider = self._beside(base, glyph)
        else:
            parts = [self._placed(base, glyph, accent) for accent in marks]

        def draw(pen: TTGlyphPen) -> None:
            pen.addComponent(glyph, (1, 0, 0, 1, 0, 0))
            for mark, x, y in parts:
                pen.addComponent(mark, (1, 0, 0, 1, round(x), round(y)))

        add(self.font, f"uni{ord(letter):04X}", letter, draw, self.font["hmtx"][glyph][0] + wider)

    def _beside(self, base: str, glyph: str) -> tuple[list[Part], int]:
        """The caron of a high letter, beside it as in Nunito, and by how much it is wider."""
        names, widths = self.donor.getBestCmap(), self.donor["hmtx"]
        plain, whole = names[ord(base)], names[ord(unicodedata.normalize("NFC", base + CARON))]
        mark = self.donor["glyf"][whole].components[-1]
        x = bounds(self.font, glyph)[2] + mark.x - bounds(self.donor, plain)[2]
        part = (borrow(self.font, self.donor, mark.glyphName), x, mark.y)
        return [part], widths[whole][0] - widths[plain][0]

    def _placed(self, base: str, glyph: str, accent: str) -> Part:
        """An accent of Fredoka's, or of Nunito's where it has none, at the anchor of a letter."""
        left, _, right, top = bounds(self.font, glyph)
        middle = (left + right) / 2
        anchors = self.bases.get(glyph, [None] * (OGONEK + 1))
        # An i has no anchors: its accents are at its middle.
        below = anchors[BELOW] or (middle, 0)
        above = anchors[ABOVE] or (middle, 700 if base.isupper() else 500)
        if accent == BAR:
            bar = self.names[0x304]
            ends = bounds(self.font, bar)
            return bar, right - 65 - (ends[0] + ends[2]) / 2, top - 110 - (ends[1] + ends[3]) / 2
        own = self.names.get(ord(accent)) if len(accent) == 1 and accent != DOT_ABOVE else None
        if own and accent == CEDILLA:
            ends = bounds(self.font, own)
            return own, below[0] - (ends[0] + ends[2]) / 2, 0
        if own:
            x, y = (anchors[OGONEK] or (middle + 90, 10)) if accent == "\u0328" else above
            return own, x - self.marks[own][0], y - self.marks[own][1]
        name = {"\u0309": "hookabovecomb", DOT_BELOW: "dotbelowcomb"}.get(accent)
        name = name or "uni" + "".join(f"{ord(mark):04X}" for mark in accent)
        if accent in (DOT_BELOW, COMMA):
            return borrow(self.font, self.donor, name), *below
        height = NUNITO_HEIGHTS[base.isupper()]
        if base.isupper():
            name += ".case"
        mark = borrow(self.font, self.donor, name)
        if accent == "\u031b":
            return mark, right - INSIDE.get(base, 109), above[1] - height
        return mark, above[0], above[1] - height - NEARER


def save(font: TTFont, letters: Iterable[str], name: str, features: tuple[str, ...] = ()) -> None:
    """Writes the font with these letters alone."""
    names = [0, 1, 2, 13, 14]
    options = subset.Options(hinting=False, layout_features=list(features), name_IDs=names)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=map(ord, letters))
    subsetter.subset(font)
    font["name"].setName(name.partition("-")[0].title(), 1, 3, 1, 0x409)
    font.flavor = "woff2"
    font.save(FONTS / f"{name}.woff2")


def main(folder: Path) -> None:
    """Makes the files of `static/fonts/`."""

    def source(path: str) -> TTFont:
        found = folder / "node_modules" / "@expo-google-fonts" / path
        return TTFont(found, recalcTimestamp=False)

    greek = "m-plus-rounded-1c/{0}/MPLUSRounded1c_{0}.ttf"
    font = TTFont(FONTS / "print" / "fredoka.woff2", recalcTimestamp=False)
    font = instancer.instantiateVariableFont(font, {"wght": WEIGHT})
    # The font draws a V so far into the blank before it that "Im Verlauf" reads as one word.
    for pairs in subtables(font, 2):
        if pairs.Format == 1 and "space" in pairs.Coverage.glyphs:
            for record in pairs.PairSet[pairs.Coverage.glyphs.index("space")].PairValueRecord:
                record.Value1.XAdvance = max(record.Value1.XAdvance, SPACE_KERNING)
    nunito = "nunito/400Regular/Nunito_400Regular.ttf"
    for name, own, weight in (
        ("fredoka", font, "800ExtraBold"),
        ("nunito", source(nunito), "400Regular"),
    ):
        signs = source(greek.format(weight))
        for sign in SIGNS:
            borrow(own, signs, signs.getBestCmap()[ord(sign)], sign)
        save(own, [*LATIN, *SIGNS], name, ("kern",))

    composer = Composer(
        source("fredoka/600SemiBold/Fredoka_600SemiBold.ttf"),
        source("nunito/800ExtraBold/Nunito_800ExtraBold.ttf"),
    )
    for letter in MORE:
        if ord(letter) not in composer.names:
            composer.compose(letter)
    save(composer.font, MORE, "fredoka-more")

    save(source(nunito), MORE, "nunito-more")
    save(source(greek.format("400Regular")), GREEK, "greek")
    save(source(greek.format("800ExtraBold")), GREEK, "greek-bold")


main(Path(sys.argv[1]))
