"""The settings of limits, their page, and the one limiter."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import pytest

from companion import limiter as limiter_module
from companion import limits
from companion.core.refusal import Unusable
from companion.limiter import KINDS, Full, Limiter
from companion.limits import RECENT_SECONDS, USUAL, Limits, read_limits
from tests.kit.patience import PATIENCE

ROOT = Path(__file__).parents[1]


def test_the_page_of_settings_is_printed_anew() -> None:
    """`python -m companion.limits > docs/settings.md` prints it."""
    assert (ROOT / "docs/settings.md").read_text("utf-8") == limits.document()


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
    file.write_text("uploads = 10\nbody_seconds = 2.5\nstreams = 7\n", "utf-8")
    chosen = read_limits(str(file), ["streams=1_000", "head_seconds = 3"])
    assert (chosen.uploads, chosen.body_seconds, chosen.streams) == (10, 2.5, 1000)
    assert chosen.head_seconds == 3.0
    assert read_limits(None, []) == USUAL


@pytest.mark.parametrize(
    "wrong",
    [
        *("uplaods=1", "=1", "uploads", "uploads=", "uploads=0", "uploads=-1", "uploads=1.5"),
        *("uploads=many", "uploads=" + "9" * 5000, "body_seconds=nan", "body_seconds=inf"),
    ],
)
def test_wrong_settings_are_refused(wrong: str) -> None:
    with pytest.raises(Unusable):
        read_limits(None, [wrong])


@pytest.mark.parametrize("text", ["uploads = true", "uploads = 1.5", "uploads = []", "?", "\0"])
def test_a_wrong_file_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "limits.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(Unusable):
        read_limits(str(file), [])
    with pytest.raises(Unusable):
        read_limits(str(tmp_path / "missing.toml"), [])


# The limiter


def test_room_is_shared_and_given_back() -> None:
    limiter = Limiter(Limits(bodies=3, bodies_per_address=2))
    with limiter.room("bodies", address="a"), limiter.room("bodies", address="a"):
        with pytest.raises(Full) as full, limiter.room("bodies", address="a"):
            pass
        assert (full.value.kind, full.value.scope) == ("bodies", "address")
        with limiter.room("bodies", address="b"):
            with pytest.raises(Full) as full, limiter.room("bodies", address="c"):
                pass
            assert full.value.scope == "all"
            assert limiter.used("bodies") == 3
    assert limiter.used("bodies") == 0
    assert not limiter._held, "nothing is remembered of those who have gone"


def test_nobody_in_particular_is_not_limited() -> None:
    limiter = Limiter(Limits(bodies=3, bodies_per_address=1))
    for _ in range(3):
        limiter.take("bodies", address="")
    with pytest.raises(Full, match="all"):
        limiter.take("bodies", address="")


@pytest.mark.parametrize("kind", [name for name, make in KINDS.items() if make(USUAL).shared])
def test_an_address_holds_at_most_as_much_as_it_leaves_free(kind: str) -> None:
    """So there is room for others, whoever came before them."""
    most = dict.fromkeys((row.name for row in fields(Limits)), 1000)
    limiter = Limiter(USUAL.with_values(most))
    held = Counter[str]()
    for address in "abc":
        with pytest.raises(Full, match="address"):
            while True:
                limiter.take(kind, device=f"{address}{held[address]}", address=address)
                held[address] += 1
    assert held == {"a": 500, "b": 250, "c": 125}
    for number in range(125):
        limiter.take(kind, device=f"here {number}", address="")
    with pytest.raises(Full, match="all"):
        limiter.take(kind, device="here", address="")


def test_the_address_that_holds_most_gives_way(caplog: pytest.LogCaptureFixture) -> None:
    """Its oldest work ends first, and nobody has to give way to one who holds more."""
    limiter = Limiter(Limits(bodies=4, bodies_per_address=3))
    ended: list[str] = []
    busy = {"a1"}

    def come(name: str) -> Callable[[], None]:
        def end() -> bool:
            if name not in busy:
                ended.append(name)
            return name not in busy

        return limiter.take("bodies", address=name[0], end=end)

    leave = {name: come(name) for name in ("a1", "a2", "a3", "b1", "c1")}
    assert ended == ["a2"], "the oldest of the largest that is not busy"
    leave["a2"]()
    assert limiter.used("bodies") == 4, "its room was given back already"
    come("b2")
    assert ended == ["a2", "a3"]
    come("a4")
    assert ended == ["a2", "a3", "b1"], "a and b hold two, and b is not busy"
    busy |= {"a4", "b2"}
    with pytest.raises(Full):
        come("b3")
    assert "c1" not in ended
    (line,) = {text for text in caplog.messages if "ended for others from a" in text}
    assert "bodies" in line


def test_an_address_gives_way_to_itself() -> None:
    limiter = Limiter(Limits(bodies_per_address=2))
    ended: list[int] = []
    for number in range(5):
        limiter.take("bodies", address="a", end=lambda number=number: not ended.append(number))  # type: ignore[misc]
    assert ended == [0, 1, 2]


def test_a_window_slides() -> None:
    now = 0.0
    limiter = Limiter(Limits(recent_tables_per_address=2), lambda: now)
    limiter.take("recent-tables", address="a")
    now = RECENT_SECONDS / 2
    limiter.take("recent-tables", address="a")
    with pytest.raises(Full):
        limiter.take("recent-tables", address="a")
    limiter.take("recent-tables", address="b")
    now = RECENT_SECONDS
    give_back = limiter.take("recent-tables", address="a")
    with pytest.raises(Full):
        limiter.take("recent-tables", address="a")
    give_back()
    limiter.take("recent-tables", address="a")


def test_senders_of_long_ago_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limiter_module, "REMEMBERED", 3)
    limiter = Limiter()
    for number in range(10):
        limiter.take("recent-tables", address=str(number))
    assert len(limiter._recent) == 3


def test_whoever_waits_gets_the_room_that_is_given_back() -> None:
    limiter = Limiter(Limits(printing_requests=1))
    give_back = limiter.take("printing")
    threading.Timer(0.05, give_back).start()
    with limiter.room("printing", wait=PATIENCE), pytest.raises(Full):
        limiter.take("printing", wait=0.01)


def test_refusals_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    """With the address and without tokens."""
    limiter = Limiter(Limits(streams_per_device=1))
    limiter.take("streams", device="a-token", address="192.0.2.1")
    with pytest.raises(Full):
        limiter.take("streams", device="a-token", address="192.0.2.1")
    (line,) = caplog.messages
    assert "streams" in line
    assert "192.0.2.1" in line
    assert "a-token" not in line


def test_every_kind_is_bounded() -> None:
    assert all(make(USUAL).most for make in KINDS.values())
