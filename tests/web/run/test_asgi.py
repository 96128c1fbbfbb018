"""Which threads answer what, and who is refused before a thread has begun."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import IO, Any

import pytest
from flask import Flask

from companion.tables.history import restoring
from companion.web.run.asgi import LiveApp
from companion.web.run.threads import Threads
from tests.kit.patience import PATIENCE
from tests.kit.phones import Phone
from tests.kit.servers import loop
from tests.web.review.test_photo_limits import Sender

FILE = (
    b'--part\r\nContent-Disposition: form-data; name="history"; filename="h"\r\n\r\n'
    b"{}\r\n--part--\r\n"
)
KIND = b"application/x-www-form-urlencoded"


def sender(app: Flask, path: str, body: bytes, address: str) -> Sender:
    made = Sender(Phone(app), len(body), body)
    made.scope.update(path=path, raw_path=path.encode(), client=(address, 1))
    return made


def threads_of(threads: Threads) -> set[Any]:
    return set(threads._executor._threads)


def test_files_of_games_hold_no_thread_of_changes(
    own_app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """16 at once of two addresses held all eight: a tap waited for five seconds, and again."""
    live = LiveApp(own_app, own_app.extensions["tables"])
    begun, go_on = threading.Event(), threading.Event()
    readers = []

    def read(_file: IO[bytes], _now: int) -> Iterator[Any]:
        readers.append(threading.current_thread())
        begun.set()
        assert go_on.wait(PATIENCE)
        return iter(())

    monkeypatch.setattr(restoring, "read", read)
    addresses = ["192.0.2.1", "192.0.2.2"] * 8
    senders = [sender(own_app, "/history/import", FILE, address) for address in addresses]
    change = sender(own_app, "/tables", b"game=qwinto-dice", "192.0.2.3")
    change.scope["headers"][2] = (b"content-type", KIND)

    async def test() -> None:
        asks = [
            asyncio.ensure_future(live(each.scope, each.receive, each.send)) for each in senders
        ]
        refused = asyncio.as_completed(asks, timeout=PATIENCE)
        for _ in range(len(asks) - 2):
            await next(refused)
        await asyncio.to_thread(begun.wait, PATIENCE)
        assert len(readers) == 1, "one is read, and one waits"
        await live(change.scope, change.receive, change.send)
        go_on.set()
        await asyncio.gather(*asks)

    loop.run(test())
    assert change.status == 303
    assert sorted(str(each.status) for each in senders) == ["422"] * 2 + ["429"] * 14
    said = next(each for each in senders if each.status == 429)
    body = b"".join(message.get("body", b"") for message in said.sent)
    assert b"Another file is being taken in" in body
    assert set(readers) == threads_of(live._importing)
    assert len(threads_of(live._writing)) == 1
    live.close()


def test_photos_that_have_come_hold_no_thread_of_changes(own_app: Flask) -> None:
    live = LiveApp(own_app, own_app.extensions["tables"])
    photo = sender(own_app, "/upload/new", b"--part--", "192.0.2.1")
    loop.run(live(photo.scope, photo.receive, photo.send))
    assert photo.status == 422
    assert len(threads_of(live._uploading)) == 1
    assert not threads_of(live._writing)
    live.close()
