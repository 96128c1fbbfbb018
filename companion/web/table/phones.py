"""Several phones of one person, and a phone that lost its cookie.

A link passes a phone's identity on to another phone: both are the same device from then on, at
every table and in the history. So a tablet brings back a phone that lost its cookie, even the
host's.
"""

from __future__ import annotations

import secrets
import time
from typing import Final

from flask import Blueprint, current_app, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from itsdangerous import BadData, URLSafeTimedSerializer

from companion.tables import Refused
from companion.web.page.security import DEVICE_BYTES, become, device
from companion.web.table.share import address_for_others, qr_code

pages = Blueprint("phones", __name__, url_prefix="/phone")

LINK_MINUTES: Final = 60
"""Minutes for which a link to another phone of the same person is valid."""


@pages.get("")
def show() -> ResponseReturnValue:
    """Says what the link does; only its button makes one."""
    return render_template("table/phones.html")


@pages.post("")
def link() -> ResponseReturnValue:
    """The page with the link and its QR code."""
    ticket = _serializer().dumps(device())
    address = address_for_others(url_for("phones.arrive", ticket=ticket))
    return render_template("table/phones.html", address=address, qr=qr_code(address))


@pages.post("/new")
def replace_cookie() -> ResponseReturnValue:
    """Makes a phone whose cookie this app has not signed a new device; leads to the start."""
    become(secrets.token_urlsafe(DEVICE_BYTES))
    return redirect(url_for("start.show"), code=303)


@pages.get("/as/<ticket>")
def arrive(ticket: str) -> ResponseReturnValue:
    """The page behind the link. Changes nothing yet."""
    _device_of(ticket)
    return render_template("table/phones.html", ticket=ticket)


@pages.post("/as/<ticket>")
def take_over(ticket: str) -> ResponseReturnValue:
    """Makes this phone the same device as the one that made the link."""
    become(_device_of(ticket))
    return redirect(url_for("start.show"), code=303)


def _device_of(ticket: str) -> str:
    """The device in a ticket; raises `Refused` with `no-such-link`."""
    try:
        token, signed = _serializer().loads(ticket, return_timestamp=True)
    except (BadData, ValueError):
        raise Refused("no-such-link") from None
    # Either way, or a clock that has stepped back would make an old link valid again for long.
    if abs(time.time() - signed.timestamp()) > LINK_MINUTES * 60:
        raise Refused("no-such-link")
    return str(token)


def _serializer() -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(str(current_app.secret_key), salt="own-phone")
