"""Only a game's own packages name the game, its sheet, its palette, its fields or its actions.

The names come from the packages' own declarations. A word that may mean something else, such as a
colour or a verb, is looked for in its context: a setting may have the name of an action.

The catalogue, documents and translations aside. Tests and the pictures' tools may name games: they
play them.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from companion.core import turns
from companion.core.sheet import AnySheetKind, Band, Field
from companion.games.catalog import GAMES, PACKAGES, SHEETS
from companion.tables.ledger.names import SEAT_COLORS

pytestmark = pytest.mark.every_game

ROOT: Final = Path(__file__).resolve().parents[1]
CATALOGUE: Final = "companion/games/catalog.py"
LOOKED_AT: Final = {
    "companion": ("*.py",),
    "templates": ("*.html", "*.svg"),
    "static": ("*.js", "*.css"),
    "training": ("*.py",),
    "benchmarks": ("*.py",),
    "printables": ("*.html", "*.svg"),
}
"""Top folder → the files in it that may name no game."""
SHARED_TURN: Final = "companion/core/turns.py"
"""It names the two actions that all games with a shared turn have."""
NOT_OURS: Final = ("static/vendor/", "companion/translations/")

PALETTES: Final = ("companion/core/sheet_style.py", "companion/core/colors.py", "static/app.css")
"""Files that name the colours of every game."""
OTHER_COLORS: Final = (
    "companion/tables/ledger/names.py",
    "companion/web/table/seating.py",
    "static/end.css",
    "templates/page/icons.html",
)
"""Files that name the colours of players and of confetti, which have nothing to do with a game."""


@cache
def sheet_rooms() -> set[str]:
    """The folders of games, and of sheets that games share."""
    return {path.name for path in (ROOT / "companion" / "games").iterdir() if path.is_dir()}


def is_in_a_room(path: str) -> bool:
    parts = Path(path).with_suffix("").parts
    return "games" in parts and bool(sheet_rooms() & set(parts[parts.index("games") + 1 :]))


@cache
def outside() -> tuple[str, ...]:
    found = (
        path.relative_to(ROOT).as_posix()
        for top, patterns in LOOKED_AT.items()
        for pattern in patterns
        for path in (ROOT / top).rglob(pattern)
    )
    return tuple(
        sorted(
            path
            for path in found
            if path != CATALOGUE and not path.startswith(NOT_OURS) and not is_in_a_room(path)
        )
    )


@cache
def text_of(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


@cache
def names() -> set[str]:
    """Words by which a game or a sheet is known, in lower case."""
    titles = {re.split(r"\W", str(game.title).lower())[0] for game in GAMES.values()}
    return {*GAMES, *PACKAGES, *SHEETS, *titles, *sheet_rooms()} - {"__pycache__"}


ORDINARY: Final = {"rounds"}
"""Names that mean something else in most sentences: sought where they stand alone in quotes."""


@cache
def palettes() -> list[frozenset[str]]:
    """The colours of each sheet, and the boards of each: one word of them may mean anything."""
    drawn = (
        {thing.color for board in kind.every_board for thing in things(kind, board)}
        for kind in SHEETS.values()
    )
    found = (*drawn, *(set(kind.boards) for kind in SHEETS.values()))
    return [frozenset(words) - {"plain"} for words in found]


def things(kind: AnySheetKind, board: str) -> Iterator[Field | Band]:
    layout = kind.paper(board).layout
    yield from (*layout.fields, *layout.bands)


@cache
def places() -> set[str]:
    """The names of fields and sums; a name without a dot, such as A1, may mean anything."""
    papers = [kind.paper(board) for kind in SHEETS.values() for board in kind.every_board]
    ids = {place.id for paper in papers for place in (*paper.fields, *paper.sums)}
    return {name for name in ids if "." in name} - {"sum.total"}


@cache
def actions() -> set[str]:
    return {name for game in GAMES.values() for name in game.panel.actions}


def strings(path: str) -> Iterator[str]:
    """The string literals of a Python file; what is quoted in another one, classes one by one."""
    if not path.endswith(".py"):
        yield from re.findall(r"""["']([^"'\n]*)["']""", text_of(path))
        for classes in re.findall(r"""\bclass="([^"\n]*)\"""", text_of(path)):
            yield from classes.split()
        return
    for node in ast.walk(ast.parse(text_of(path))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def faults(found: Callable[[str], Iterable[str]]) -> dict[str, list[str]]:
    """File → what a check has found in it, for the files in which it found something."""
    return {path: words for path in outside() if (words := sorted(set(found(path))))}


def test_no_game_or_sheet_is_named() -> None:
    known = "|".join(map(re.escape, sorted(names() - ORDINARY)))
    quoted = "|".join(map(re.escape, sorted(ORDINARY)))
    word = re.compile(rf"""(?<![a-z])({known})(?![a-z])|(?<=["'/])({quoted})(?=["'/])""", re.I)
    assert faults(lambda path: (found[0] for found in word.finditer(text_of(path)))) == {}


def test_no_palette_and_no_set_of_boards_is_listed() -> None:
    def found(path: str) -> Iterator[str]:
        told = set(strings(path))
        if path.endswith(".css"):
            told |= set(re.findall(r"\.([a-z]+)\b", text_of(path)))
        if path in OTHER_COLORS:
            told -= set(SEAT_COLORS)
        for palette in palettes():
            if len(told & palette) > 1:
                yield from told & palette

    assert faults(lambda path: () if path in PALETTES else found(path)) == {}


def test_no_field_or_sum_is_named() -> None:
    assert faults(lambda path: places().intersection(strings(path))) == {}


def test_no_action_is_named() -> None:
    """A word is an action's where it stands beside `do`."""
    named = "|".join(sorted(actions()))
    after_do = re.compile(
        rf"""["']?\bdo\b["']?\]?\s*(?::|===?|!==?|in)\s*[\[({{]?["']({named})["']"""
    )

    def found(path: str) -> set[str]:
        told = set(done(path)) if path.endswith(".py") else set(after_do.findall(text_of(path)))
        shared = {turns.CLOSE["do"], turns.pass_action("")["do"]} if path == SHARED_TURN else set()
        return told & actions() - shared

    assert faults(found) == {}


def done(path: str) -> Iterator[str]:
    """The strings that a Python file gives to `do`, compares it with, or looks up in actions."""
    for node in ast.walk(ast.parse(text_of(path))):
        if isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            yield from (text for key, value in pairs if is_do(key) for text in texts(value))
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(is_do(part) for side in sides for part in ast.walk(side)):
                yield from (text for side in sides for text in texts(side))
        elif isinstance(node, ast.Match) and any(is_do(part) for part in ast.walk(node.subject)):
            yield from (text for case in node.cases for text in texts(case.pattern))
        elif isinstance(node, ast.keyword) and node.arg == "do":
            yield from texts(node.value)
        elif isinstance(node, ast.Subscript) and "actions" in ast.dump(node.value):
            yield from texts(node.slice)


def is_do(node: ast.AST | None) -> bool:
    """Whether a node is the word `do`: a key, a variable or an attribute."""
    name = {ast.Constant: "value", ast.Name: "id", ast.Attribute: "attr"}.get(type(node), "")
    return getattr(node, name, None) == "do"


def texts(node: ast.AST) -> list[str]:
    constants = (part.value for part in ast.walk(node) if isinstance(part, ast.Constant))
    return [value for value in constants if isinstance(value, str)]


def test_a_game_imports_no_other_game() -> None:
    """It may import the folder of a sheet that games share."""

    def found(path: Path) -> Iterator[str]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                package, _, rest = f"{node.module}.".partition("companion.games.")
                other = rest.split(".")[0]
                if not package and other in PACKAGES and other not in path.parts:
                    yield other

    games = (ROOT / "companion" / "games").glob("*/**/*.py")
    others = {str(path.relative_to(ROOT)): set(found(path)) for path in games}
    assert {path: named for path, named in others.items() if named} == {}


def test_imports_keep_the_contracts() -> None:
    """`make lint` asks it, too; here for those who run the tests of one game."""
    lint = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    command = [sys.executable, "-c", lint, "--no-cache"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout


@pytest.mark.parametrize(
    ("line", "leaks"),
    [
        ('{"do": "roll", "by": name}', ["roll"]),
        ('if action["do"] == "roll": pass', ["do", "roll"]),
        ('if action.get("do") in ("pass", "next"): pass', ["do", "pass", "next"]),
        ('kind = panel.actions["cross"]', ["cross"]),
        ('match action["do"]:\n    case "lay": pass', ["lay"]),
        ('play = {"start": start, "draw": "middle"}', []),
        ('if align == "start": pass', []),
    ],
)
def test_an_action_is_known_by_what_it_stands_beside(
    line: str, leaks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "text_of", lambda _: line)
    assert list(done("some.py")) == leaks
