"""The readers of this app's photos: its own processes, or those that empty the queue."""

from __future__ import annotations

from flask import Flask, current_app

from companion.paper.photos.photo_queue import PhotoQueue
from companion.paper.photos.sending import PhotoReaders
from companion.vision.core import missing_module
from companion.vision.worker.pool import AT_ONCE, Readers
from companion.web.page.context import current_tables


def readers() -> PhotoReaders:
    """The app's readers, made on first use; on PostgreSQL those of all machines."""
    if "readers" not in current_app.extensions:
        tables, config = current_tables(), current_app.config
        made: PhotoReaders
        if tables.database.is_sqlite:
            at_once = config.get("READERS", AT_ONCE)
            made = Readers(config["READER"], at_once=at_once, limits=tables.limits)
        else:
            made = PhotoQueue(tables.database, tables.limits)
        current_app.extensions.setdefault("readers", made)
    found: PhotoReaders = current_app.extensions["readers"]
    return found


def can_read_photos() -> bool:
    """Whether photos are read; on PostgreSQL any machine may do it, so it is taken for granted."""
    return not current_tables().database.is_sqlite or missing_module() is None


def close_readers(app: Flask) -> None:
    """Ends the app's own readers, if there are any."""
    if not isinstance(found := app.extensions.get("readers"), PhotoQueue | None):
        found.close()
