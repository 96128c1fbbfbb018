"""Ways on for a table that would be stuck: the match ended early, a lost phone replaced."""

from __future__ import annotations

from flask import Blueprint, redirect, url_for
from flask.typing import ResponseReturnValue

from companion.web import play
from companion.web.fragments import is_fragment
from companion.web.security import device
from companion.web.store import store

pages = Blueprint("stranded", __name__, url_prefix="/t/<table_id>")


@pages.post("/stop")
def stop(table_id: str) -> ResponseReturnValue:
    """Ends the match early; the bar's undo button takes it back."""
    store().stop(table_id, device())
    return _shown(table_id)


def _shown(table_id: str) -> ResponseReturnValue:
    if is_fragment():
        return play.show(table_id)
    return redirect(url_for("play.show", table_id=table_id), code=303)
