"""The history's files: backups to save and to restore, and tables for spreadsheets."""

from __future__ import annotations

from datetime import UTC, datetime

from flask import Blueprint, Response, request
from flask.typing import ResponseReturnValue

from companion.tables import Refused
from companion.web.page.errors import page_fault
from companion.web.page.formats import file_day
from companion.web.page.security import device
from companion.web.record.list_view import attached, history, listed

pages = Blueprint("files", __name__, url_prefix="/history")


@pages.get("/history.json")
def export_json() -> ResponseReturnValue:
    """All matches that this device sees, as a file that any device can restore."""
    raw = history().export_json(device())
    return attached(Response(raw, mimetype="application/json"), f"companion-{_today()}.json")


@pages.get("/history.csv")
def export_csv() -> ResponseReturnValue:
    """All matches that this device sees, one row a player, for a spreadsheet."""
    raw = history().export_csv(device(), ";" if "semicolons" in request.args else ",")
    response = Response(raw, content_type="text/csv; charset=utf-8")
    return attached(response, f"companion-{_today()}.csv")


@pages.post("/import")
def take_in() -> ResponseReturnValue:
    """Restores a backup, and shows on the list what that has done."""
    try:
        file = request.files.get("history")
        if file is None or not file.filename:
            raise Refused("no-file")
        ticks = {name: name in request.form for name in ("deleted", "changed")}
        done = history().restore(device(), file.stream, **ticks)
    except Refused as error:
        fault, status = page_fault(error, "history")
        return listed(fault=fault), status
    return listed(restored=done)


def _today() -> str:
    return file_day(datetime.now(UTC))
