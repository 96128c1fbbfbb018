"""Addresses that another phone opens: as text, and as a QR code."""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address
from typing import Final
from urllib.parse import urljoin, urlsplit

import segno
from flask import current_app, request
from markupsafe import Markup

QR_CODES_KEPT: Final = 64  # in memory, about 4 kB each; most are of the first page's address


@dataclass(frozen=True)
class Entrance:
    """The app's address for phones, and whether they must be in this computer's network."""

    address: str
    is_in_network: bool


def entrance(path: str) -> Entrance | None:
    """The entrance at this path; None if this computer's own browsers alone can open it."""
    address = address_for_others(path)
    host = urlsplit(address).hostname or ""
    return None if _is_loopback(host) else Entrance(address, _is_in_network(host))


def address_for_others(path: str) -> str:
    """A path's full address, as another phone can open it."""
    # A browser on the server itself may know the app as "localhost", which means nothing to a
    # phone. Nobody else learns its address in the network, whatever name they ask for.
    own = urlsplit(request.host_url).hostname or ""
    lan = current_app.config.get("LAN_ADDRESS")
    if lan and _is_loopback(own) and _is_loopback(request.remote_addr or ""):
        return f"{lan}{path}"
    return urljoin(request.host_url, path)


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _is_in_network(host: str) -> bool:
    """Whether the host has no name outside its own network."""
    try:
        return ip_address(host).is_private
    except ValueError:
        return host.endswith(".local") or "." not in host


@lru_cache(maxsize=QR_CODES_KEPT)
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
