"""A plain proxy in front of several servers: each request goes to the next one, streams as well."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from typing import Final

HOST: Final = "127.0.0.1"
PART: Final = 64 * 1024

_CONNECTION: Final = re.compile(rb"\r\nconnection:[^\r]*", re.IGNORECASE)


class Proxy:
    """A port whose requests go round the servers' ports; one that is gone is passed over."""

    def __init__(self, ports: Sequence[int]) -> None:
        self.port = 0
        self.before_tap: Callable[[int], None] = lambda _number: None
        """Called with the number of each tap before it is passed on."""
        self.answered: Final[list[int]] = []
        """The ports to which requests went."""
        self._ports: Final = ports
        self._turn: Final = count()
        self._taps: Final = count(1)

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection with one request: the server is asked to close it behind its answer."""
        request: asyncio.StreamWriter | None = None
        try:
            head = (await reader.readuntil(b"\r\n\r\n"))[:-4]
            if head.split(b" ", 2)[1].endswith(b"/taps"):
                self.before_tap(next(self._taps))
            answer, request = await self._next()
            request.write(_CONNECTION.sub(b"", head) + b"\r\nConnection: close\r\n\r\n")
            both = (_pass_on(reader, request), _pass_on(answer, writer))
            tasks = [asyncio.create_task(way) for way in both]
            try:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the phone has gone, no server is there, or the test has ended
        finally:
            for end in filter(None, (writer, request)):
                end.close()
                with suppress(OSError):
                    await end.wait_closed()

    async def _next(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        turn = next(self._turn)
        for place in range(len(self._ports)):
            port = self._ports[(turn + place) % len(self._ports)]
            with suppress(OSError):
                connection = await asyncio.open_connection(HOST, port)
                self.answered.append(port)
                return connection
        raise OSError


async def _pass_on(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while part := await source.read(PART):
            target.write(part)
            await target.drain()


@contextmanager
def proxied(*ports: int) -> Iterator[Proxy]:
    """A proxy in a thread of its own."""
    proxy = Proxy(ports)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def start() -> asyncio.Server:
        return await asyncio.start_server(proxy.serve, HOST, 0)

    async def stop(server: asyncio.Server) -> None:
        server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    server = asyncio.run_coroutine_threadsafe(start(), loop).result()
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        asyncio.run_coroutine_threadsafe(stop(server), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
