"""Bodies are whole, small enough and in time before Flask sees them, or refused with a reason."""

from __future__ import annotations

import asyncio
import errno
import io
from typing import Any

import pytest
from werkzeug.exceptions import (
    RequestEntityTooLarge,
    RequestTimeout,
    ServiceUnavailable,
    TooManyRequests,
)

from companion.limits import USUAL, Limits
from companion.web.net import bodies
from companion.web.net.bodies import Bodies, ClientGone
from tests.kit.asgi import scope_of
from tests.kit.servers import loop

SMALL = Limits(body_bytes=10, upload_bytes=100, uploading_bytes=150)


class Client:
    """A client that sends parts, and then ends, goes or falls asleep."""

    def __init__(self, *parts: bytes, then: str = "end") -> None:
        self._parts = list(parts)
        self._then = then
        self.asked = 0

    async def receive(self) -> dict[str, Any]:
        self.asked += 1
        if self._parts:
            more = len(self._parts) > 1 or self._then != "end"
            return {"type": "http.request", "body": self._parts.pop(0), "more_body": more}
        if self._then == "sleep":
            await asyncio.Event().wait()
        if self._then == "endless":
            return {"type": "http.request", "body": b"x" * 7, "more_body": True}
        return {"type": "http.disconnect"}


def sent(path: str, length: int | None = None) -> dict[str, Any]:
    headers = [] if length is None else [("Content-Length", str(length))]
    return scope_of(path, *headers, method="POST")


def received(scope: dict[str, Any], client: Client, limits: Limits = SMALL) -> bytes:
    async def ask() -> bytes:
        async with Bodies(limits).received(scope, client.receive) as body:
            return body.read()

    return loop.run(ask())


@pytest.mark.parametrize("length", [None, 9])
@pytest.mark.parametrize("path", ["/join", "/upload/new"])
def test_a_body_comes_in_pieces(path: str, length: int | None) -> None:
    client = Client(b"code=", b"", b"nine")
    assert received(sent(path, length), client) == b"code=nine"


def test_only_some_addresses_take_large_bodies() -> None:
    assert received(sent("/upload/new"), Client(b"x" * 100)) == b"x" * 100
    with pytest.raises(RequestEntityTooLarge):
        received(sent("/join"), Client(b"x" * 11))
    assert USUAL.upload_bytes > USUAL.body_bytes


@pytest.mark.parametrize("path", ["/join", "/upload/new"])
def test_a_claim_is_refused_before_anything_is_read(path: str) -> None:
    client = Client(then="endless")
    with pytest.raises(RequestEntityTooLarge):
        received(sent(path, 101), client)
    assert not client.asked


@pytest.mark.parametrize("length", [None, 5])
@pytest.mark.parametrize(("path", "most"), [("/join", 10), ("/upload/new", 100)])
def test_what_never_ends_is_cut_off(path: str, most: int, length: int | None) -> None:
    client = Client(then="endless")
    with pytest.raises(RequestEntityTooLarge):
        received(sent(path, length), client)
    assert client.asked <= most // 7 + 1


@pytest.mark.parametrize("path", ["/join", "/upload/new"])
def test_whoever_falls_asleep_is_not_waited_for(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies.asyncio, "timeout", lambda _seconds: asyncio.timeout_at(0))
    with pytest.raises(RequestTimeout):
        received(sent(path, 9), Client(b"x", then="sleep"))


def test_a_client_that_goes() -> None:
    with pytest.raises(ClientGone):
        received(sent("/join", 9), Client(b"x", then="go"))


def test_uploads_share_the_room_on_the_disk() -> None:
    """What is announced is taken at once, and given back however the upload ends."""

    async def test() -> None:
        taken = Bodies(SMALL)
        with pytest.raises(RequestEntityTooLarge):
            async with taken.received(sent("/upload/new"), Client(then="endless").receive):
                pass
        async with taken.received(sent("/upload/new", 100), Client(b"x" * 100).receive):
            with pytest.raises(TooManyRequests) as busy:
                async with taken.received(sent("/import", 51), Client(b"x" * 51).receive):
                    pass
            assert busy.value.retry_after
            async with taken.received(sent("/join", 9), Client(b"x" * 9).receive):
                pass
            async with taken.received(sent("/import", 50), Client(b"x" * 50).receive):
                pass

    loop.run(test())


class Full(io.RawIOBase):
    """A temporary file on a disk that fills up after so many bytes."""

    def __init__(self, room: int) -> None:
        self._room = room

    def write(self, data: Any) -> int:
        if self._room <= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        taken = min(len(data), self._room)
        self._room -= taken
        return taken


@pytest.mark.parametrize("room", [None, 0, 10])
def test_a_full_disk_is_said(monkeypatch: pytest.MonkeyPatch, room: int | None) -> None:
    """No room for a file, or for all of it."""

    def full(**_more: object) -> Full:
        if room is None:
            raise OSError(errno.ENOSPC, "No space left on device")
        return Full(room)

    monkeypatch.setattr(bodies.tempfile, "TemporaryFile", full)
    with pytest.raises(ServiceUnavailable):
        received(sent("/upload/new", 50), Client(b"x" * 50))
