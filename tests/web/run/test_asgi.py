"""Which threads answer, who must come again, and a path under a proxy's prefix."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any

import pytest
from flask import Flask

from companion.tables import Tables
from companion.web.run.asgi import MOST_SLOW, SLOW_THREADS, LiveApp
from lab.asgi import answered, asked, scope_of
from lab.patience import PATIENCE
from lab.servers import loop


@pytest.mark.parametrize(
    ("path", "method", "threads"),
    [
        ("/", "GET", "_reading"),
        ("/history", "GET", "_reading"),
        ("/static/js/table.js", "GET", "_reading"),
        ("/t/x/taps", "POST", "_writing"),
        ("/upload/new", "POST", "_writing"),
        ("/pads/pads.pdf", "GET", "_slow"),
        ("/history/history.json", "GET", "_slow"),
        ("/history/import", "POST", "_restoring"),
        ("/import", "POST", "_slow"),
        ("/history/people/x/chart.svg", "GET", "_slow"),
        ("/history?search=1", "GET", "_slow"),
    ],
)
def test_which_threads_answer(
    app: Flask, tables: Tables, path: str, method: str, threads: str
) -> None:
    """Reads never wait for writes, and nobody for a PDF."""
    live = LiveApp(app, tables)
    assert live._threads_for(scope_of(path, method=method)) is getattr(live, threads)


def test_slow_work_is_bounded(app: Flask, tables: Tables) -> None:
    """Slow requests beyond the limit are refused, and other pages are drawn."""
    go_on = threading.Event()
    live = LiveApp(app, tables)

    def ask(path: str) -> Coroutine[Any, Any, tuple[int, dict[str, str], bytes]]:
        return answered(live, path, ("Host", "localhost"))

    async def test() -> None:
        # Work of the threads themselves: a fake of the app would hold the refusal up, too.
        for _ in range(SLOW_THREADS):
            live._slow._executor.submit(go_on.wait, PATIENCE)
        held = [asyncio.create_task(ask("/history/people")) for _ in range(MOST_SLOW)]
        while live._slow._requests < MOST_SLOW:
            await asyncio.sleep(0)
        status, headers, body = await ask("/history/people")
        assert status == 429
        assert b"Try again in a moment" in body
        assert int(headers["retry-after"])
        assert (await ask("/"))[0] == 200
        assert not any(request.done() for request in held)
        go_on.set()
        assert {answer[0] for answer in await asyncio.gather(*held)} == {200}

    try:
        loop.run(test())
    finally:
        go_on.set()
        live.close()


@pytest.mark.parametrize("path", ["/companion/join", "/join", "/companion"])
def test_the_proxy_takes_the_prefix_off_or_not(app: Flask, tables: Tables, path: str) -> None:
    live = LiveApp(app, tables, "/companion")
    status, headers, body = asked(live, path, ("Host", "localhost"))
    assert status in (200, 405)
    assert b"/companion/" in body
    assert "Path=/companion" in headers.get("set-cookie", "Path=/companion")
