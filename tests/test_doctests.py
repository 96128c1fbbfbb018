"""The examples at the door of four packages work."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest


@pytest.mark.parametrize("name", ["core", "games", "pads", "vision"])
def test_the_use_in_a_few_lines(name: str) -> None:
    if name == "vision":
        pytest.importorskip("cv2")
    failed, attempted = doctest.testmod(import_module(f"companion.{name}"))
    assert failed == 0
    assert attempted > 2
