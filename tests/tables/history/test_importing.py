"""Histories as files: read in a process of their own, within bounds, once."""

from __future__ import annotations

import io
import json
import resource
import time
from dataclasses import replace
from datetime import timedelta

import pytest

from companion.tables import Tables
from companion.tables.history import importing
from companion.tables.refusals import Refused
from tests.kit.history import paper, take_in
from tests.tables.friends import device, refused
from tests.tables.history.test_history import ENDED


@pytest.fixture
def _always_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "SMALL_BYTES", 10)


@pytest.mark.usefixtures("_always_apart")
def test_a_process_reads_what_the_server_reads(tables: Tables, host: str) -> None:
    for hours in range(3):
        paper(tables, host, "Ada", "Bén", ended=ENDED + timedelta(hours=hours))
    raw = tables.history.export_json(host)
    other = device()
    assert take_in(tables, other, io.BytesIO(raw)) == 3
    assert take_in(tables, other, raw) == 0
    assert tables.history.export_json(other) == raw


@pytest.mark.usefixtures("_always_apart")
def test_the_process_says_what_is_wrong(tables: Tables, host: str) -> None:
    document = {"format": "companion-history/1", "games": [{"game": "no-such-game"}]}
    tables.history.prepare_restore(host, json.dumps(document).encode())
    [(number, reason)] = tables.history.restore_preview(host).faults
    assert (number, reason.code) == (1, "unknown-game")
    assert refused(lambda: take_in(tables, host, b"{" * 100)) == "no-history"


def test_a_small_file_with_much_in_it(
    tables: Tables, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """32 MB of empty objects took 1.1 GB in the server, for each of any number of requests."""
    monkeypatch.setattr(importing, "LIMITS", replace(importing.LIMITS, memory=400 * 2**20))
    raw = b'{"format":"companion-history/1","games":[' + b'{"":{}},' * (31 * 2**17) + b"{}]}"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    assert refused(lambda: take_in(tables, host, raw)) == "large-history"
    assert time.process_time() - start < 1
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < before + 64 * 1024


def test_a_file_that_is_too_large(tables: Tables, host: str) -> None:
    with pytest.raises(Refused, match="at most 32 MB"):
        take_in(tables, host, b" " * (32 * 2**20 + 1))
