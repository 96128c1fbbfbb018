"""Each refusal of a table is a sentence, and is raised with the values that it names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import companion
from companion.tables.refusals import REFUSALS, Refused, status_of
from lab.pages import is_sentence

KNOWN = {code: text for group in REFUSALS.values() for code, text in group.items()}
PLACE = re.compile(r"%\((\w+)\)s")


def raised() -> Iterator[tuple[str, frozenset[str]]]:
    """The code and the values' names of each `Refused("code", …)` in the program."""
    for path in Path(companion.__file__).parent.rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match call:
                case ast.Call(ast.Name("Refused"), [ast.Constant(str(code))], keywords):
                    names = {keyword.arg or "" for keyword in keywords}
                    yield code, frozenset(names - {"index", "entry"})


def test_every_refusal_of_a_table_is_a_sentence() -> None:
    for code, text in KNOWN.items():
        values = dict.fromkeys(PLACE.findall(text), "Tim") | {"reason": "It is late."}
        refused = Refused(code, **values)
        assert is_sentence(refused.refusal.message)
        assert refused.code == code


def test_every_code_is_raised_with_the_values_of_its_sentence() -> None:
    assert set(raised()) == {(code, frozenset(PLACE.findall(text))) for code, text in KNOWN.items()}


def test_statuses() -> None:
    """The rules' codes have no status of their own: they are a 422."""
    assert sum(map(len, REFUSALS.values())) == len(KNOWN)
    assert status_of("stale") == 409
    assert status_of("field-taken") == 422
