#!/usr/bin/env python3
"""Prints the tests of the files that differ from the last commit, or of those that are named.

Tests mirror the code: those of `companion/core/panel.py` are in `tests/core/test_panel.py`, or all
in that folder where this file does not exist, and a game's are in `tests/games/GAME`.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests"
# Folders whose tests are elsewhere
ELSEWHERE = {"templates": "web", "static": "web/assets", "training": "training"}
# Folders with a file or a folder for each game
OF_A_GAME = (["games"], ["moves"], ["filled"], ["oracles"])
# Tests of what any file can break: documents, names, translations
ALWAYS = ("test_packages.py", "test_readme.py", "test_translations.py")


def changed() -> list[Path]:
    """What `git status` would list, without files that are gone."""
    asked = (["diff", "--name-only", "HEAD"], ["ls-files", "--others", "--exclude-standard"])
    texts = [
        subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout
        for words in asked
    ]
    return [Path(line) for line in "".join(texts).splitlines() if (ROOT / line).exists()]


def tests_of(path: Path) -> list[Path]:
    """The tests of one file; none where only the whole suite has some."""
    top, *rest = path.parts
    if top == "tests":
        if path.name.startswith("test_") and path.suffix == ".py":
            return [ROOT / path]
        folder = TESTS / Path(*rest[:-1])
    elif rest[:1] in OF_A_GAME and len(rest) > 1:  # of one game: its files, its page, its style
        folder = TESTS / "games" / rest[1].partition(".")[0]
    else:
        folder = TESTS / ELSEWHERE.get(top, "") / Path(*rest[:-1])
        own = folder / f"test_{path.stem}.py"
        if own.exists():
            return [own]
    while not folder.is_dir():
        folder = folder.parent
    return sorted(folder.glob("test_*.py")) if folder != TESTS else []


files = [Path(word) for word in sys.argv[1:]] or changed()
found = {test for path in files for test in tests_of(path)} | {TESTS / name for name in ALWAYS}
print(*sorted(str(test.relative_to(ROOT)) for test in found), sep="\n")
