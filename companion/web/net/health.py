"""`/health/live` and `/health/ready`, for the supervisor or proxy of this process.

They need no session and no particular host name, because they reveal nothing about anybody.
"""

from __future__ import annotations

import logging
from typing import Final

from flask import Blueprint, current_app
from flask.typing import ResponseReturnValue

from companion import __version__
from companion.tables import Tables
from companion.vision.core import missing_module

PATH: Final = "/health/"
OK: Final = "ok"

pages = Blueprint("health", __name__, url_prefix=PATH)

_log: Final = logging.getLogger(__name__)


@pages.get("live")
def live() -> ResponseReturnValue:
    return {"live": True}


@pages.get("ready")
def ready() -> ResponseReturnValue:
    """Says whether this process can do its work: 200 or 503."""
    database = _database()
    photos = "no reader is installed" if missing_module() else OK
    is_ready = database == OK
    found = {"ready": is_ready, "database": database, "photos": photos, "version": __version__}
    return found, 200 if is_ready else 503


def _database() -> str:
    tables: Tables = current_app.extensions["tables"]
    try:
        if fault := tables.database.fault():
            return fault
        return OK if tables.database.is_current() else "was migrated by another version"
    except Exception as error:
        _log.warning("the database is not ready: %s", type(error).__name__)
        return "does not answer"
