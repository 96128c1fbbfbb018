"""The soak's own check finds what is lost, doubled, strange or out of order."""

from __future__ import annotations

import pytest

from benchmarks.soak.ledger import Differences, Ledger


def ledger() -> Ledger:
    """Three taps at a table with a past; the last one has not been answered yet."""
    made = Ledger({"table": ["past"]})
    for tap in ("one", "two", "three"):
        made.send("table", tap)
        if tap != "three":
            made.acknowledge("table")
    return made


@pytest.mark.parametrize(
    ("logged", "lost", "wrong"),
    [
        (["past", "one", "two"], 0, 0),
        (["past", "one", "two", "three"], 0, 0),
        (["past", "one"], 1, 1),
        (["past", "two", "three"], 1, 1),
        (["past", "one", "two", "two"], 0, 1),
        (["past", "two", "one"], 0, 1),
        (["past", "one", "two", "strange"], 0, 1),
        ([], 2, 1),
    ],
)
def test_a_log_is_compared_with_what_was_acknowledged(
    logged: list[str], lost: int, wrong: int
) -> None:
    made = ledger()
    found = made.differences({"table": logged}, made.acknowledged())
    assert found == Differences(lost, wrong)


def test_a_tap_acknowledged_after_the_log_was_read_is_not_missed() -> None:
    made = ledger()
    before = made.acknowledged()
    made.acknowledge("table")
    assert made.differences({"table": ["past", "one", "two"]}, before) == Differences(0, 0)
    assert made.differences({"table": ["past", "one", "two"]}, made.acknowledged()).lost == 1
