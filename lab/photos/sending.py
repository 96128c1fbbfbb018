"""Sending photos as a phone does, and what their review says."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from flask import Flask
from werkzeug.test import TestResponse

from companion.paper.review import Review
from companion.tables import Tables
from companion.web import create_app
from lab.pages import Page
from lab.patience import until
from lab.phones import Phone
from lab.servers.patient import give_time


@contextmanager
def reading_app(
    folder: Path, clock: Callable[[], float] = time.time
) -> Iterator[tuple[Flask, Tables]]:
    """An app whose photos the stand-in reads."""
    give_time()
    tables = Tables(f"sqlite:///{folder / 'photos.sqlite3'}", clock=clock)
    app = create_app(tables)
    app.config["READER"] = "lab.photos.standin"
    yield app, tables
    if readers := app.extensions.get("readers"):
        readers.close()
    tables.close()


def send(
    phone: Phone, *photos: bytes, to: str = "/upload/new", way: str = "page", **form: str
) -> TestResponse:
    files = [(io.BytesIO(photo), f"photo-{number}.jpg") for number, photo in enumerate(photos)]
    kind = "multipart/form-data"
    return phone.post(to, {**form, "photo": files}, way=way, content_type=kind)


def read(phone: Phone, *photos: bytes, **form: str) -> str:
    """Sends photos, waits until they are read, and returns the review's id."""
    answer = send(phone, *photos, **form)
    assert answer.status_code == 303, answer.text
    review_id = answer.location.split("/")[2]
    wait(phone, review_id)
    return review_id


def wait(phone: Phone, review_id: str) -> Page:
    shown: list[Page] = []

    def is_read() -> bool:
        shown[:] = [phone.page(f"/review/{review_id}/")]
        return not shown[0].all(id="reading")

    assert until(is_read)
    return shown[0]


def look(tables: Tables, phone: Phone, review_id: str) -> Review:
    return Review.load(tables.reviews.read(review_id, phone.device)[1])


def correct(phone: Phone, review_id: str, field: str, value: str, sheet: str = "1") -> None:
    answer = phone.post(f"/review/{review_id}/{sheet}/{field}", {"value": value})
    assert answer.status_code == 303


def do(phone: Phone, review_id: str, verb: str, **form: str) -> None:
    answer = phone.post(f"/review/{review_id}/do/{verb}", form)
    assert answer.status_code == 303, answer.text


def leave_nameless(phone: Phone, review_id: str) -> None:
    """Leaves all sheets of a game without names that have none."""
    do(phone, review_id, "nameless")


def save(phone: Phone, review_id: str, key: str = "") -> str:
    answer = phone.post(f"/review/{review_id}/save", {"key": key, "again": "1"})
    assert answer.status_code == 303, answer.text
    return answer.location.rsplit("/", 1)[-1]
