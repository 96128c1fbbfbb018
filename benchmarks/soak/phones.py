"""Phones that bear a server's death as the page's scripts do: they try again until it answers."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

from benchmarks.servers.phones import POLL, Phone
from benchmarks.servers.wire import HEAD_END, Response, UnexpectedResponse, checked, request

TIMEOUT: Final = 10.0
"""Seconds after which no answer counts as none, as in `static/js/page/net.js`."""
RETRIES: Final = (0.5, 1.0, 2.0, 4.0)
"""Pauses before a tap is sent again, as in `static/js/table/queue.js`."""
REOPEN: Final = (1.0, 4.0)
"""Seconds after which a browser opens a stream again that has ended: shortest, longest."""
GOOD: Final = 200
_LIVE: Final = re.compile(rb'data-live="([^"]+)"')


@dataclass
class Answers:
    """The answers to all phones."""

    statuses: Counter[int] = field(default_factory=Counter)
    silences: Counter[str] = field(default_factory=Counter)
    """Requests whose connection was refused, broken, or silent for too long."""
    refusals: Counter[str] = field(default_factory=Counter)
    """Taps that the table refused; all taps are legal."""
    retries: int = 0
    """Taps that were sent again."""
    streams: int = 0
    """Streams that were opened."""
    faults: Counter[str] = field(default_factory=Counter)
    """Messages that a phone did not understand."""


class Unanswered(Exception):
    """There was no answer."""


@dataclass
class PatientPhone(Phone):
    """A phone that stays at its table whatever happens to the server."""

    answers: Answers = field(default_factory=Answers)
    _live: str = ""
    """The address of its stream; empty before its page is there."""
    _is_listening: bool = False

    def stay(self) -> None:
        """Loads the table's page and listens, again and again."""
        self._start(self._stay())

    @property
    def is_listening(self) -> bool:
        return self._is_listening

    async def tap(self, document: dict[str, Any]) -> None:
        """Sends a tap until the table answers."""
        raw = request("POST", f"{self.table.path}taps", self._cookie, document)
        for attempt in count():
            answer = await self._answer(raw)
            body = _document(answer)
            if "version" in body or (answer is not None and answer.status < 500 and body):
                break
            self.answers.retries += 1
            await asyncio.sleep(RETRIES[min(attempt, len(RETRIES) - 1)])
        if "version" not in body:
            self.answers.refusals[str(body)[:120]] += 1
            return
        self._known = max(self._known, int(body["version"]))
        if self.version < self._known:
            asyncio.get_running_loop().call_later(0.4, self._want, self._known)

    async def is_up_to_date(self) -> bool:
        """Whether its parts are those of a page that is fetched now."""
        fresh = PatientPhone(self.table, self.player, self.port, answers=self.answers)
        try:
            await fresh._load(htmx=True)
        except (Unanswered, UnexpectedResponse):
            return False
        finally:
            fresh.close()
        return (fresh._shape, fresh._parts) == (self._shape, self._parts)

    # The page's script

    async def _stay(self) -> None:
        while True:
            try:
                if not self._live:
                    self._read_live(await self._load())
                await self._follow()
            except (Unanswered, UnexpectedResponse, OSError, EOFError, ValueError):
                pass
            self._is_listening = False
            self._ear.close()
            await asyncio.sleep(random.uniform(*REOPEN))
            self._start(self._ask_version())

    def _read_live(self, page: bytes) -> None:
        found = _LIVE.search(page)
        assert found is not None, "the page names no stream"
        self._live = found[1].decode()

    async def _follow(self) -> None:
        """Opens the stream and listens until it ends."""
        async with asyncio.timeout(TIMEOUT):
            reader = await self._ear.send(request("GET", self._live, self._cookie))
            head = await reader.readuntil(HEAD_END)
        status = int(head.split(b" ", 2)[1])
        self.answers.statuses[status] += 1
        if status != GOOD:
            self._live = ""
            return
        self.answers.streams += 1
        self._is_listening = True
        await self._listen(reader, b"content-encoding: gzip" in head.lower())

    async def _ask_version(self) -> None:
        """Asks which version there is, and fetches what the phone lacks."""
        body = await self._ask(request("GET", f"{self.table.path}version", self._cookie))
        self._want(int(json.loads(body)["version"]))

    async def _ask(self, raw: bytes) -> bytes:
        answer = await self._answer(raw)
        if answer is None:
            raise Unanswered
        return checked(answer).body

    async def _answer(self, raw: bytes) -> Response | None:
        """The answer to a request; None without one."""
        async with self._free:
            try:
                async with asyncio.timeout(TIMEOUT):
                    answer = await self._line.ask(raw)
            except (OSError, EOFError) as error:  # a time-out is an OSError, too
                self._line.close()
                self.answers.silences[type(error).__name__] += 1
                return None
            except asyncio.CancelledError:
                self._line.close()
                raise
        self.answers.statuses[answer.status] += 1
        return answer

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if task.cancelled() or (error := task.exception()) is None:
            return
        if not isinstance(error, Unanswered | UnexpectedResponse):
            self.answers.faults[f"{type(error).__name__}: {error}"[:160]] += 1
        # The page asks again when it polls.
        asyncio.get_running_loop().call_later(POLL, self._start_asking)

    def _start_asking(self) -> None:
        self._start(self._ask_version())

    def close(self) -> None:
        """Ends all that it does."""
        self._start_asking = _nothing  # type: ignore[method-assign]
        super().close()


def _nothing() -> None:
    """The task of a closed phone."""


def _document(answer: Response | None) -> dict[str, Any]:
    """The table's own word in an answer; empty without one."""
    try:
        body = json.loads(answer.body) if answer else {}
    except ValueError:
        return {}
    return body if isinstance(body, dict) and {"version", "refused"} & body.keys() else {}
