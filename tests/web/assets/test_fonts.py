"""The pages' two typefaces: which letters each file has, and which of them a page loads."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from babel.messages.pofile import read_po
from fontTools.ttLib import TTFont

ROOT = Path(__file__).parents[3]
FACE = re.compile(r"@font-face \{(.*?)\n\}", re.DOTALL)
NAMES = (
    "Łukasz Żółć-Gąśkiewicz, Święty Jędrzej Źdźbło",
    "Jiří Šťastný, Žofie Čeňková, Ďáblík Růžička, Ľubomír",
    "Şükrü Işık, İbrahim Çağlar Doğuş",
    "Nguyễn Thị Hường, Đặng Văn Ơn, Trần Quốc Tuấn, Ỷ Ẵ Ặ",
    "Ștefan Țuțu, Őrült Űz, Åse Þorgerður Øvergård, Françoise Müßig",
    "Γιώργος Παπαδόπουλος, Άννα Ξένου, Ήβη Ψαΐδη",
)


class Face(NamedTuple):
    """A file of a typeface, and the letters for which a page loads it."""

    family: str
    range: str
    letters: frozenset[int]

    def is_for(self, letter: str) -> bool:
        """Whether the style sheet has this file in mind for the letter."""
        spans = re.findall(r"U\+([0-9A-F]+)(?:-([0-9A-F]+))?", self.range)
        known = [int(first, 16) <= ord(letter) <= int(last or first, 16) for first, last in spans]
        return ord(letter) in self.letters and (any(known) or not spans)


@cache
def faces(family: str) -> list[Face]:
    """The files of a typeface, the one that is looked at first at the beginning."""
    found = []
    for block in FACE.findall((ROOT / "static" / "app.css").read_text("utf-8")):
        values = dict(re.findall(r"([\w-]+): ([^;]+);", block))
        name = re.search(r"fonts/[\w-]+\.woff2", block)
        assert name
        with TTFont(ROOT / "static" / name[0]) as font:
            letters = frozenset(font.getBestCmap())
        found.append(Face(values["font-family"], values.get("unicode-range", ""), letters))
    return [face for face in reversed(found) if face.family == f'"{family}"']


@pytest.mark.parametrize("family", ["Fredoka", "Nunito"])
def test_a_name_is_written_in_one_face(family: str) -> None:
    for name in NAMES:
        missing = [
            letter for letter in name if not any(face.is_for(letter) for face in faces(family))
        ]
        assert missing == [], name


@pytest.mark.parametrize("family", ["Fredoka", "Nunito"])
def test_a_page_without_names_needs_one_file_of_a_face(family: str) -> None:
    usual, *others = faces(family)
    assert not usual.range and all(face.range for face in others)
    for path in sorted((ROOT / "companion" / "translations").rglob("*.po")):
        with path.open("rb") as file:
            texts = [text for entry in read_po(file) for text in (entry.id, entry.string)]
        letters = set(str(texts)) - {"\u00ad"}
        assert {letter for letter in letters if ord(letter) not in usual.letters} == set(), path
