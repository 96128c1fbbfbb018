"""The page of a game that is only counted: one number a player, and it is saved."""

from __future__ import annotations

from typing import Final

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from companion.core.refusal import Refusal
from companion.tables import Refused, Table
from companion.tables.history.paper import add_count
from companion.web.page.security import device
from companion.web.page.serving import store

pages = Blueprint("counting", __name__, url_prefix="/t/<table_id>/count")

MOST_DIGITS: Final = 6


@pages.get("")
def show(table_id: str) -> ResponseReturnValue:
    table = store().look(table_id, device())
    if table.me.role == "viewer":
        raise Refused("view-only")
    if table.phase != "lobby":
        return redirect(url_for("play.show", table_id=table_id), code=303)
    return _form(table)


@pages.post("")
def save(table_id: str) -> ResponseReturnValue:
    table = store().look(table_id, device())
    counts = {seat.id: _count(request.form.get(f"count.{seat.id}", "")) for seat in table.seats}
    try:
        match_id = store().change(table_id, device(), add_count, counts)
    except Refused as refused:
        if refused.code != "no-count":
            raise
        return _form(table, refused.refusal), 422
    return redirect(url_for("history.match", match_id=match_id), code=303)


def _form(table: Table, refusal: Refusal | None = None) -> str:
    """The page, with what was typed and why it was refused."""
    return render_template("table/count.html", table=table, typed=request.form, refusal=refusal)


def _count(text: str) -> int:
    """A number as it was typed; -1, which no count is, for anything else."""
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS else -1
