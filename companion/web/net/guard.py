"""Checks of every request before pages, uploads and streams, and headers on every answer.

Only connections that uvicorn takes pass through here; `web.page.security` guards Flask's own
requests.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Collection, Iterable, Mapping
from ipaddress import ip_address
from typing import Final

from companion.web.net.asgi_types import Message, Scope, Send

LOCAL: Final = ("localhost", "127.0.0.1", "::1")
"""The names by which a browser on this computer reaches the app."""
NOT_OURS: Final = (
    "The app is not reached by this address. Open the one that it printed when it started. Whoever"
    " runs it can allow another one: companion serve --name NAME\n"
)
AMBIGUOUS: Final = "A request has either a length or chunks, not both.\n"

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
    # Many addresses are secrets: a link to a table or a result lets in whoever finds it.
    "X-Robots-Tag": "noindex",
}
"""Headers that restrict browsers and search engines, on every answer but those of `NO_DOCUMENT`."""
NO_DOCUMENT: Final = ("text/css", "font/")
"""Content types of files that no browser opens as a page or runs, so that policies bind nothing."""
_OF_DOCUMENTS: Final = (
    "Content-Security-Policy",
    "Cross-Origin-Opener-Policy",
    "Permissions-Policy",
)
HSTS: Final = f"max-age={400 * 24 * 60 * 60}"
"""Strict-Transport-Security, which is sent over https: browsers then never try http again
for as long as a cookie lives."""

_HOST: Final = re.compile(r"\[([0-9a-f:.%]+)\](?::\d*)?|([\w.-]+)(?::\d*)?|([0-9a-f:.]+)", re.ASCII)
"""An IPv6 address in brackets or a name, each with or without a port; a bare IPv6 address."""
_NO_STORE: Final = (b"cache-control", b"no-store")


def own_names(printed: str, named: Iterable[str]) -> frozenset[str]:
    """The hosts by which browsers may ask for the app.

    Another site's name that was made to point at this computer (DNS rebinding) is none of them.

    Args:
        printed: the host in the address that was printed.
        named: those that the operator allows, such as a proxy's.
    """
    computer = socket.gethostname().partition(".")[0]
    names = (*LOCAL, printed, computer, f"{computer}.local", *named)
    return frozenset(host_of(name) for name in names if name)


def host_of(header: str) -> str:
    """A Host header without its port, as it is compared; empty when it is none."""
    found = _HOST.fullmatch(header.strip().lower())
    return next(filter(None, found.groups()), "").rstrip(".") if found else ""


def is_own(header: str, names: Collection[str]) -> bool:
    """Whether a Host header has one of the names, or any address, which no site can point here."""
    host = host_of(header)
    try:
        return host in names or bool(ip_address(host))
    except ValueError:
        return False


def refusal(scope: Scope, names: Collection[str] | None) -> tuple[int, str] | None:
    """The status and the sentence with which a request is refused, if it is.

    Args:
        names: see `own_names`; None allows every name.
    """
    sent = [name for name, _ in scope["headers"]]
    if b"content-length" in sent and b"transfer-encoding" in sent:
        return 400, AMBIGUOUS
    if names is None:
        return None
    # The address at which the connection came in is this computer's own, whatever was printed.
    server = scope.get("server") or ("",)
    own = str(server[0]).lower().removeprefix("::ffff:")
    for name, value in scope["headers"]:
        if name == b"host" and host_of(value.decode("latin-1")) not in (*names, own):
            return 421, NOT_OURS
    return None


def claimed_length(scope: Scope) -> int:
    """The Content-Length header; -1 when there is none, or it is no number."""
    raw = dict(scope["headers"]).get(b"content-length", b"")
    return int(raw) if raw.isdigit() else -1


async def refuse(send: Send, status: int, sentence: str) -> None:
    """Answers with a sentence, and closes the connection."""
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": sentence.encode()})


def headers_for(content_type: str) -> Mapping[str, str]:
    """The headers of `HEADERS` that an answer of this type has."""
    if not content_type.startswith(NO_DOCUMENT):
        return HEADERS
    return {name: value for name, value in HEADERS.items() if name not in _OF_DOCUMENTS}


def with_headers(scope: Scope, send: Send, *, https_only: bool = True) -> Send:
    """A `send` that adds the headers that every answer has, where they are missing.

    Args:
        https_only: whether browsers that came over https shall never try http again.
    """

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            had = {name.lower(): value for name, value in message["headers"]}
            headers = headers_for(had.get(b"content-type", b"").decode("latin-1"))
            usual = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
            usual.append(_NO_STORE)
            if https_only and scope.get("scheme") == "https":
                usual.append((b"strict-transport-security", HSTS.encode()))
            more = [header for header in usual if header[0] not in had]
            message = {**message, "headers": [*message["headers"], *more]}
        await send(message)

    return sent
