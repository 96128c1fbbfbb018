"""The app's host names, the headers of every answer, and a client's address."""

from __future__ import annotations

import re
import socket
from collections.abc import Collection, Iterable, Mapping
from ipaddress import IPv6Network, ip_address
from typing import Final

# The app's host names on this computer
LOCAL: Final = ("localhost", "127.0.0.1", "::1")
NOT_OURS: Final = (
    "The app does not answer at this address. Open the one that it printed when it started. Its"
    " operator can allow another one: companion serve --name NAME\n"
)

# Headers that restrict browsers and search engines, on every answer but those of `NO_DOCUMENT`
HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self';"
        " img-src 'self' data:; media-src 'self'; manifest-src 'self'; connect-src 'self';"
        " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "geolocation=(), microphone=(), payment=(), usb=()",
    # Many addresses are secrets: a link to a table or a result lets in anybody who finds it.
    "X-Robots-Tag": "noindex",
}
# Content types of files that no browser opens as a page: a page's policies bind its scripts. A
# worker's script is the exception, see `companion.web.assets.install`.
NO_DOCUMENT: Final = ("text/css", "text/javascript", "font/")
_OF_DOCUMENTS: Final = (
    "Content-Security-Policy",
    "Cross-Origin-Opener-Policy",
    "Permissions-Policy",
    "X-Robots-Tag",
)
# Strict-Transport-Security, which is sent over https: browsers then never try http again for as
# long as a cookie lives.
HSTS: Final = f"max-age={400 * 24 * 60 * 60}"

# An IPv6 address in brackets or a name, each with or without a port; a bare IPv6 address
_HOST: Final = re.compile(r"\[([0-9a-f:.%]+)\](?::\d*)?|([\w.-]+)(?::\d*)?|([0-9a-f:.]+)", re.ASCII)


def own_names(printed: str, named: Iterable[str]) -> frozenset[str]:
    """The host names that browsers may use for the app.

    They exclude another site's name that was made to point at this computer (DNS rebinding).

    Args:
        printed: the host in the address that was printed.
        named: those that the operator allows, such as a proxy's.
    """
    computer = socket.gethostname().partition(".")[0]
    names = (*LOCAL, printed, computer, f"{computer}.local", *named)
    return frozenset(host_of(name) for name in names if name)


def host_of(header: str) -> str:
    """A Host header without its port, for comparing; empty if it is invalid."""
    found = _HOST.fullmatch(header.strip().lower())
    return next(filter(None, found.groups()), "").rstrip(".") if found else ""


def is_own(header: str, names: Collection[str]) -> bool:
    """Whether a Host header has one of the names, or any address, which no site can point here."""
    host = host_of(header)
    try:
        return host in names or bool(ip_address(host))
    except ValueError:
        return False


def headers_for(content_type: str) -> Mapping[str, str]:
    """The headers of `HEADERS` that an answer of this type has."""
    if not content_type.startswith(NO_DOCUMENT):
        return HEADERS
    return {name: value for name, value in HEADERS.items() if name not in _OF_DOCUMENTS}


def network_of(address: str) -> str:
    """The address, or an IPv6 address's /64 network: a device may use any of them."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    parsed = getattr(parsed, "ipv4_mapped", None) or parsed
    if parsed.version == 4:
        return str(parsed)
    return str(IPv6Network((int(parsed) >> 64 << 64, 64)))
