"""The readers of this app's photos: processes of its own, or those that empty the queue."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from typing import Final

from flask import Flask, current_app

from companion.paper import photos
from companion.paper.queued import QueuedReaders
from companion.tables import Tables
from companion.vision.worker.pool import AT_ONCE, Readers
from companion.web.net.metrics import Metrics
from companion.web.page.serving import store

EXPIRY_SECONDS: Final = 30.0
"""How often a server without readers deletes the photos that nobody came to read."""


def readers() -> photos.Readers:
    """The app's readers, made when the first photo comes; on PostgreSQL those of all machines."""
    app = current_app._get_current_object()  # type: ignore[attr-defined]
    found = app.extensions.get("readers")
    if found is None:
        queue = store().photo_queue
        at_once = app.config.get("READERS", AT_ONCE)
        made: photos.Readers
        if queue:
            made = QueuedReaders(queue)
        else:
            made = own = Readers(app.config["READER"], at_once=at_once)
            own.observer = app.extensions.get("photo-observer")
        found = app.extensions.setdefault("readers", made)
    chosen: photos.Readers = found
    return chosen


@contextmanager
def reading_here(
    tables: Tables, at_once: int, observer: Callable[[str, float], None] | None = None
) -> Iterator[None]:
    """Takes photos out of the queue meanwhile, on PostgreSQL; SQLite's are read without one.

    Args:
        at_once: photos at a time. With 0, or where the libraries are missing, photos wait for
            readers elsewhere, and only those that waited too long are deleted here.
        observer: see `Readers.observer`.
    """
    if tables.photo_queue is None:
        yield
        return
    from companion.paper import reading

    if at_once and find_spec("cv2"):
        reader = reading.PhotoReader(tables, at_once=at_once, observer=observer)
        try:
            yield
        finally:
            reader.close()
        return
    stopping = threading.Event()

    def tidy() -> None:
        while not stopping.wait(EXPIRY_SECONDS):
            reading.expire(tables)

    thread = threading.Thread(target=tidy, name="photo-expiry", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join()


def observe_photos(app: Flask, tables: Tables, metrics: Metrics) -> None:
    """Has the photos counted that wait and are read: in the queue of all, or by the app's own."""
    if (queue := tables.photo_queue) is not None:
        metrics.watch_photos(partial(queue.count, False), partial(queue.count, True))
        return

    def count(name: str) -> float:
        found: Readers | None = app.extensions.get("readers")
        return getattr(found, name) if found else 0

    app.extensions["photo-observer"] = metrics.photo
    metrics.watch_photos(partial(count, "waiting"), partial(count, "reading"))


def close_readers(app: Flask) -> None:
    """Ends the app's readers, if there are any."""
    found = app.extensions.get("readers")
    if found is not None:
        found.close()
