"""The lock files name each package's files by their hashes, and no others are installed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LOCKS = ("requirements.lock", "requirements-test.lock")


@pytest.mark.parametrize("lock", LOCKS)
def test_every_package_has_hashes(lock: str) -> None:
    text = re.sub(r"^ *#.*\n", "", (ROOT / lock).read_text("utf-8"), flags=re.MULTILINE)
    packages = text.replace("\\\n", " ").splitlines()
    assert len(packages) > 20
    for package in packages:
        assert re.fullmatch(r"\S+==\S+( ; [^-]+)?(\s+--hash=sha256:[0-9a-f]{64})+", package), (
            package
        )


@pytest.mark.parametrize("lock", [*LOCKS, "requirements-oldest.txt"])
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
