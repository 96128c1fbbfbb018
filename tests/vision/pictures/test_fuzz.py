"""Files with something wrong either open or are refused with a sentence; nothing else happens."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.kit.photos.bad_pictures import mutations, opened

ROOT = Path(__file__).resolve().parents[3]

WARNINGS = (b"Corrupt JPEG data: ", b"Premature end of JPEG file", b"Invalid SOS parameters")
"""Lines that libjpeg itself writes, at most one a picture, where it goes on."""


def test_three_hundred_mutations_open_or_are_refused() -> None:
    """In a process of its own: what a decoder in C does wrong would end this one."""
    command = [sys.executable, "-W", "error", "-m", "tests.kit.photos.bad_pictures", "300", "5"]
    ran = subprocess.run(command, capture_output=True, cwd=ROOT, check=False)
    assert ran.returncode == 0, ran.stderr.decode()
    assert [line for line in ran.stderr.splitlines() if not line.startswith(WARNINGS)] == []


def test_the_mutations_reach_the_decoders_and_are_the_same_for_a_seed() -> None:
    first = list(mutations(40, 1))
    assert first == list(mutations(40, 1))
    assert {"opened", "damaged", "truncated"} <= {opened(data) for data in first}
