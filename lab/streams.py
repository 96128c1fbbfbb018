"""A driver of live streams, as uvicorn drives them."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from flask import Flask

from companion.web.run.asgi import LiveApp
from companion.web.table.live import stream_address
from lab.patience import PATIENCE


class Stream:
    """One `/live/…` request, driven as uvicorn drives it."""

    def __init__(self, live: LiveApp, path: str, method: str = "GET") -> None:
        self._sent: asyncio.Queue[Any] = asyncio.Queue()
        self._gone = asyncio.Event()
        scope = {"type": "http", "method": method, "path": path, "headers": []}
        self.task = asyncio.create_task(live(scope, self._receive, self._send))
        self._asked = False

    async def _receive(self) -> dict[str, Any]:
        if not self._asked:
            self._asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        await self._sent.put(message)

    async def next(self) -> Any:
        return await asyncio.wait_for(self._sent.get(), PATIENCE)

    async def start(self) -> tuple[int, dict[bytes, bytes]]:
        message = await self.next()
        assert message["type"] == "http.response.start"
        return message["status"], dict(message["headers"])

    async def text(self) -> str:
        """The next text; empty at the end."""
        message = await self.next()
        assert message["type"] == "http.response.body"
        assert message.get("more_body", False) == bool(message["body"])
        return str(message["body"].decode())

    async def version(self) -> int:
        return version_in(await self.text())

    async def leave(self) -> None:
        """Closes the phone's connection."""
        self._gone.set()
        await self.end()

    async def end(self) -> None:
        """Waits until the server has ended the stream."""
        await asyncio.wait_for(self.task, PATIENCE)


def version_in(text: str) -> int:
    """The version in a message."""
    found = re.search(r'^data: (\d+)$|"version": ?"(\d+)"', text, re.MULTILINE)
    assert found
    return int(found[1] or found[2])


def live_path(app: Flask, table_id: str, device: str) -> str:
    with app.app_context():
        return stream_address(table_id, device, "en")
