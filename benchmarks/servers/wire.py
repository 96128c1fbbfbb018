"""A minimal HTTP client on persistent connections, so that the client costs almost nothing.

It understands what this server sends: a head, a Content-Length, and a body.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Final

HOST: Final = "127.0.0.1"
HEAD_END: Final = b"\r\n\r\n"
ACCEPT: Final = "gzip, deflate"
"""The encodings to ask for. Browsers also accept br and zstd, but the app only knows gzip."""


@dataclass(frozen=True, slots=True)
class Response:
    """A complete HTTP response."""

    status: int
    headers: dict[str, str]
    """Header names, in lower case, → values."""
    body: bytes


class UnexpectedResponse(RuntimeError):
    """The server's response is not the expected one."""


def request(
    method: str, path: str, cookie: str = "", document: object = None, htmx: bool = False
) -> bytes:
    """A request as a phone's browser sends it, without the headers that the app ignores.

    Args:
        document: sent as a JSON body, unless it is None.
        htmx: whether htmx makes the request.
    """
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


def checked(answer: Response) -> Response:
    """The same response; raises `UnexpectedResponse` unless its status is 200."""
    if answer.status != 200:
        raise UnexpectedResponse(f"{answer.status}: {answer.body[:300]!r}")
    return answer


class AsyncConnection:
    """A persistent connection for asyncio; opened at the first request."""

    def __init__(self, port: int) -> None:
        self._port: Final = port
        self._ends: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def send(self, raw: bytes) -> asyncio.StreamReader:
        """Sends a request; returns the stream on which the response arrives."""
        if self._ends is not None and self._ends[0].at_eof():
            self.close()  # the server closes connections that are not used; browsers open others
        if self._ends is None:
            self._ends = await asyncio.open_connection(HOST, self._port)
        reader, writer = self._ends
        writer.write(raw)
        return reader

    async def ask(self, raw: bytes) -> Response:
        """Sends a request and waits for the response.

        The server may close an idle connection just then; browsers send the request again.
        """
        is_used_again = self._ends is not None
        try:
            return await self._ask(raw)
        except (ConnectionError, asyncio.IncompleteReadError):
            if not is_used_again:
                raise
            self.close()
            return await self._ask(raw)

    async def _ask(self, raw: bytes) -> Response:
        reader = await self.send(raw)
        head = await reader.readuntil(HEAD_END)
        status, headers = _head(head)
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        return Response(status, headers, body)

    def close(self) -> None:
        """Closes the connection; the next request opens a new one."""
        if self._ends is not None:
            self._ends[1].close()
            self._ends = None
