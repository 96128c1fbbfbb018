"""HTTP by hand: requests as bytes, on kept connections, so that the client costs almost nothing.

It understands what this server sends: a head, a Content-Length, and a body.
"""

from __future__ import annotations

import asyncio
import json
import socket
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self

HOST: Final = "127.0.0.1"
HEAD_END: Final = b"\r\n\r\n"
ACCEPT: Final = "gzip, deflate"
"""Browsers add br and zstd; the app knows gzip."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes
    head_size: int
    """Bytes of the status line and the headers."""


class Failed(RuntimeError):
    """The server answered with something else than was asked for."""


def request(
    method: str, path: str, cookie: str = "", document: object = None, htmx: bool = False
) -> bytes:
    """A request as a phone's browser sends it, without what the app never looks at."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {HOST}", f"Accept-Encoding: {ACCEPT}"]
    lines.append("Accept-Language: en")
    if cookie:
        lines.append(f"Cookie: {cookie}")
    if htmx:
        lines.append("HX-Request: true")
    body = b""
    if document is not None:
        body = json.dumps(document).encode()
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        lines += ["Sec-Fetch-Site: same-origin"]
    return "\r\n".join([*lines, "", ""]).encode() + body


def _head(raw: bytes) -> tuple[int, dict[str, str]]:
    first, *rest = raw.decode("latin-1").rstrip("\r\n").split("\r\n")
    pairs = (text.partition(":") for text in rest)
    return int(first.split(" ")[1]), {name.lower(): value.strip() for name, _, value in pairs}


def checked(answer: Answer) -> Answer:
    if answer.status != 200:
        raise Failed(f"{answer.status}: {answer.body[:300]!r}")
    return answer


class Connection:
    """A kept connection that waits for each answer."""

    def __init__(self, port: int) -> None:
        self._socket: Final = socket.create_connection((HOST, port), timeout=30)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, raw: bytes) -> Answer:
        self._socket.sendall(raw)
        got = b""
        while HEAD_END not in got:
            got += self._more()
        head, _, body = got.partition(HEAD_END)
        status, headers = _head(head)
        length = int(headers.get("content-length", 0))
        while len(body) < length:
            body += self._more()
        return Answer(status, headers, body, len(head) + len(HEAD_END))

    def _more(self) -> bytes:
        data = self._socket.recv(1 << 16)
        if not data:
            raise Failed("the server closed the connection")
        return data

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._socket.close()


class Line:
    """As `Connection`, for asyncio; opened at the first request."""

    def __init__(self, port: int) -> None:
        self._port: Final = port
        self._ends: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def send(self, raw: bytes) -> asyncio.StreamReader:
        """Sends it and returns where the answer comes."""
        if self._ends is None:
            self._ends = await asyncio.open_connection(HOST, self._port)
        reader, writer = self._ends
        writer.write(raw)
        return reader

    async def ask(self, raw: bytes) -> Answer:
        reader = await self.send(raw)
        head = await reader.readuntil(HEAD_END)
        status, headers = _head(head)
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        return Answer(status, headers, body, len(head))

    def close(self) -> None:
        if self._ends is not None:
            self._ends[1].close()
            self._ends = None
