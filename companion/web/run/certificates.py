"""Certificates for https: a user's own files, or those of an authority that is made here once.

A phone that trusts the authority's root trusts it for the addresses and names of home networks
alone: the root says so itself, in its name constraints.
"""

from __future__ import annotations

import logging
import os
import socket
import ssl
import tempfile
from collections.abc import Callable, Collection
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from companion.core.refusal import Unusable, missing_package

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

NETWORKS: Final = (
    "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "169.254.0.0/16",
    "127.0.0.0/8", "fc00::/7", "fe80::/10", "::1/128",
)  # fmt: skip
"""Networks that lead to no computer of the internet (RFC 1918, 6598, 3927, 4193)."""
DOMAINS: Final = ("local", "localhost", "lan", "internal", "home.arpa")
"""Domains that belong to nobody on the internet (RFC 6762, 6761, 8375)."""

ROOT_LIFETIME: Final = timedelta(days=3650)
LEAF_LIFETIME: Final = timedelta(days=397)
"""Limit of Apple's and Google's browsers for a server's certificate, less a day."""
RENEWAL: Final = timedelta(days=30)
"""Time before its end in which a certificate is replaced."""
SLACK: Final = timedelta(days=1)
"""Age of a new certificate, for phones whose clocks are late."""

NOT_AT_HOME: Final = (
    "--https makes certificates for home networks alone, and {} is not of one. Give a certificate"
    " of that name with --cert and --key, or put a proxy in front."
)
NO_AUTHORITY: Final = (
    "The file {} holds no key and root of --https ({}). Put it back from a copy, or move it away:"
    " then a new root is made, which the phones have to trust anew."
)
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
            self._context = _server_context(*self._files)
            self._read_at = times
        return self._context


class HomeAuthority:
    """An authority for this computer's names in a home network, kept in one file."""

    def __init__(
        self,
        file: Path,
        names: Callable[[], Collection[str]],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Reads the file, or makes it.

        Args:
            names: the hosts by which phones ask at the moment, without brackets.

        Raises:
            Unusable: the package is missing, or the file cannot be used.
        """
        try:
            import cryptography  # noqa: F401
        except ModuleNotFoundError as missing:
            raise missing_package("--https", "cryptography", "https") from missing
        self._names: Final = names
        self._now: Final = now
        self._key, self._root = self._read(file)
        self._named: list[str] = []
        self._renew_at = self._begins = self._now()
        self._context = self.context()

    @property
    def root(self) -> bytes:
        """The root's certificate for phones, as DER."""
        from cryptography.hazmat.primitives.serialization import Encoding

        return self._root.public_bytes(Encoding.DER)

    def certifies(self, name: str) -> bool:
        """Whether the root may certify a host, by its name constraints."""
        from cryptography import x509

        constraints = self._root.extensions.get_extension_for_class(x509.NameConstraints).value
        permitted = [subtree.value for subtree in constraints.permitted_subtrees or ()]
        if isinstance(host := _host(name), str):
            return any(
                host == value or host.endswith(f".{value}")
                for value in permitted
                if isinstance(value, str)
            )
        return any(not isinstance(value, str) and host in value for value in permitted)

    def context(self) -> ssl.SSLContext:
        """The settings with a certificate that is valid for the names of now."""
        named = sorted(filter(self.certifies, self._names()))
        now = self._now()
        if named != self._named or not self._begins <= now < self._renew_at:
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "certificate.pem"
                _write_private(file, self.issue(named))
                self._context = _server_context(file)
            self._named = named
            self._begins = now - SLACK
            self._renew_at = now + LEAF_LIFETIME - SLACK - RENEWAL
        return self._context

    def _read(self, file: Path) -> tuple[EllipticCurvePrivateKey, x509.Certificate]:
        from cryptography import x509
        from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        try:
            if not file.exists():
                _write_private(file, _new_root(self._now()))
            content = file.read_bytes()
            key = load_pem_private_key(content, None)
            root = x509.load_pem_x509_certificate(content)
            if not isinstance(key, EllipticCurvePrivateKey):
                raise ValueError("its key is of another kind")
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "it is damaged"
            raise Unusable(NO_AUTHORITY.format(file, reason)) from error
        return key, root

    def issue(self, names: Collection[str]) -> bytes:
        """A new key and a certificate of a server with these names, as PEM."""
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.x509.oid import ExtendedKeyUsageOID

        key = ec.generate_private_key(ec.SECP256R1())
        hosts: list[x509.GeneralName] = [
            x509.DNSName(host) if isinstance(host := _host(name), str) else x509.IPAddress(host)
            for name in names
        ]
        issuer = self._key.public_key()
        certificate = (
            _certificate("Companion", self._now() - SLACK, LEAF_LIFETIME)
            .issuer_name(self._root.subject)
            .public_key(key.public_key())
            .add_extension(x509.SubjectAlternativeName(hosts), critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage("digital_signature"), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer), False)
            .sign(self._key, hashes.SHA256())
        )
        return _pem(key, certificate)


def _new_root(now: datetime) -> bytes:
    """A new key and its root certificate."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    computer = socket.gethostname().partition(".")[0].lower()
    name = f"Companion at home ({computer})"
    permitted: list[x509.GeneralName] = [
        *(x509.IPAddress(ip_network(network)) for network in NETWORKS),
        *(x509.DNSName(domain) for domain in (*DOMAINS, computer)),
    ]
    root = (
        _certificate(name, now - SLACK, ROOT_LIFETIME)
        .issuer_name(_subject(name))
        .public_key(key.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage("key_cert_sign", "crl_sign"), critical=True)
        .add_extension(x509.NameConstraints(permitted, None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)
        .sign(key, hashes.SHA256())
    )
    return _pem(key, root)


def _certificate(name: str, begin: datetime, lifetime: timedelta) -> x509.CertificateBuilder:
    from cryptography import x509

    return (
        x509.CertificateBuilder()
        .subject_name(_subject(name))
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(begin + lifetime)
    )


def _subject(name: str) -> x509.Name:
    from cryptography import x509

    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name[:64])])


def _usage(*uses: str) -> x509.KeyUsage:
    from cryptography import x509

    all_uses = (
        "digital_signature", "content_commitment", "key_encipherment", "data_encipherment",
        "key_agreement", "key_cert_sign", "crl_sign", "encipher_only", "decipher_only",
    )  # fmt: skip
    return x509.KeyUsage(**{use: use in uses for use in all_uses})


def _pem(key: EllipticCurvePrivateKey, certificate: x509.Certificate) -> bytes:
    from cryptography.hazmat.primitives.serialization import (
        Encoding,
        NoEncryption,
        PrivateFormat,
    )

    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return private + certificate.public_bytes(Encoding.PEM)


def _write_private(file: Path, content: bytes) -> None:
    """Writes a file that nobody else may read, whole or not at all."""
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    with os.fdopen(handle, "wb") as raw:
        raw.write(content)
    Path(name).replace(file)


def _server_context(chain: Path, key: Path | None = None) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    context.load_cert_chain(chain, key)
    return context


def _host(name: str) -> str | IPv4Address | IPv6Address:
    try:
        return ip_address(name)
    except ValueError:
        return name
