"""`make test` installs the packages of one list, and nothing else that a program prints."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from lab.servers import missing

ROOT: Final = Path(__file__).resolve().parents[1]
LISTED: Final = [
    line.split()[0]
    for line in (ROOT / "tools/packages").read_text("utf-8").splitlines()
    if not line.startswith("#")
]


def stub(path: Path, script: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def set_up(
    folder: Path, prints: str, user: int = 0, **environment: str
) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """Runs setup-services where the search for programs prints this; what apt-get was given."""
    (folder / "asked").touch()
    stub(folder / "bin/python", f"echo {prints}")
    stub(folder / "stubs/apt-get", f'echo "$@" >>{folder}/asked')
    candidate = '[ "$2" = nginx ] && echo "Candidate: 1.28" || echo "Candidate: (none)"'
    stub(folder / "stubs/apt-cache", candidate)
    stub(folder / "stubs/id", f"echo {user}")
    for program in ("sudo", "systemctl"):
        stub(folder / "stubs" / program, "exit 1")
    variables = {"PATH": f"{folder}/stubs:{os.environ['PATH']}", "CI": "", **environment}
    command = [ROOT / "tools/setup-services", folder]
    ran = subprocess.run(command, env=variables, check=False, capture_output=True, text=True)
    return ran, (folder / "asked").read_text().splitlines()


def test_listed_packages_are_named_and_installed_at_once(tmp_path: Path) -> None:
    ran, asked = set_up(tmp_path, "nginx; echo wkhtmltopdf")  # no longer in Debian
    assert [line.split()[:2] for line in asked] == [["-qq", "update"], ["-qq", "install"]]
    assert asked[1].endswith(" nginx nginx")  # as needed, and as wanted
    assert "nginx                    tests of the proxy" in ran.stderr


@pytest.mark.parametrize(
    "noise", ["could not import libraries.", "nginx libraries.", "ngin.", "-y"]
)
def test_no_other_word_reaches_apt(tmp_path: Path, noise: str) -> None:
    """Once a library's warning was installed word by word."""
    ran, asked = set_up(tmp_path, f"nginx; echo '{noise}'")
    assert (ran.returncode, asked) == (1, [])
    assert noise in ran.stderr


def test_without_root_the_tests_are_left_out(tmp_path: Path) -> None:
    ran, asked = set_up(tmp_path, "nginx", user=1000)
    assert (ran.returncode, asked) == (0, [])
    assert "left out" in ran.stderr
    assert "sudo apt install nginx" in ran.stderr
    ran, asked = set_up(tmp_path, "nginx", user=1000, CI="true")
    assert (ran.returncode, asked) == (1, [])


def test_every_package_is_listed(tmp_path: Path) -> None:
    assert sorted({*missing.IS_HERE, *missing.WANTED}) == LISTED


@pytest.mark.parametrize(
    ("ci", "outcome"), [("", pytest.skip.Exception), ("true", pytest.fail.Exception)]
)
def test_a_test_without_its_package_is_left_out(
    monkeypatch: pytest.MonkeyPatch, ci: str, outcome: type[BaseException]
) -> None:
    monkeypatch.setenv("CI", ci)
    monkeypatch.setitem(missing.IS_HERE, "nginx", lambda: False)
    with pytest.raises(outcome, match="sudo apt install nginx"):
        missing.need("nginx")


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ("companion/core/panel.py", "core/test_panel.py"),
        ("companion/core/sheet.py", "core/test_*.py"),
        ("companion/games/qwinto/sheet.py", "games/qwinto/test_*.py"),
        ("static/games/qwinto.css", "games/qwinto/test_*.py"),
        ("templates/page/fragments/new.html", "web/page/test_*.py"),
        ("static/js/table.js", "web/assets/test_*.py"),
        ("tests/paper/test_saving.py", "paper/test_saving.py"),
        ("README.md", "none"),
    ],
)
def test_a_check_runs_the_tests_of_what_changed(changed: str, expected: str) -> None:
    command = [sys.executable, ROOT / "tools/changed-tests.py", changed]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = {ROOT / line for line in printed.splitlines() if line.count("/") > 1}
    assert found == set((ROOT / "tests").glob(expected))
