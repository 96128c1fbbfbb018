"""What is too large, too much or no photo at all is refused soon, and leaves nothing behind."""

from __future__ import annotations

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
from companion.web.run.asgi import LiveApp
from tests.kit.asgi import scope_of
from tests.kit.phones import Phone
from tests.kit.photos import standin
from tests.kit.photos.sending import reading_app, wait
from tests.kit.servers import loop
from tests.kit.wide import examples

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Flask, Tables]]:
    with reading_app(tmp_path_factory.mktemp("limits")) as found:
        yield found


@pytest.fixture
def live(both: tuple[Flask, Tables]) -> LiveApp:
    return LiveApp(*both)


class Sender:
    """A client that sends a body chunk by chunk."""

    def __init__(self, phone: Phone, body: bytes) -> None:
        cookie = phone.client.get_cookie("companion")
        assert cookie is not None
        headers = [
            ("Host", "localhost"),
            ("Cookie", f"companion={cookie.value}"),
            ("Content-Type", "multipart/form-data; boundary=part"),
            ("Content-Length", str(len(body))),
        ]
        self.scope = scope_of("/upload/new", *headers, method="POST", peer="127.0.0.1")
        self.sent: list[Any] = []
        self._body = body

    async def receive(self) -> dict[str, Any]:
        chunk, self._body = self._body[: 1 << 18], self._body[1 << 18 :]
        return {"type": "http.request", "body": chunk, "more_body": bool(self._body)}

    async def send(self, message: Any) -> None:
        self.sent.append(message)

    @property
    def status(self) -> int | None:
        return self.sent[0]["status"] if self.sent else None


def multipart(photo: bytes) -> bytes:
    head = b'--part\r\nContent-Disposition: form-data; name="photo"; filename="a.jpg"\r\n\r\n'
    return head + photo + b"\r\n--part--\r\n"


def test_a_photo_comes_in_over_asgi(live: LiveApp, both: tuple[Flask, Tables]) -> None:
    phone = Phone(both[0])
    body = multipart(standin.picture(standin.CLEAN) + bytes(3_000_000))
    sender = Sender(phone, body)
    loop.run(live(sender.scope, sender.receive, sender.send))
    assert sender.status == 303
    headers = dict(sender.sent[0]["headers"])
    wait(phone, headers[b"location"].decode().split("/")[2])


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
