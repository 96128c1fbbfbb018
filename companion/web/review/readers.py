"""The readers of this app's photos: processes of its own, or those that empty the queue."""

from __future__ import annotations

from flask import Flask, current_app

from companion.paper.photos.photo_queue import PhotoQueue
from companion.paper.photos.sending import PhotoReaders
from companion.tables import Tables
from companion.vision.core import missing_module
from companion.vision.worker.pool import AT_ONCE, Readers
from companion.web.page.context import current_tables


def readers() -> PhotoReaders:
    """The app's readers; on PostgreSQL those of all machines."""
    return readers_of(current_app._get_current_object())  # type: ignore[attr-defined]


def readers_of(app: Flask) -> PhotoReaders:
    """The readers, which are made when they are asked for first and start with a photo."""
    if "readers" not in app.extensions:
        tables: Tables = app.extensions["tables"]
        made: PhotoReaders
        if tables.database.is_sqlite:
            made = Readers(
                app.config["READER"],
                at_once=app.config.get("READERS", AT_ONCE),
                limits=tables.limits,
            )
        else:
            made = PhotoQueue(tables.database, tables.limits)
        app.extensions.setdefault("readers", made)
    found: PhotoReaders = app.extensions["readers"]
    return found


def can_read_photos() -> bool:
    """Whether photos are read; on PostgreSQL any machine may do it, so it is taken for granted."""
    return not current_tables().database.is_sqlite or missing_module() is None


def can_look_first() -> bool:
    """Whether a small picture of a photo is looked at; the queue's readers are elsewhere."""
    return current_tables().database.is_sqlite


def close_readers(app: Flask) -> None:
    """Ends the app's own readers, if there are any."""
    if not isinstance(found := app.extensions.get("readers"), PhotoQueue | None):
        found.close()
