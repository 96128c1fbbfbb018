"""Certificates for https: a user's own files, or those of `home_authority`, for each connection."""

from __future__ import annotations

import logging
import ssl
from pathlib import Path
from typing import Final, Protocol

from companion.core.refusal import Unusable

NO_CERTIFICATE: Final = "The certificate {} and the key {} cannot be used: {}."

_log: Final = logging.getLogger(__name__)


class Certificates(Protocol):
    """A source of the server's current certificate."""

    def context(self) -> ssl.SSLContext:
        """The settings for a new connection."""


def listening_context(certificates: Certificates) -> ssl.SSLContext:
    """The settings with which a socket listens; each connection gets the present certificate."""
    listening = certificates.context()

    def choose(
        connection: ssl.SSLSocket | ssl.SSLObject, _name: str | None, _context: ssl.SSLContext
    ) -> None:
        try:
            connection.context = certificates.context()
        except (OSError, ValueError) as error:  # the one before may still do
            _log.warning("the certificate could not be renewed: %s", error)

    listening.sni_callback = choose
    return listening


class GivenCertificate:
    """A certificate in files of the user, who may replace them while the server runs."""

    def __init__(self, chain: Path, key: Path) -> None:
        """Loads the files; raises `Unusable` where they cannot be used."""
        self._files: Final = (chain, key)
        self._read_at: tuple[float, ...] = ()
        try:
            self._context = self.context()
        except (OSError, ValueError) as error:
            raise Unusable(NO_CERTIFICATE.format(chain, key, error)) from error

    def context(self) -> ssl.SSLContext:
        """The settings with the files as they are now."""
        times = tuple(file.stat().st_mtime for file in self._files)
        if times != self._read_at:
            self._context = server_context(*self._files)
            self._read_at = times
        return self._context


def server_context(chain: Path, key: Path | None = None) -> ssl.SSLContext:
    """The settings of a server with this certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    context.load_cert_chain(chain, key)
    return context
