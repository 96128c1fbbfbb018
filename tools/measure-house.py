"""Prints the size of the house: lines, folders, long functions, missing docstrings, repeated names.

python tools/measure-house.py            every figure; the rooms with their budgets and aims
python tools/measure-house.py --list     and each function and file behind a figure
python tools/measure-house.py --check    a line for each room over its budget (`make lint`)
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

ROOT: Final = Path(__file__).resolve().parents[1]
PRODUCT: Final = "companion/**/*.py"
BESIDE: Final = ("tests/**/*.py", "benchmarks/**/*.py", "training/**/*.py")


class Room(NamedTuple):
    """Files whose lines, with blank ones and docstrings, are counted together."""

    name: str
    paths: str
    """Patterns from the root, apart by blanks."""
    budget: int
    """Lines that it may have: 2 % above 2.0.0, so that a mend costs no docstring. It is raised
    only by what another room's is lowered by."""
    aim: int | None = None


GAMES: Final = {
    "encore": 3_840,
    "freaky": 1_335,
    "kniffel": 1_505,
    "qwinto": 1_680,
    "qwinto_cards": 1_180,
    "qwinto_dice": 758,
    "qwixx": 2_605,
    "rounds": 988,
    "tally": 595,
}
"""Room of a game or sheet → the lines of all its files. A new one begins with what it has."""
OF_A_GAME: Final = (
    "companion/games/{0}/**/*.py tests/games/{0}/**/*.py tests/kit/oracles/{0}.py"
    " benchmarks/games/{0}.py benchmarks/photos/printing/games/{0}.py training/games/{0}.py"
    " templates/games/{0}/*.html static/games/{0}.css"
)
ROOMS: Final = (
    Room("core", "companion/core/**/*.py", 2_960, 2_600),
    Room("games, their rooms aside", "companion/games/*.py", 1_036),
    Room(
        "pads, with fitting.py and folders.py",
        "companion/pads/**/*.py companion/fitting.py companion/folders.py",
        1_560,
        1_450,
    ),
    Room(
        "vision but its tables",
        "companion/vision/*.py companion/vision/[!t]*/**/*.py",
        8_580,
        8_800,
    ),
    Room("vision: tables", "companion/vision/tables/*.py", 1_401, 820),
    Room("paper", "companion/paper/**/*.py", 1_930, 1_800),
    Room("tables", "companion/tables/**/*.py", 9_190, 8_800),
    Room(
        "tables: upkeep, database but its migrations",
        "companion/tables/upkeep/*.py companion/tables/database/*.py",
        1_860,
    ),
    Room("web: net, run", "companion/web/net/*.py companion/web/run/*.py", 885, 1_200),
    Room("web: table", "companion/web/table/*.py", 3_300, 2_700),
    Room("web: review", "companion/web/review/*.py", 1_552, 1_550),
    Room("web: record", "companion/web/record/*.py", 996, 1_050),
    Room(
        "web: page, assets, app.py",
        "companion/web/page/*.py companion/web/assets/*.py companion/web/*.py",
        1_446,
        1_150,
    ),
    Room(
        "cli, children, limits.py, limiter.py",
        "companion/cli/*.py companion/children/*.py companion/limit*.py companion/__*.py",
        1_100,
        1_100,
    ),
    Room("companion, games' rooms aside", PRODUCT, 35_809, 32_800),
    Room("tests", "tests/**/*.py", 30_935, 29_000),
    Room("benchmarks", "benchmarks/**/*.py", 5_053, 4_300),
    Room("training", "training/**/*.py", 5_457, 4_900),
    Room("tests of the scripts", "tests/js/**/*.js", 2_816, 2_300),
    Room("static, templates", "static/**/*.css static/**/*.js templates/**/*.html", 10_572, 10_200),
    *(Room(f"game: {name}", OF_A_GAME.format(name), budget) for name, budget in GAMES.items()),
)
MOST_MODULES: Final = 20
"""Modules a folder, without its `__init__`."""
LONGEST_FUNCTION: Final = 50
"""Lines of a function, with its docstring."""
SHARED_NAMES: Final = ("__init__", "__main__", "conftest")
GAME_FOLDERS: Final = "companion/games/"
"""Every room of a game has files of the same names; that is what makes them rooms."""

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


def files(patterns: str) -> list[Path]:
    """The files of these patterns, as paths from the root; without others' scripts."""
    found = {path.relative_to(ROOT) for pattern in patterns.split() for path in ROOT.glob(pattern)}
    return sorted(path for path in found if "vendor" not in path.parts)


