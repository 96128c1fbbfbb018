"""What a user types from the README works: the commands are taken from its own text and run."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from companion.cli import main
from companion.tables import Tables
from tests.kit import paper
from tests.kit.games import document

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
COMMANDS = [line.split("#")[0].strip() for block in BLOCKS for line in block.splitlines() if line]


def of(program: str) -> list[list[str]]:
    """The README's commands of one program, as words."""
    return [words for words in map(shlex.split, COMMANDS) if words[0] == program]


def test_the_two_commands_come_first() -> None:
    assert COMMANDS[:2] == ["make run", "make test"]


@pytest.mark.parametrize("words", of("make"), ids=" ".join)
def test_make_knows_its_targets(words: list[str]) -> None:
    """Only what it would do is asked for: running it here would test the tests."""
    asked = subprocess.run(
        [*words, "--dry-run"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert asked.returncode == 0, asked.stderr


@pytest.mark.parametrize("words", of("companion"), ids=" ".join)
def test_the_command_line(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    roll = {"do": "roll", "by": "Tim", "dice": {"yellow": 4}}
    game = {"game": "qwinto-dice", "players": ["Tim", "Sarah"], "actions": [roll]}
    record = {"format": "companion-record/1", **game}
    Path("game.json").write_text(json.dumps(record), encoding="utf-8")
    Path("sheet.json").write_text(json.dumps(document()), encoding="utf-8")
    sheet = paper.filled("qwinto", {"orange.1": 4, "failed.1": True})
    Path("photo.jpg").write_bytes(paper.jpeg(paper.photo(sheet)))
    monkeypatch.setenv("COMPANION_DB", f"sqlite:///{tmp_path / 'companion.sqlite3'}")
    Tables(f"sqlite:///{tmp_path / 'companion.sqlite3'}").close()
    assert main(["backup", "games.backup"]) == 0
    # What a shell does with a star.
    given = [
        name
        for word in words[1:]
        for name in (sorted(map(str, Path().glob(word))) if "*" in word else [word])
    ]
    assert main(given) == 0


def test_the_files_it_points_to_are_there() -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)\)", README)
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_options_it_names_exist() -> None:
    shown = "".join(
        subprocess.run(
            [sys.executable, "-m", "companion", command, "--help"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for command in ("serve", "pad", "restore")
    )
    for option in set(re.findall(r"`?(--[a-z]+)", README)) - {"--json"}:
        assert option in shown, option
