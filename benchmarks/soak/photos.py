"""Photos that are sent all the time, and the outcome of each."""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

import httpx
import numpy as np

from benchmarks.photos.play import random_sheet
from benchmarks.report import Seconds
from benchmarks.servers.wire import HOST
from companion.games.catalog import SHEETS
from tests.kit.photos import paper, taking

PAUSE: Final = 8.0
"""Seconds between two photos."""
LOOK: Final = 1.0
"""Seconds between two looks at a review, and before a request is made again."""
TIMEOUT: Final = 20.0
_SENTENCE: Final = re.compile(r'<div class="refused">.*?<p>(.*?)</p>', re.DOTALL)


@dataclass
class Photographed:
    """The outcomes of the photos."""

    sent: int = 0
    seconds: list[Seconds] = field(default_factory=list)
    """Durations from sending a photo until its sheet is shown."""
    failed: Counter[str] = field(default_factory=Counter)
    """Reasons that the reviews give for photos that were not read."""
    statuses: Counter[int] = field(default_factory=Counter)
    silences: Counter[str] = field(default_factory=Counter)
    """Requests whose connection was refused, broken, or silent for too long."""
    waiting: int = 0
    """Photos whose outcome is not known yet."""
    longest_failed: Seconds = 0


def pad_photo() -> bytes:
    """A JPEG of one filled-in pad, as a phone's script makes it smaller."""
    sheet = random_sheet(next(iter(SHEETS)), np.random.default_rng(1))
    pad = paper.filled(sheet.sheet.name, sheet.marks, sheet.board, 1)
    return taking.jpeg(taking.photo(pad, size=(2016, 1512), seed=1))


class Photographer:
    """Sends a photo every few seconds, whatever became of the last one."""

    def __init__(self, port: int, photo: bytes) -> None:
        self.seen: Final = Photographed()
        self._photo: Final = photo
        self._address: Final = f"http://{HOST}:{port}"
        self._tasks: Final[set[asyncio.Task[None]]] = set()

    async def work(self) -> None:
        while True:
            task = asyncio.create_task(self._send())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            await asyncio.sleep(PAUSE)

    async def finish(self, seconds: Seconds) -> None:
        """Waits for the outcome of the photos that were sent."""
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=seconds)
        for task in set(self._tasks):
            task.cancel()

    async def _send(self) -> None:
        async with httpx.AsyncClient(base_url=self._address, timeout=TIMEOUT) as client:
            await self._ask(client, "GET", "/photo")
            began = time.perf_counter()
            answer = await self._ask(client, "POST", "/upload/new")
            self.seen.sent += 1
            self.seen.waiting += 1
            path = answer.headers["location"]
            while 'id="reading"' in (page := (await self._ask(client, "GET", path)).text):
                await asyncio.sleep(LOOK)
            took = time.perf_counter() - began
            self.seen.waiting -= 1
            if 'id="sheet-title"' in page:
                self.seen.seconds.append(took)
            else:
                said = _SENTENCE.search(page)
                self.seen.failed[said[1].strip() if said else "neither sheet nor sentence"] += 1
                self.seen.longest_failed = max(self.seen.longest_failed, took)
            await self._ask(client, "POST", f"{path}discard")

    async def _ask(self, client: httpx.AsyncClient, method: str, path: str) -> httpx.Response:
        """Asks until there is an answer that is no error."""
        files = {"photo": ("a.jpg", self._photo)} if path.startswith("/upload/") else None
        while True:
            try:
                answer = await client.request(method, path, files=files)
            except httpx.TransportError as error:
                self.seen.silences[type(error).__name__] += 1
            else:
                self.seen.statuses[answer.status_code] += 1
                if answer.status_code < 400:
                    return answer
            await asyncio.sleep(LOOK)
