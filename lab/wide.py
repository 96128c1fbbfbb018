"""Cases of `make test-all` alone, which repeat a check over more sizes, languages or examples.

`make test` leaves out tests with the mark `wide`; `pytest --wide` runs it, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

CASE = "case"  # the mark's argument: the case of `first_of` that has it
FEWER = 5  # `make test` tries one of so many random examples, but never fewer than this many

_everything = False
_every_case = False


def run_everything(everything: bool, every_case: bool) -> None:
    """Sets, before tests are collected, whether all examples, or all cases, run."""
    global _everything, _every_case
    _everything, _every_case = everything, everything or every_case


def examples(number: int) -> int:
    """How many of so many random examples are tried."""
    return number if _everything else min(number, max(FEWER, number // FEWER))


def wide(*values: Any, **more: Any) -> Any:
    """A case, as for `pytest.param`, that only `make test-all` runs."""
    return pytest.param(*values, marks=pytest.mark.wide, **more)


def first_of(cases: Iterable[Any], *usual: Any) -> list[Any]:
    """The cases; all but the usual ones are wide."""
    if not _every_case:
        return [case for case in cases if case in usual]
    return [
        case if case in usual else pytest.param(case, marks=pytest.mark.wide(**{CASE: case}))
        for case in cases
    ]


def steady(number: int, **more: Any) -> settings:
    """The same examples on every run, so that a failure in CI is a failure here."""
    return settings(
        max_examples=examples(number),
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        **more,
    )
