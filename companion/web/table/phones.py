"""Several phones of one person, and a phone that lost its cookie.

A link hands a phone's identity over to another phone: both are the same device from then on, at
every table and in the history. So a tablet brings back a phone that lost its cookie, even the
host's. After a phone was lost or sold, one of the others signs all others out.
"""

from __future__ import annotations

import time
from typing import Final

from flask import Blueprint, current_app, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from itsdangerous import BadSignature, URLSafeTimedSerializer

from companion.tables import Refused
from companion.tables.database.columns import device_hash
from companion.tables.play.own_phones import new_device, sign_out_others
from companion.web.page.context import current_tables
from companion.web.page.links import address_for_others, qr_code
from companion.web.page.security import device, sign_in_as

pages = Blueprint("phones", __name__, url_prefix="/phone")

LINK_SECONDS: Final = 5 * 60  # Lifetime of a link to another phone


@pages.get("")
def show() -> ResponseReturnValue:
    """Says what a link and signing out do, with a button for each."""
    return _page()


def _page(**more: object) -> str:
    # The page has the next identity before it is used: an answer that gets lost loses nothing.
    new = _serializer("new").dumps([device_hash(device()), new_device()])
    return render_template("table/phones.html", new=new, **more)


@pages.post("")
def link() -> ResponseReturnValue:
    ticket = str(_serializer("link").dumps(device()))
    address = address_for_others(url_for("phones.arrive", ticket=ticket))
    return render_template("table/phones.html", address=address, qr=qr_code(address))


@pages.post("/others")
def sign_out() -> ResponseReturnValue:
    """Signs out all other phones that are the same device.

    Raises:
        Refused: `no-such-link`, for an identity that another device's page has offered.
    """
    try:
        offered_to, token = _serializer("new").loads(request.form.get("new", ""))
    except (BadSignature, ValueError):
        raise Refused("no-such-link") from None
    if offered_to != device_hash(device()):
        raise Refused("no-such-link")
    sign_out_others(current_tables(), device(), token)
    sign_in_as(token)
    return _page(is_signed_out=True)


@pages.post("/new")
def replace_cookie() -> ResponseReturnValue:
    """Makes a phone whose cookie is of no use a new device; leads to the start."""
    sign_in_as(new_device())
    return redirect(url_for("start.show"), code=303)


@pages.get("/as/<ticket>")
def arrive(ticket: str) -> ResponseReturnValue:
    """The page behind the link. Changes nothing yet."""
    _device_in(ticket)
    return render_template("table/phones.html", ticket=ticket)


@pages.post("/as/<ticket>")
def take_over(ticket: str) -> ResponseReturnValue:
    """Makes this phone the same device as the one that made the link."""
    sign_in_as(_device_in(ticket))
    return redirect(url_for("start.show"), code=303)


def _serializer(kind: str) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(str(current_app.secret_key), salt=f"phone {kind}")


def _device_in(ticket: str) -> str:
    """The token of the device that made a link; raises `Refused` with `no-such-link`."""
    try:
        token, signed = _serializer("link").loads(ticket, return_timestamp=True)
    except (BadSignature, ValueError):
        raise Refused("no-such-link") from None
    # Either way, or a clock that has stepped back would make an old link valid again for long.
    if abs(time.time() - signed.timestamp()) > LINK_SECONDS:
        raise Refused("no-such-link")
    return str(token)
