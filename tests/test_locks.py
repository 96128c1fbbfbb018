"""The lock files name each package's files by their hashes; pip installs no others."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize(
    "lock", ["requirements.lock", "requirements-test.lock", "requirements-oldest.txt"]
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
