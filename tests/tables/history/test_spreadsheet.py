"""Finished games in a spreadsheet: no text in them becomes a formula, wherever it is split."""

from __future__ import annotations

import csv
import itertools
import re

import pytest

from companion.games.catalog import GAMES
from companion.tables.history.exchange import escape_formula, to_csv
from companion.tables.ledger.saved import Participant, SavedMatch
from tests.tables.history.test_history import ENDED


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("Ada", "Ada"),
        ("", ""),
        ("-", "'-"),
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t'=1"),
        ("\r=1", "'\r'=1"),
        ("\n=1", "'\n'=1"),
        ('x;=1;"@2', "x;'=1;'\"@2"),
        ("x,-5, y", "x,'-5, y"),
        ("  =1", "'  =1"),
        ("\u00a0=1", "'\u00a0=1"),
        ("\u3000=1", "'\u3000=1"),
        ("\u200d=1", "'\u200d=1"),
        ("＝1", "'＝1"),
        ("＋1", "'＋1"),
        ("－1", "'－1"),
        ("＠1", "'＠1"),
        ("|cmd", "'|cmd"),
        ("%0A=1", "'%0A=1"),
        ('"=1', "'\"=1"),
        ("'=1", "''=1"),
        ("a=1", "a=1"),
        ("1-1", "1-1"),
        ("=cmd|'/c calc'!A0", "'=cmd|'/c calc'!A0"),
        ('=HYPERLINK("http://x.example","y")', '\'=HYPERLINK("http://x.example","y")'),
    ],
)
def test_no_cell_is_a_formula(text: str, cell: str) -> None:
    assert escape_formula(text) == cell


BREAKS = ("\t", "\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x85", "\u2028")
HOSTILE = [
    f"{start}{separator}{filler}{formula}{end}"
    for start in ("", "x", '"', 'x"')
    for separator in ("", ",", ";", ";;", *BREAKS)
    for filler in ("", " ", '"', "'\"", "\u2003")
    for formula in ("=1+1", "+1", "-1", "@x", "|cmd", "%0A", "＝1")
    for end in ("", ";", "\n", '"')
]


def _split_blindly(line: str, separator: str) -> list[str]:
    """Cells of a spreadsheet that takes no quotation mark for one, or forgets one at a break."""
    return line.split(separator)


def _split_quoted(line: str, separator: str) -> list[str]:
    """Cells of a spreadsheet that begins a quoted cell only after its own separator."""
    return next(csv.reader([line], delimiter=separator), [])


def test_no_program_finds_a_formula() -> None:
    """German Excel splits at semicolons: 84 lines of notes such as `x;=1+1;` began a formula."""
    matches = [
        SavedMatch(
            game=GAMES["qwinto-dice"], source="typed", started_at=None, ended_at=ENDED,
            place=text, notes=text, players=(Participant(text, 20, True, None),),
        )
        for text in HOSTILE
    ]  # fmt: skip
    text = to_csv(matches).decode("utf-8-sig")
    assert len(text.split("\r\n")) == len(HOSTILE) + 2, "a line each, whatever stands in it"
    lines = re.split("[\r\n\v\f\x1c-\x1e\x85\u2028]", text)
    ways = itertools.product((_split_blindly, _split_quoted), ",;\t")
    cells = {cell for split, at in ways for line in lines for cell in split(line, at)}
    begun = {cell for cell in cells if cell.strip(" \"'\u2003")[:1] in tuple("=+-@|%＝")}
    assert {cell for cell in begun if not cell.lstrip(' "\u2003').startswith("'")} == set()
