"""The settings and their page, and what is counted in a sliding window."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import fields
from pathlib import Path

import pytest

from companion import limiter, limits
from companion.core.refusal import Unusable
from companion.limiter import RECENT_SECONDS, RateLimiter, TooMany
from companion.limits import USUAL, Limits, read_limits
from lab.patience import PATIENCE

ROOT = Path(__file__).parents[1]


def test_the_page_of_settings_has_them_all() -> None:
    assert limits.table() in (ROOT / "docs/settings.md").read_text("utf-8")
    assert len(fields(Limits)) == 9, "a setting that nobody sets is a constant"


def test_every_setting_is_looked_at() -> None:
    """None is left behind when its last reader goes."""
    code = "\n".join(
        path.read_text("utf-8")
        for path in (ROOT / "companion").rglob("*.py")
        if path.name != "limits.py"
    )
    assert [row.name for row in fields(Limits) if f".{row.name}" not in code] == []


def test_an_operator_sets_limits(tmp_path: Path) -> None:
    file = tmp_path / "limits.toml"
    file.write_text("printed_pages = 10\nstreams = 7\n", "utf-8")
    chosen = read_limits(str(file), ["streams = 1000"])
    assert (chosen.printed_pages, chosen.streams) == (10, 1000)
    assert read_limits(None, []) == USUAL


def test_a_file_may_have_settings_of_another_version(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "limits.toml"
    file.write_text("uploads = 10\nhead_seconds = 20\nprinted_pages = 10\n", "utf-8")
    chosen = read_limits(str(file), [])
    assert chosen.printed_pages == 10
    [said] = caplog.messages
    assert said == "unknown settings that do nothing: head_seconds, uploads"


def test_wrong_settings_are_refused(tmp_path: Path) -> None:
    for wrong in ("straems=1", "=1", "streams", *(f"streams={x}" for x in ("", "0", "-1", "1.5"))):
        with pytest.raises(Unusable):
            read_limits(None, [wrong])
    file = tmp_path / "limits.toml"
    with pytest.raises(Unusable):
        read_limits(str(file), [])
    for text in ("streams = true", "streams = 1.5", "streams = []", "?", "\0"):
        file.write_text(text, "utf-8")
        with pytest.raises(Unusable):
            read_limits(str(file), [])


def test_a_window_slides() -> None:
    now = 0.0
    acts = RateLimiter(lambda: now)
    acts.count({"a": 2})
    now = RECENT_SECONDS / 2
    acts.count({"a": 2})
    with pytest.raises(TooMany):
        acts.count({"a": 2, "b": 1})
    acts.count({"b": 1})  # which was not counted beside a
    now = RECENT_SECONDS
    take_back = acts.count({"a": 2})
    with pytest.raises(TooMany):
        acts.count({"a": 2})
    take_back()
    acts.count({"a": 2})


def test_senders_of_long_ago_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limiter, "REMEMBERED", 3)
    acts = RateLimiter()
    for number in range(10):
        acts.count({str(number): 1})
    assert len(acts._recent) == 3


def test_acts_at_once_are_all_counted() -> None:
    acts = RateLimiter()
    barrier = threading.Barrier(8)

    def act(_: int) -> int:
        barrier.wait(PATIENCE)
        counted = 0
        for _ in range(10):
            with suppress(TooMany):
                acts.count({"a": 10})
                counted += 1
        return counted

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(act, range(8))) == 10
