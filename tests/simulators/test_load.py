"""The benchmark of many tables finds the load that a machine carries, however slow it is."""

from __future__ import annotations

import pytest

from benchmarks import live


@pytest.mark.parametrize(
    ("most", "limit"),
    [(5, "between 0 and 10"), (20, "between 15 and 22"), (10_000, "above 1297")],
)
def test_the_limit_is_found_and_printed(
    most: float, limit: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def measured(rate: float, seconds: float) -> tuple[live.Latencies, live.Load]:
        drawn = [0.01 if rate <= most else 0.5] * 100
        return live.Latencies(answered=drawn, drawn=drawn), live.Load(seconds=seconds)

    monkeypatch.setattr(live, "_crowd_at", measured)
    live.print_limit()
    *_, last = capsys.readouterr().out.splitlines()
    assert last.split(maxsplit=4)[-1] == f"{limit} taps a second"


def test_a_load_at_which_nothing_arrives_is_too_much() -> None:
    assert not live.holds(live.Latencies())
    assert not live.holds(live.Latencies(drawn=[0.01], lost=1))
