"""Ways on for a table that would be stuck: an early end, lost phones, lost dice."""

from __future__ import annotations

from flask import Blueprint, redirect, request, url_for
from flask.typing import ResponseReturnValue

from companion.tables.play import lobby, roller, stranded
from companion.web.page.fragments import is_fragment
from companion.web.page.security import device
from companion.web.page.serving import store
from companion.web.table import play

pages = Blueprint("stranded", __name__, url_prefix="/t/<table_id>")


@pages.post("/stop")
def stop(table_id: str) -> ResponseReturnValue:
    """Ends the match early; the bar's undo button takes it back."""
    store().change(table_id, device(), lobby.stop)
    return _shown(table_id)


@pages.post("/host")
def become_host(table_id: str) -> ResponseReturnValue:
    """Makes this phone the host's when the host's is silent."""
    store().change(table_id, device(), stranded.become_host, store().presence.is_silent)
    return _shown(table_id)


@pages.post("/take-over")
def take_over(table_id: str) -> ResponseReturnValue:
    """Gives this phone the seat of a silent one."""
    seat = play.seat_number(request.form, "seat")
    store().change(table_id, device(), stranded.take_over, seat, store().presence.is_silent)
    return _shown(table_id)


@pages.post("/roller")
def set_roller(table_id: str) -> ResponseReturnValue:
    """Lets the app roll the dice, or no longer."""
    store().change(table_id, device(), lobby.set_setting, "roller", "roller" in request.form)
    return _shown(table_id)


@pages.post("/roll")
def roll(table_id: str) -> ResponseReturnValue:
    """Has the server roll the dice."""
    dice, seen = request.form.getlist("dice"), request.form.get("moment", "")
    store().change(table_id, device(), roller.roll, dice, seen)
    return _shown(table_id)


def _shown(table_id: str) -> ResponseReturnValue:
    if is_fragment():
        return play.show(table_id)
    return redirect(url_for("play.show", table_id=table_id), code=303)
