"""Several phones of one person, and a phone that lost its cookie.

A link passes a phone's identity on to another phone: both are the same device from then on, at
every table and in the history. So a tablet brings back a phone that lost its cookie, even the
host's. A phone that is lost or sold is forgotten by one of the others.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Final

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from companion.core.words import N_
from companion.tables.play.own_phones import phone_key
from companion.web.page.context import current_tables
from companion.web.page.security import DEVICE_BYTES, become, device, phone
from companion.web.table.share import address_for_others, qr_code

pages = Blueprint("phones", __name__, url_prefix="/phone")

KINDS: Final[Mapping[str, str]] = {
    "iphone": N_("iPhone"),
    "ipad": N_("iPad"),
    "android": N_("Android phone or tablet"),
    "windows": N_("Windows computer"),
    "macintosh": N_("Mac"),
    "linux": N_("Linux computer"),
    "": N_("Another device"),
}
"""Kind of a phone, as it stands in the user agent in small letters → its name in the list."""
LONGEST_AGENT: Final = 1_000
"""Characters of a user agent that are looked at."""


@pages.get("")
def show() -> ResponseReturnValue:
    """Says what the link does, whose only button makes one, and lists the phones so far."""
    phones = current_tables().own_phones.of_device(device())
    return render_template("table/phones.html", phones=phones, kinds=KINDS, here=_here())


@pages.post("")
def link() -> ResponseReturnValue:
    """The page with the link and its QR code."""
    token = current_tables().own_phones.make_link(device(), phone(), _kind())
    address = address_for_others(url_for("phones.arrive", ticket=token))
    return render_template("table/phones.html", address=address, qr=qr_code(address))


@pages.post("/forget")
def forget() -> ResponseReturnValue:
    """Forgets one of the device's phones, which becomes a stranger; leads back to the list."""
    current_tables().own_phones.forget(device(), request.form.get("phone", ""))
    return redirect(url_for("phones.show"), code=303)


@pages.post("/new")
def replace_cookie() -> ResponseReturnValue:
    """Makes a phone whose cookie is of no use a new device; leads to the start."""
    become(secrets.token_urlsafe(DEVICE_BYTES))
    return redirect(url_for("start.show"), code=303)


@pages.get("/as/<ticket>")
def arrive(ticket: str) -> ResponseReturnValue:
    """The page behind the link. Changes nothing yet."""
    current_tables().own_phones.check_link(ticket)
    return render_template("table/phones.html", ticket=ticket)


@pages.post("/as/<ticket>")
def take_over(ticket: str) -> ResponseReturnValue:
    """Makes this phone the same device as the one that made the link, which ends with it."""
    token, name = current_tables().own_phones.use_link(ticket, _kind())
    become(token, name)
    return redirect(url_for("start.show"), code=303)


def _here() -> str:
    return phone_key(device(), phone())


def _kind() -> str:
    agent = request.headers.get("User-Agent", "")[:LONGEST_AGENT].lower()
    return next(kind for kind in KINDS if kind in agent)
