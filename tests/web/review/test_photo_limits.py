"""What is too large, too much or no photo at all is refused soon, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import errno
import io
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from companion.limits import USUAL
from companion.tables import Tables
from companion.tables.history import importing
from companion.web.net import uploads
from companion.web.run.asgi import LiveApp
from tests.kit.asgi import scope_of
from tests.kit.limits import set_limits
from tests.kit.patience import PATIENCE
from tests.kit.phones import Phone
from tests.kit.photos import standin
from tests.kit.photos.sending import reading_app, wait
from tests.kit.servers import loop
from tests.kit.wide import examples

ROOT = Path(__file__).resolve().parents[3]
CHUNK = b"x" * (1 << 20)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Flask, Tables]]:
    with reading_app(tmp_path_factory.mktemp("limits")) as found:
        yield found


@pytest.fixture
def live(both: tuple[Flask, Tables]) -> LiveApp:
    return LiveApp(*both)


class Sender:
    """A client that says one length and sends another, chunk by chunk."""

    def __init__(self, phone: Phone, length: int | None, body: bytes = b"", endless: bool = False):
        cookie = phone.client.get_cookie("companion")
        assert cookie is not None
        headers = [
            ("Host", "localhost"),
            ("Cookie", f"companion={cookie.value}"),
            ("Content-Type", "multipart/form-data; boundary=part"),
        ]
        if length is not None:
            headers.append(("Content-Length", str(length)))
        self.scope = scope_of("/upload/new", *headers, method="POST", peer="127.0.0.1")
        self.sent: list[Any] = []
        self.taken = 0
        self._body, self._endless = body, endless

    async def receive(self) -> dict[str, Any]:
        if self._endless:
            self.taken += len(CHUNK)
            return {"type": "http.request", "body": CHUNK, "more_body": True}
        chunk, self._body = self._body[: 1 << 18], self._body[1 << 18 :]
        if not chunk and self.taken:
            return {"type": "http.disconnect"}
        self.taken += len(chunk)
        return {"type": "http.request", "body": chunk, "more_body": bool(self._body)}

    async def send(self, message: Any) -> None:
        self.sent.append(message)

    @property
    def status(self) -> int | None:
        return self.sent[0]["status"] if self.sent else None


def asked(live: LiveApp, sender: Sender) -> None:
    loop.run(live(sender.scope, sender.receive, sender.send))


def multipart(photo: bytes) -> bytes:
    head = b'--part\r\nContent-Disposition: form-data; name="photo"; filename="a.jpg"\r\n\r\n'
    return head + photo + b"\r\n--part--\r\n"


def test_a_photo_comes_in_over_asgi(live: LiveApp, both: tuple[Flask, Tables]) -> None:
    phone = Phone(both[0])
    body = multipart(standin.picture(standin.CLEAN) + bytes(3_000_000))
    sender = Sender(phone, len(body), body)
    asked(live, sender)
    assert sender.status == 303
    headers = dict(sender.sent[0]["headers"])
    wait(phone, headers[b"location"].decode().split("/")[2])
    assert both[1].limiter.used("upload-bytes") == 0


def test_what_claims_too_much_is_refused_before_it_is_sent(
    live: LiveApp, both: tuple[Flask, Tables]
) -> None:
    sender = Sender(Phone(both[0]), 10**12, endless=True)
    asked(live, sender)
    assert sender.status == 413
    assert sender.taken <= 4 * len(CHUNK)


def test_what_never_ends_is_cut_off(
    live: LiveApp, both: tuple[Flask, Tables], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With no length, or a wrong one."""
    set_limits(monkeypatch, both[1], upload_bytes=5_000_000)
    files = open_files()
    for length in (None, 100):
        sender = Sender(Phone(both[0]), length, endless=True)
        asked(live, sender)
        assert sender.status in (None, 413)
        assert sender.taken < 8_000_000
    assert both[1].limiter.used("upload-bytes") == 0
    assert open_files() <= files + 4


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


