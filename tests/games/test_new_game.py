"""`make game`: the copy of its skeleton plays, and passes the tests of any game."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lab import one_game
from tests.test_translations import TRANSLATED, in_sources

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = shutil.ignore_patterns(".*", "node_modules", "*.pyc")  # Installed, cached, or git's
NAME = "knisterkreuz"  # a long one: lines with the name in them grow
QUICK = ("tests/games", "tests/web/table/test_cost.py")  # its few turns are soon over


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository with a new game in it."""
    root = tmp_path_factory.mktemp("copies") / "copy"
    shutil.copytree(ROOT, root, ignore=LEFT_OUT)
    (root / ".venv").symlink_to(Path(sys.prefix))
    run(root, sys.executable, "tools/new-game.py", NAME)
    return root


def run(root: Path, *command: str) -> str:
    ran = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_a_copy_of_the_skeleton_passes_the_contract(copy: Path) -> None:
    """Its own tests, its referee and the linter, too."""
    for check in (["check"], ["format", "--check"]):
        run(copy, sys.executable, "-m", "ruff", *check, ".")
    run(copy, sys.executable, "-m", "pytest", "-q", "--game", NAME, *QUICK)


def test_the_skeletons_sentences_are_translated_beside_it() -> None:
    """A sentence that it shares with a game of the catalogue may be worded anew there."""
    skeleton = ROOT / "tools" / "skeleton"
    said = {text for _, text in in_sources(skeleton)}
    words = tomllib.loads((skeleton / "words.toml").read_text("utf-8"))
    assert {language: said - {*texts} for language, texts in words.items()} == {
        language: set() for language in TRANSLATED
    }


@pytest.mark.wide
def test_it_passes_all_tests_of_a_game(copy: Path) -> None:
    run(copy, sys.executable, "-m", "mypy")
    run(copy, "make", "-o", "setup", "-o", "setup-test", "translations", "printables")
    run(copy, sys.executable, "-m", "pytest", "-q", "--game", NAME)


def test_the_tests_in_a_games_folder_are_its() -> None:
    """`pytest --game` runs them without a mark or parameter."""
    path = ROOT / "tests" / "games" / "kniffel" / "test_rules.py"
    item: Any = SimpleNamespace(path=path, get_closest_marker=lambda _: None)
    chosen = [name for name in ("kniffel", "qwixx") if one_game.is_of(one_game.KNOWN[name], item)]
    assert chosen == ["kniffel"]


@pytest.mark.parametrize("name", ["", "Knister", "knister-2", "kniffel"])
def test_a_name_that_no_game_can_have_is_refused(name: str) -> None:
    command = [sys.executable, "tools/new-game.py", name]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert "Traceback" not in ran.stderr
    assert ran.stderr.strip().endswith(("make game NAME=knister", "companion/games/kniffel"))
