"""Attacks on a real server with few descriptors: honest phones go on playing meanwhile.

More and longer ones: `python -m benchmarks.attack.starving`.
"""

from __future__ import annotations

import sys

import pytest

from benchmarks.attack import starving
from tests.kit.wide import wide

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

SLOWEST = 3.0
"""Seconds that the slowest answer may take on a busy test machine; the benchmark is stricter."""


@pytest.mark.parametrize(
    "name",
    [
        "half-sent-heads",
        "write-lock",
        "own-bodies",
        *map(
            wide,
            (
                *("half-sent-bodies", "six-bodies", "slow-uploads", "greedy-uploads"),
                *(
                    "many-streams",
                    "bad-bytes",
                    "slow-pages",
                    "slow-prints",
                    "idle-connections",
                    "unread-answers",
                ),
            ),
        ),
    ],
)
def test_honest_phones_go_on(name: str) -> None:
    honest, megabytes, log_bytes = starving.run(name, seconds=3.0)
    assert honest.pages and max(honest.pages) < SLOWEST
    if name != "write-lock":  # nobody can write then; that they can read is enough
        assert honest.failures == 0
        assert max(honest.taps) < SLOWEST
    assert megabytes < 200
    assert log_bytes < 50_000
