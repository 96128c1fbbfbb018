"""No game is named outside its rooms: not it, its sheet, its colours, its boards or its actions.

The catalogue, documents and translations aside. Tests and the pictures' tools may name games: they
play them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

from companion.core import turns
from companion.games.catalog import GAMES, ROOMS, SHEETS
from companion.tables import SEAT_COLORS
from companion.web.table.play import VERBS

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
BUTTONS: Final = "companion/web/table/play.py"
NOT_OURS: Final = ("static/vendor/", "companion/translations/")

WORDS_OF_OTHERS: Final = frozenset(
    {
        "cross",  # a kind of field
        "start",  # an alignment of texts, and an event of a table
        "play",  # Flask's name of the table's pages
        "write",
    }
)
"""Action names that are words for something else, too; they are sought beside `do` only."""

PALETTES: Final = ("companion/core/look.py", "static/app.css")
"""Files that name the colours of every game."""
OTHER_COLORS: Final = (
    "companion/tables/ledger/names.py",
    "companion/web/table/view.py",
    "static/sheet.css",
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
    titles = {re.split(r"[^a-z]", str(game.title).lower())[0] for game in GAMES.values()}
    return {*GAMES, *ROOMS, *SHEETS, *titles, *sheet_rooms()} - {"__pycache__"}


@cache
def colors() -> set[str]:
    layouts = [
        sheet.paper(board).layout for sheet in SHEETS.values() for board in sheet.boards or ("",)
    ]
    drawn = {thing.color for layout in layouts for thing in (*layout.fields, *layout.bands)}
    boards = {board for sheet in SHEETS.values() for board in sheet.boards}
    return (drawn | boards) - {"plain"}


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
    word = re.compile(rf"(?<![a-z])({'|'.join(map(re.escape, sorted(names())))})(?![a-z])", re.I)
    assert faults(lambda path: word.findall(text_of(path))) == {}


def test_no_color_or_board_of_a_game_is_named() -> None:
    def found(path: str) -> Iterator[str]:
        named = colors() - set(SEAT_COLORS) if path in OTHER_COLORS else colors()
        yield from named.intersection(strings(path))
        if path.endswith(".css"):
            yield from re.findall(rf"\.(?:{'|'.join(sorted(named))})\b", text_of(path))

    assert faults(lambda path: () if path in PALETTES else found(path)) == {}


def test_no_action_is_named() -> None:
    named = "|".join(sorted(actions()))
    after_do = re.compile(
        rf"""["']?\bdo\b["']?\]?\s*(?::|===?|!==?|in)\s*[\[({{]?["']({named})["']"""
    )

    def found(path: str) -> Iterator[str]:
        if path.endswith((".py", ".js")) and path != SHARED_TURN:
            # The buttons of lobby and menu share some words with actions of games.
            shared = VERBS if path == BUTTONS else ()
            yield from (actions() - WORDS_OF_OTHERS).difference(shared).intersection(strings(path))
        allowed = {turns.CLOSE["do"], turns.skip("")["do"]} if path == SHARED_TURN else set()
        yield from set(after_do.findall(text_of(path))) - allowed

    assert faults(found) == {}
