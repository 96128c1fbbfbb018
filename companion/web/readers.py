"""The processes that read this app's photos."""

from __future__ import annotations

from flask import Flask, current_app

from companion.vision.workers import Readers


def readers() -> Readers:
    """The app's readers, made when the first photo comes."""
    app = current_app._get_current_object()  # type: ignore[attr-defined]
    found = app.extensions.get("readers")
    if found is None:
        found = app.extensions.setdefault("readers", Readers(app.config["READER"]))
    made: Readers = found
    return made


def close_readers(app: Flask) -> None:
    """Ends the app's readers, if there are any."""
    found = app.extensions.get("readers")
    if found is not None:
        found.close()
