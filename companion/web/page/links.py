"""Addresses that another phone opens: as text, and as a QR code."""

from __future__ import annotations

import io
from ipaddress import ip_address
from urllib.parse import urljoin, urlsplit

import segno
from flask import current_app, request
from markupsafe import Markup


def address_for_others(path: str) -> str:
    """A path's full address, as another phone can open it."""
    # A browser on the server itself may know the app as "localhost", which means nothing to a phone
    own = urlsplit(request.host_url)
    lan = current_app.config.get("LAN_ADDRESS")
    if lan and own.hostname and (own.hostname == "localhost" or _is_loopback(own.hostname)):
        return f"{lan}{path}"
    return urljoin(request.host_url, path)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def qr_code(text: str) -> Markup:
    """The text as a QR code in SVG; the stylesheet sizes it."""
    out = io.BytesIO()
    segno.make(text, micro=False, error="m").save(
        out,
        kind="svg",
        xmldecl=False,
        svgns=True,
        omitsize=True,
        border=3,
        svgclass="qr",
        lineclass=None,
        dark="#1f1a2b",
        light="#ffffff",
    )
    return Markup(out.getvalue().decode())  # noqa: S704 - made by segno
