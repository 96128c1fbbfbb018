"""The options of `companion serve`, which are checked before anything else is loaded."""

from __future__ import annotations

import re
import ssl
from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Final

from companion.core.refusal import Unusable
from companion.limits import USUAL, Limits
from companion.web.net.guard import host_of

if TYPE_CHECKING:
    from companion.tables.upkeep.schedule import Schedule

# A path without its last slash, as `/companion`
PREFIX: Final = re.compile(r"(/(?!\.\.?(/|$))[\w.~-]+)+", re.ASCII)

NO_NAME: Final = (
    "--name takes a host name or an address without http:// and path, such as games.example.org,"
    " not “{}”."
)
NO_PROXY: Final = "A proxy must be an address or a network such as 10.0.0.0/8, not “{}”: {}."
NO_PREFIX: Final = "A path prefix must look like /companion, not “{}”."
NO_CERTIFICATE: Final = "The certificate in {} and its key in {} cannot be used: {}."


@dataclass(frozen=True, slots=True)
class Options:
    """The choices of `companion serve`."""

    host: str
    port: int
    readers: int  # photos that are read here at a time; with 0, readers elsewhere have to do it
    keep_days: int  # without use, until data is deleted; 0 keeps everything
    url: str | None = None  # the database's address; None for the default
    # Further host names of the app, such as a proxy's
    names: tuple[str, ...] = ()
    # Addresses and networks of proxies whose X-Forwarded headers are believed
    proxies: tuple[str, ...] = ()
    prefix: str = ""  # the path under which a proxy shows the app
    # The file of a certificate with its chain, for https; `key` has its key
    certificate: Path | None = None
    key: Path | None = None
    # Whether an older PostgreSQL database is migrated; a SQLite one always is, after a copy
    may_migrate: bool = False
    limits: Limits = USUAL
    backups: Schedule | None = None

    def __post_init__(self) -> None:
        """Raises `Unusable` for a name, a proxy, a prefix or a certificate that cannot be used."""
        if (self.certificate is None) != (self.key is None):
            raise Unusable("--cert and --key belong together: give both, or neither.")
        for name in self.names:
            if not host_of(name):
                raise Unusable(NO_NAME.format(name))
        for proxy in self.proxies:
            try:
                ip_network(proxy)
            except ValueError as error:
                raise Unusable(NO_PROXY.format(proxy, error)) from error
        if self.certificate and self.key:
            try:
                ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self.certificate, self.key)
            except OSError as error:
                reason = getattr(error, "reason", None) or error.strerror
                files = (self.certificate, self.key)
                raise Unusable(NO_CERTIFICATE.format(*files, reason)) from error
        if self.prefix and not PREFIX.fullmatch(self.prefix):
            raise Unusable(NO_PREFIX.format(self.prefix))
