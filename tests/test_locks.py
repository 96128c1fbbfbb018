"""The lock files name each package's files by their hashes; pip installs no others."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


@pytest.mark.parametrize(
    "lock",
    [
        "requirements.lock",
        "requirements-image.lock",
        "requirements-test.lock",
        "requirements-oldest.txt",
    ],
)
def test_set_up_takes_no_file_without_its_hash(tmp_path: Path, lock: str) -> None:
    """An environment that notes what pip is asked for, in place of a real one."""
    (tmp_path / "bin").mkdir()
    python = tmp_path / "bin" / "python"
    python.write_text(f'#!/bin/sh\necho "$@" >>{tmp_path}/asked\n')
    python.chmod(0o755)
    (tmp_path / ".python").write_text(f"{sys.version} {sys.prefix}\n")
    environment = {**os.environ, "PYTHON": sys.executable}
    command = ["tools/setup-python", str(tmp_path), lock]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
    asked = (tmp_path / "asked").read_text()
    assert f"-r {lock}" in asked
    assert ("--require-hashes" in asked) == lock.endswith(".lock")


def test_the_image_takes_no_package_without_its_hash() -> None:
    """The image has the versions with which the tests ran."""
    installs = re.findall(r"bin/pip (.*)", (ROOT / "Dockerfile").read_text())
    assert len(installs) == 2
    assert all("--require-hashes" in each or "--no-deps" in each for each in installs)
    image, tested = (locked(f"requirements-{name}.lock") for name in ("image", "test"))
    for extra in ("photo", "postgres"):
        named = {re.split(r"[\[><=]", each)[0] for each in PROJECT["optional-dependencies"][extra]}
        assert named <= {name for name, _ in image}
    assert image <= tested


def locked(lock: str) -> set[tuple[str, str]]:
    """The packages of a lock file with their versions."""
    return set(re.findall(r"^([\w.-]+)==([^ ;]+)", (ROOT / lock).read_text(), re.MULTILINE))