def lines(paths: Iterable[Path]) -> int:
    return sum(len((ROOT / path).read_bytes().splitlines()) for path in paths)


def measured() -> list[tuple[Room, int]]:
    """Each room with its lines; what a game's room has counts there and nowhere else.

    A game without a number of its own is a room whose budget is 0.
    """
    names = {path.parent.name for path in files("companion/games/*/__init__.py")} - GAMES.keys()
    new = [Room(f"game: {name}", OF_A_GAME.format(name), 0) for name in sorted(names)]
    of_games = {room: files(room.paths) for room in (*ROOMS, *new) if room.name.startswith("game:")}
    elsewhere = {path for found in of_games.values() for path in found}
    found = {room: set(files(room.paths)) - elsewhere for room in ROOMS} | of_games
    return [(room, lines(paths)) for room, paths in found.items()]


def keeps_budgets() -> bool:
    """Whether every room keeps its budget; prints a line for each that does not."""
    over = [(room, found) for room, found in measured() if found > room.budget]
    for room, found in over:
        if not room.budget:
            name = room.name.removeprefix("game: ")
            print(f'A new game: give it a line in GAMES of this file, "{name}": {found:_},')
            continue
        print(
            f"{room.name}: {found:,} lines, its budget is {room.budget:,}. Make this room smaller,"
            " or lower another room's budget in the same commit by what you add to this one's."
        )
    return not over


def functions(tree: ast.Module) -> Iterator[tuple[Function, bool]]:
    """Each function of a module, and whether it is public: reached by public names alone."""

    def inside(node: ast.AST, public: bool) -> Iterator[tuple[Function, bool]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, Function):
                named = public and not child.name.startswith("_")
                yield child, named
                yield from inside(child, False)
            elif isinstance(child, ast.ClassDef):
                yield from inside(child, public and not child.name.startswith("_"))
            else:
                yield from inside(child, public)

    return inside(tree, True)


def docstring_lines(tree: ast.Module) -> int:
    """The lines of all docstrings, those under constants among them."""
    return sum(
        (node.end_lineno or node.lineno) - node.lineno + 1
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="name what stands behind each figure")
    parser.add_argument("--check", action="store_true", help="only rooms over their budgets")
    options = parser.parse_args()
    if options.check:
        sys.exit(0 if keeps_budgets() else 1)
    print(f"{'room':<44} {'lines':>7} {'budget':>7} {'aim':>7}")
    for room, found in measured():
        aim = f"{room.aim:>7,}" if room.aim else ""
        print(f"{room.name:<44} {found:>7,} {room.budget:>7,} {aim}".rstrip())
    product = files(PRODUCT)

    long: list[str] = []
    silent: list[str] = []
    explained = 0
    for path in product:
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        explained += docstring_lines(tree)
        for function, public in functions(tree):
            place = f"{path}:{function.lineno} {function.name}"
            length = (function.end_lineno or function.lineno) - function.lineno + 1
            if length > LONGEST_FUNCTION:
                long.append(f"{place} ({length})")
            if public and not ast.get_docstring(function):
                silent.append(place)
    everything = [*product, *files(" ".join(BESIDE))]
    modules = Counter(path.parent for path in everything if path.stem not in SHARED_NAMES)
    wide = [f"{folder}: {count}" for folder, count in modules.most_common() if count > MOST_MODULES]
    stems = Counter(
        path.stem
        for path in product
        if path.stem not in SHARED_NAMES and not str(path).startswith(GAME_FOLDERS)
    )
    twice = [
        f"{stem}: " + ", ".join(str(path) for path in product if path.stem == stem)
        for stem, count in sorted(stems.items())
        if count > 1
    ]
    for title, found in (
        (f"folders with more than {MOST_MODULES} modules", wide),
        (f"functions of more than {LONGEST_FUNCTION} lines", long),
        ("public functions without a docstring", silent),
        ("file names that stand twice", twice),
    ):
        print(f"{title}: {len(found)}")
        for line in found if options.list else ():
            print(f"  {line}")
    print(f"docstrings' share of companion: {explained / lines(product):.1%}, its aim is 10 %")
    largest = ", ".join(f"{folder} {count}" for folder, count in modules.most_common(5))
    print(f"largest folders: {largest}")


if __name__ == "__main__":
    main()
