"""Prints the size of the house: lines, folders, long functions, missing docstrings, repeated names.

    python tools/measure-house.py            every figure, with its aim
    python tools/measure-house.py --list     and each function and file behind a figure

It reads the files that git knows. `python -m benchmarks stops` prints the stops of a tap.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Final, TypeAlias

ROOT: Final = Path(__file__).resolve().parents[1]
PRODUCT: Final = "companion"
BESIDE: Final = ("tests", "benchmarks", "training")
MOST_PRODUCT_LINES: Final = 35_000
MOST_LINES_BESIDE: Final = 45_000
MOST_MODULES: Final = 20
"""Modules a folder, without its `__init__`."""
LONGEST_FUNCTION: Final = 50
"""Lines of a function, with its docstring."""
SHARED_NAMES: Final = ("__init__", "__main__", "conftest")
ROOMS: Final = f"{PRODUCT}/games/"
"""Every room of a game has files of the same names; that is what makes them rooms."""

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


def files(folder: str) -> list[PurePosixPath]:
    """The Python files that git knows in a folder, as paths from the root."""
    asked = ["git", "ls-files", "-co", "--exclude-standard", "--", f"{folder}/*.py"]
    listed = subprocess.run(asked, cwd=ROOT, check=True, capture_output=True, text=True)
    return [PurePosixPath(line) for line in listed.stdout.splitlines() if (ROOT / line).exists()]


def lines(paths: Sequence[PurePosixPath]) -> int:
    return sum(len((ROOT / path).read_bytes().splitlines()) for path in paths)


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


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="name what stands behind each figure")
    named = parser.parse_args().list
    product = files(PRODUCT)
    beside = {folder: files(folder) for folder in BESIDE}
    print(
        f"{PRODUCT}: {lines(product):,} lines in {len(product)} files (aim: {MOST_PRODUCT_LINES:,})"
    )
    parts = ", ".join(f"{folder} {lines(paths):,}" for folder, paths in beside.items())
    total = sum(lines(paths) for paths in beside.values())
    print(f"beside it: {total:,} lines (aim: {MOST_LINES_BESIDE:,}): {parts}")

    long: list[str] = []
    silent: list[str] = []
    for path in product:
        for function, public in functions(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
            place = f"{path}:{function.lineno} {function.name}"
            length = (function.end_lineno or function.lineno) - function.lineno + 1
            if length > LONGEST_FUNCTION:
                long.append(f"{place} ({length})")
            if public and not ast.get_docstring(function):
                silent.append(place)
    everything = [*product, *(path for paths in beside.values() for path in paths)]
    modules = Counter(path.parent for path in everything if path.stem not in SHARED_NAMES)
    wide = [f"{folder}: {count}" for folder, count in modules.most_common() if count > MOST_MODULES]
    stems = Counter(
        path.stem
        for path in product
        if path.stem not in SHARED_NAMES and not str(path).startswith(ROOMS)
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
        for line in found if named else ():
            print(f"  {line}")
    largest = ", ".join(f"{folder} {count}" for folder, count in modules.most_common(5))
    print(f"largest folders: {largest}")


if __name__ == "__main__":
    main()
