"""The history's files: backups to save and to restore, and tables for spreadsheets."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from flask import Blueprint, Response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from companion.tables import Refused
from companion.tables.history.exchange import MOST_BYTES
from companion.tables.history.restoring import CHOICES
from companion.web.page.errors import explain
from companion.web.page.security import device
from companion.web.record.history import attached, history, listed

pages = Blueprint("files", __name__, url_prefix="/history")

SLACK_BYTES: Final = 4096
"""Limit of the bytes that a form adds to the file that it sends."""


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
    """Takes in a backup and leads to the page that says what restoring it would do."""
    request.max_content_length = MOST_BYTES + SLACK_BYTES
    try:
        file = request.files.get("history")
        if file is None or not file.filename:
            raise Refused("no-file")
        history().prepare_restore(device(), file.stream)
    except Refused as error:
        message, status = explain(error)
        return listed(refused=message), status
    return redirect(url_for("files.ask"), code=303)


@pages.get("/restore")
def ask() -> ResponseReturnValue:
    """Says what restoring would do, before it is done."""
    return _asked(("newer",))


def _asked(chosen: tuple[str, ...], *, is_rest: bool = False) -> str:
    preview = history().restore_preview(device())
    return render_template("record/restore.html", preview=preview, chosen=chosen, is_rest=is_rest)


@pages.post("/restore")
def restore() -> ResponseReturnValue:
    """Restores the backup as it was chosen, or forgets it, and leads to the list.

    Asks again where it takes longer than a request may.
    """
    if "forget" in request.form:
        history().forget_restore(device())
        return redirect(url_for("history.show"), code=303)
    chosen = tuple(kind for kind in CHOICES if kind in request.form.getlist("also"))
    if not history().restore(device(), chosen):
        return _asked(chosen, is_rest=True)
    return redirect(url_for("history.show", restored=1), code=303)


@pages.get("/restore/back")
def ask_take_back() -> ResponseReturnValue:
    """Says what taking the last restore back would do."""
    last = history().last_restore(device())
    if last is None:
        raise Refused("no-restore")
    return render_template("record/take_back.html", last=last)


@pages.post("/restore/back")
def take_back() -> ResponseReturnValue:
    """Takes the last restore back as a whole, and leads to the list."""
    done = history().take_back(device())
    return redirect(url_for("history.show" if done else "files.ask_take_back"), code=303)


def _today() -> str:
    return f"{datetime.now().astimezone():%Y-%m-%d}"
