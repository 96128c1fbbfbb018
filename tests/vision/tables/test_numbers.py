"""Numbers in cells of tables: several opinions as one."""

from __future__ import annotations

from companion.vision.tables.numbers import _pooled


def test_a_dash_decides_between_a_number_and_its_negative() -> None:
    opinions = [(1.0, {5: 0.4, -5: 0.4})]
    with_dash = _pooled(opinions, is_negative=True).chances
    without = _pooled(opinions, is_negative=False).chances
    assert with_dash[-5] > with_dash[5]
    assert without[5] > without[-5]
