"""`companion serve --workers`: several processes on one PostgreSQL, and none left over."""

from __future__ import annotations

import http.client
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit.games import roll
from tests.kit.pages import Page
from tests.kit.patience import PATIENCE, until
from tests.kit.servers.process import Server, new_table, serving
from tests.kit.servers.program import command

pytestmark = pytest.mark.postgres


@pytest.fixture
def several(postgres_database: str) -> Iterator[Server]:
    if not Path("/proc/self/task").exists():
        pytest.skip("only Linux tells a process's children like this")
    more = ("--workers", "2", "--readers", "0")
    with serving("--host", "127.0.0.1", "--db", postgres_database, *more) as running:
        yield running


def test_a_process_that_ends_is_replaced_and_all_stop_together(several: Server) -> None:
    path, cookie = new_table(several)
    page = Page(several.ask("GET", path, **cookie).read().decode()).one(id="table")
    first = several.workers()
    assert len(first) == 2
    for pid in first:
        assert "cv2" not in Path(f"/proc/{pid}/maps").read_text()
    os.kill(first[0], signal.SIGKILL)
    tap = json.dumps({"id": "several-tap", "action": roll("Tim", yellow=4)})
    kind = {"Content-Type": "application/json"}
    assert until(lambda: taken(several, f"{path}taps", tap, **cookie, **kind))
    assert until(lambda: len(several.workers()) == 2 and first[0] not in several.workers())
    connection = http.client.HTTPConnection("127.0.0.1", several.port, timeout=PATIENCE)
    connection.request("GET", str(page.attrs["data-live"]))
    assert connection.getresponse().readline()
    status, said = several.stop(signal.SIGTERM)
    connection.close()
    assert status == 0
    assert "Traceback" not in said
    assert not any(command(pid) for pid in first[1:])


def taken(server: Server, path: str, tap: str, **headers: str) -> bool:
    """Whether a tap was answered; its connection may have been at the process that ended."""
    try:
        return server.ask("POST", path, tap, **headers).status == 200
    except (OSError, http.client.HTTPException):
        return False


def test_no_process_outlives_a_killed_first_one(several: Server) -> None:
    pids = several.workers()
    several.kill()
    assert until(lambda: not any("spawn_main" in command(pid) for pid in pids))
