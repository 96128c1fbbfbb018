"""The address that a request counts for, and the headers of trusted proxies.

Those have a request's client address, https, host and path prefix; nobody else's are believed.
`docs/operating.md` has configurations for nginx and Caddy.
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, Final, TypeAlias

from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from companion.core.refusal import Unusable
from companion.web.net.asgi_types import AsgiApp, Receive, Scope, Send

Network: TypeAlias = IPv4Network | IPv6Network

PROXIES: Final = frozenset({"127.0.0.1", "::1"})
"""This computer, whose programs may stand for many clients. A proxy that is trusted names them."""
PREFIX: Final = re.compile(r"(/[\w.~-]+)+", re.ASCII)
"""A path prefix without its last slash, as `/companion`."""
LONGEST_PREFIX: Final = 100
"""Limit of a prefix's characters."""
MAPPED: Final = "::ffff:"
"""The beginning of an IPv4 address on a socket that listens for both."""

SILENT: Final = (
    "The proxy at %s does not say for whom it asks (X-Forwarded-For), so all its clients count as"
    " one address."
)
NOT_TRUSTED: Final = (
    "A proxy on this computer forwards requests and is not trusted, so that links and cookies may"
    " be wrong. If it is yours, start with --behind-proxy 127.0.0.1,::1"
)

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Proxies:
    """The proxies in front of the app, and the path under which they show it."""

    networks: tuple[Network, ...] = ()
    prefix: str = ""
    """The part of every path that browsers have before the app's own; empty or as `PREFIX`."""

    def trust(self, address: str) -> bool:
        """Whether the headers of a connection from this address are believed."""
        try:
            parsed = ip_address(address.partition("%")[0])
        except ValueError:
            return False
        return any(parsed in network for network in self.networks)


NO_PROXIES: Final = Proxies()


def parse_networks(text: str) -> tuple[Network, ...]:
    """The addresses and networks in a list with commas; raises `Unusable`."""
    try:
        return tuple(ip_network(part.strip().strip("[]")) for part in text.split(","))
    except ValueError as error:
        raise Unusable(
            f"“{text}” is no list of proxies ({error}). One looks like 127.0.0.1,10.0.0.0/8."
        ) from error


def parse_prefix(text: str) -> str:
    """A path prefix as it is compared, without its last slash; raises `Unusable`."""
    prefix = text.strip().rstrip("/")
    if prefix and not _is_prefix(prefix):
        raise Unusable(f"“{text}” is no path prefix; one looks like /companion.")
    return prefix


def _is_prefix(text: str) -> bool:
    is_plain = len(text) <= LONGEST_PREFIX and PREFIX.fullmatch(text) is not None
    return is_plain and not {".", ".."} & set(text.split("/"))


class BehindProxies:
    """An ASGI app that hands on requests as browsers have sent them to the proxy."""

    def __init__(self, app: AsgiApp, proxies: Proxies) -> None:
        self._app: Final = app
        self._proxies: Final = proxies
        trusted = list(map(str, proxies.networks))
        self._forwarded: Final = ProxyHeadersMiddleware(app, trusted)  # type: ignore[arg-type]
        self._warned: Final[set[str]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        address, port = scope.get("client") or ("", 0)
        peer = address.removeprefix(MAPPED)
        prefix = self._proxies.prefix
        if not self._proxies.trust(peer):
            if peer in PROXIES and _header(scope, b"x-forwarded-for"):
                self._warn(NOT_TRUSTED)
            await self._app(under(prefix, scope), receive, send)
            return
        headers = scope["headers"]
        if host := _header(scope, b"x-forwarded-host"):
            headers = [(b"host", host), *(pair for pair in headers if pair[0] != b"host")]
        if not prefix:
            said = _header(scope, b"x-forwarded-prefix").decode("latin-1").rstrip("/")
            prefix = said if _is_prefix(said) else ""
        # A proxy asks for itself, too, whether the app is well.
        if not _header(scope, b"x-forwarded-for") and not scope["path"].startswith("/health/"):
            self._warn(SILENT, peer)
        seen = {**under(prefix, scope), "client": (peer, port), "headers": headers}
        await self._forwarded(seen, receive, send)  # type: ignore[arg-type]

    def _warn(self, text: str, *values: str) -> None:
        if text not in self._warned:
            self._warned.add(text)
            _log.warning(text, *values)


def _header(scope: Scope, name: bytes) -> bytes:
    """The nearest proxy's value in a header; empty without the header."""
    values = [value for sent, value in scope["headers"] if sent == name]
    return b",".join(values).rpartition(b",")[2].strip()


def under(prefix: str, scope: Scope) -> Scope:
    """The request with the app's own path; the proxy may have taken the prefix off or not."""
    if not prefix:
        return scope
    path: str = scope["path"]
    if path == prefix or path.startswith(f"{prefix}/"):
        path = path[len(prefix) :] or "/"
    return {**scope, "root_path": prefix, "path": path}


def counted_address(address: str) -> str:
    """The network whose tables and photos are counted; empty for one that may be a proxy."""
    network = network_of(address)
    return "" if network in PROXIES else network


def network_of(address: str) -> str:
    """The address, or an IPv6 address's /64 network: a device has as many of those as it likes."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(IPv6Address(int(parsed) >> 64 << 64))


def limited_address(scope: Any) -> str:
    """The address whose limits apply to a request; empty for this computer, which has none."""
    client = scope.get("client")
    return counted_address(client[0]) if client else ""
