"""Photos in a form are read where the upload lies, whatever bytes they have."""

from __future__ import annotations

import random
import tempfile
from io import BytesIO

import pytest
from flask import Request
from werkzeug.datastructures import FileStorage, MultiDict
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.test import EnvironBuilder, encode_multipart

from companion.web.review import upload_form
from companion.web.review.upload_form import FileSlice, UploadForm


def photos(count: int) -> list[bytes]:
    """Photos of many sizes, full of what begins like a boundary."""
    chance = random.Random(7)
    parts = [b"\r", b"\n", b"\r\n", b"--", b"\r\n--", b"\r\n--part", *map(bytes, [[0], [255]])]
    sizes = (chance.choice([0, 1, 900, 66_000, 200_000]) for _ in range(count))
    return [b"".join(chance.choices(parts, k=size)) for size in sizes]


def request_with(raws: list[bytes], is_spooled: bool, **fields: str) -> Request:
    files = [FileStorage(BytesIO(raw), f"{number}.jpg") for number, raw in enumerate(raws)]
    boundary, body = encode_multipart(MultiDict({"photo": files, **fields}))
    kind = f"multipart/form-data; boundary={boundary}"
    environ = EnvironBuilder(
        "/", method="POST", input_stream=BytesIO(body), content_type=kind
    ).get_environ()
    environ["CONTENT_LENGTH"] = str(len(body))
    if is_spooled:
        spool = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - closed by the test
        spool.write(body)
        spool.seek(0)
        environ["wsgi.input"] = spool
    return Request(environ)


@pytest.mark.parametrize("is_spooled", [True, False])
def test_photos_are_what_was_sent(is_spooled: bool) -> None:
    raws = photos(24)
    request = request_with(raws, is_spooled, game="encore", keep="")
    form = UploadForm(request, 10**9)
    if is_spooled:
        request.environ["wsgi.input"].close()
    assert form.fields == {"game": "encore", "keep": ""}
    assert any(isinstance(photo.file, FileSlice) for photo in form.photos)
    for photo, raw in zip(form.photos, raws, strict=True):
        assert (photo.size, photo.head) == (len(raw), raw[: len(photo.head)])
        with photo.file:
            assert photo.file.read() == raw


def test_too_many_parts_and_a_large_field_are_refused() -> None:
    for request in (
        request_with([b"x"] * (upload_form.MAX_PARTS + 1), False),
        request_with([b"x"], False, names="x" * 600_000),
    ):
        with pytest.raises(RequestEntityTooLarge):
            UploadForm(request, 10**9)