@pytest.mark.parametrize("room", [None, 0, 1000])
def test_a_full_disk_is_said(
    live: LiveApp, both: tuple[Flask, Tables], monkeypatch: pytest.MonkeyPatch, room: int | None
) -> None:
    """No room for a file, or for all of it: a 503 each, and nothing stays reserved."""

    def full(**_more: object) -> Full:
        if room is None:
            raise OSError(errno.ENOSPC, "No space left on device")
        return Full(room)

    monkeypatch.setattr(uploads.tempfile, "TemporaryFile", full)
    sender = Sender(Phone(both[0]), 5000, b"x" * 5000)
    asked(live, sender)
    assert sender.status == 503
    assert both[1].limiter.used("upload-bytes") == 0


def test_a_full_disk_behind_the_form(
    both: tuple[Flask, Tables], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The form's parts and an import have temporary files of their own."""

    def full(*_arguments: object, **_more: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(importing.tempfile, "TemporaryFile", full)
    phone = Phone(both[0])
    body = b'--p\r\nContent-Disposition: form-data; name="history"; filename="h"\r\n\r\n'
    body += b" " * 100_000 + b"\r\n--p--\r\n"
    answer = phone.client.post(
        "/history/import", data=body, content_type="multipart/form-data; boundary=p"
    )
    assert answer.status_code == 503
    assert "cannot save anything" in answer.text


def test_an_upload_that_stalls_is_ended(
    live: LiveApp, both: tuple[Flask, Tables], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One byte now and then keeps no place, and what was only announced takes no room."""
    set_limits(monkeypatch, both[1], stall_seconds=0.2)
    sender = Sender(Phone(both[0]), USUAL.upload_bytes)

    async def trickle() -> dict[str, Any]:
        await asyncio.sleep(0.05)
        assert both[1].limiter.used("upload-bytes") < 100
        return {"type": "http.request", "body": b"x", "more_body": True}

    loop.run(live(sender.scope, trickle, sender.send))
    assert sender.status == 408


@pytest.mark.parametrize(("address", "last"), [("192.0.2.8", "429"), ("127.0.0.1", "408")])
def test_an_address_has_a_share_of_the_uploads(
    live: LiveApp,
    both: tuple[Flask, Tables],
    monkeypatch: pytest.MonkeyPatch,
    address: str,
    last: str,
) -> None:
    """This computer has no limit."""
    set_limits(monkeypatch, both[1], upload_seconds=0.5)

    async def test() -> list[int | None]:
        senders = [Sender(Phone(both[0]), 2000) for _ in range(USUAL.uploads_per_address + 1)]
        for sender in senders:
            sender.scope["client"] = (address, 1)

        async def sleep() -> dict[str, Any]:
            await asyncio.sleep(PATIENCE)
            return {}

        await asyncio.gather(*(live(each.scope, sleep, each.send) for each in senders))
        return [each.status for each in senders]

    statuses = loop.run(test())
    assert sorted(map(str, statuses)) == ["408"] * USUAL.uploads_per_address + [last]


def test_an_address_sends_so_many_in_a_while(
    both: tuple[Flask, Tables], monkeypatch: pytest.MonkeyPatch
) -> None:
    set_limits(monkeypatch, both[1], recent_uploads_per_address=2)
    live = LiveApp(*both)
    statuses = []
    for address in ["192.0.2.1"] * 3 + ["192.0.2.2"]:
        sender = Sender(Phone(both[0]), 0)
        sender.scope["client"] = (address, 1)
        asked(live, sender)
        statuses.append(sender.status)
    assert [status == 429 for status in statuses] == [False, False, True, False]


def test_one_address_leaves_room_for_the_uploads_of_others(
    live: LiveApp, both: tuple[Flask, Tables]
) -> None:
    """However much one holds in uploads that do not end, a photo of another one comes in."""
    half = USUAL.uploading_bytes // 2
    body = multipart(b"x" * 3_000_000)
    statuses = {}
    with both[1].limiter.room("upload-bytes", half, address="192.0.2.66"):
        for address in ("192.0.2.66", "192.0.2.9", "127.0.0.1"):
            sender = Sender(Phone(both[0]), len(body), body)
            sender.scope["client"] = (address, 1)
            asked(live, sender)
            statuses[address] = sender.status
    assert statuses == {"192.0.2.66": 503, "192.0.2.9": 303, "127.0.0.1": 303}


def test_uploads_share_the_room_on_the_disk(live: LiveApp, both: tuple[Flask, Tables]) -> None:
    sender = Sender(Phone(both[0]), 2000, b"x" * 2000)
    with both[1].limiter.room("upload-bytes", USUAL.uploading_bytes - 1000):
        asked(live, sender)
    assert sender.status == 503
    assert sender.taken <= 2000


def test_who_falls_asleep_is_not_waited_for(
    live: LiveApp, both: tuple[Flask, Tables], monkeypatch: pytest.MonkeyPatch
) -> None:
    set_limits(monkeypatch, both[1], upload_seconds=0.05)
    sender = Sender(Phone(both[0]), 2000)

    async def sleep() -> dict[str, Any]:
        await asyncio.sleep(PATIENCE)
        return {}

    loop.run(live(sender.scope, sleep, sender.send))
    assert sender.status == 408
    assert both[1].limiter.used("upload-bytes") == 0


def test_the_rest_of_the_app_keeps_its_limit(both: tuple[Flask, Tables]) -> None:
    phone = Phone(both[0])
    for path in ("/by-hand", "/tables", "/upload", "/review/x/save"):
        body = b"x" * (USUAL.body_bytes + 1)
        answer = phone.ask("POST", path, data={"names": body})
        assert answer.status_code in (404, 405, 413), path
    assert USUAL.upload_bytes > USUAL.body_bytes


# A form that breaks off leaves its files to the garbage collector, which closes them.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"--part",
        b"--part--",
        b"\r\n" * 1000,
        b"--part\r\nContent-Disposition: form-data; name=photo; filename=x\r\n",
        multipart(b"")[:-4],
        multipart(b"x").removesuffix(b"--part--\r\n") * 40 + b"--part--\r\n",
        b"--part\r\n" + b"X-Y: z\r\n" * 20_000 + b"\r\n\r\n--part--",
    ],
)
def test_a_form_that_is_none_is_refused(both: tuple[Flask, Tables], body: bytes) -> None:
    phone = Phone(both[0])
    kind = "multipart/form-data; boundary=part"
    answer = phone.ask("POST", "/upload/new", data=body, content_type=kind)
    assert 400 <= answer.status_code < 500


def test_mutated_files_give_a_reading_or_a_sentence() -> None:
    """In a process of its own, with the real reader; more: `python -m tests.kit.photos.fuzz`."""
    fuzz = ["-m", "tests.kit.photos.fuzz", str(examples(150)), "7"]
    command = [sys.executable, "-W", "error", *fuzz]
    ran = subprocess.run(command, capture_output=True, cwd=ROOT, check=False)
    assert ran.returncode == 0, ran.stderr.decode()
    assert b"Traceback" not in ran.stderr


def test_the_app_itself_never_loads_opencv(tmp_path: Path) -> None:
    photo = tmp_path / "photo.jpg"
    photo.write_bytes(standin.picture(standin.TWO))
    ran = subprocess.run(
        [sys.executable, "-c", SENDING, str(photo)], capture_output=True, cwd=ROOT, check=False
    )
    assert ran.returncode == 0, ran.stderr.decode()


SENDING = """
import sys, tempfile
from pathlib import Path
from tests.kit.photos.sending import look, read, reading_app
from tests.kit.phones import Phone

with tempfile.TemporaryDirectory() as folder, reading_app(Path(folder)) as (app, tables):
    phone = Phone(app)
    review = read(phone, Path(sys.argv[1]).read_bytes())
    assert len(look(tables, phone, review).sheets) == 2
assert not {"cv2", "numpy", "PIL"} & set(sys.modules)
"""
"""Sends a photo and looks at what was read."""


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - closed at once
