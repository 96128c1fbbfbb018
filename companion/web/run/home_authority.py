"""An authority for this computer's https in a home network, made once and kept in one file.

A phone that trusts its root trusts it for the addresses and names of home networks alone: the root
says so itself, in its name constraints.
"""

from __future__ import annotations

import socket
import ssl
import tempfile
from collections.abc import Callable, Collection
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from companion.core.refusal import Unusable
from companion.web.run.certificates import server_context

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

NO_AUTHORITY: Final = (
    "The file {} holds no key and root of --https ({}). Put it back from a copy, or move it away:"
    " then a new root is made, which the phones have to trust anew."
)
KEY_USES: Final = (
    "digital_signature", "content_commitment", "key_encipherment", "data_encipherment",
    "key_agreement", "key_cert_sign", "crl_sign", "encipher_only", "decipher_only",
)  # fmt: skip
"""The arguments of `x509.KeyUsage`."""


class HomeAuthority:
    """An authority for this computer's names in a home network."""

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
            Unusable: the file cannot be used.
        """
        self._names: Final = names
        self._now: Final = now
        self._key, self._root = self._read(file)
        self._named: list[str] = []
        self._renew_at = self._begins = self._now()
        self._context = self.context()

    @property
    def root(self) -> bytes:
        """The root's certificate for phones, as DER."""
        return self._root.public_bytes(Encoding.DER)

    def certifies(self, name: str) -> bool:
        """Whether the root may certify a host, by its name constraints."""
        constraints = self._root.extensions.get_extension_for_class(x509.NameConstraints).value
        permitted = [subtree.value for subtree in constraints.permitted_subtrees or ()]
        if isinstance(host := _host(name), str):
            domains = [value for value in permitted if isinstance(value, str)]
            return any(host == domain or host.endswith(f".{domain}") for domain in domains)
        return any(not isinstance(value, str) and host in value for value in permitted)

    def context(self) -> ssl.SSLContext:
        """The settings with a certificate that is valid for the names of now."""
        named = sorted(filter(self.certifies, self._names()))
        now = self._now()
        if named != self._named or not self._begins <= now < self._renew_at:
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "certificate.pem"
                _write_private(file, self.issue(named))
                self._context = server_context(file)
            self._named = named
            self._begins = now - SLACK
            self._renew_at = now + LEAF_LIFETIME - SLACK - RENEWAL
        return self._context

    def _read(self, file: Path) -> tuple[ec.EllipticCurvePrivateKey, x509.Certificate]:
        try:
            if not file.exists():
                _write_private(file, _new_root(self._now()))
            content = file.read_bytes()
            key = load_pem_private_key(content, None)
            root = x509.load_pem_x509_certificate(content)
            if not isinstance(key, ec.EllipticCurvePrivateKey):
                raise ValueError("its key is of another kind")
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "it is damaged"
            raise Unusable(NO_AUTHORITY.format(file, reason)) from error
        return key, root

    def issue(self, names: Collection[str]) -> bytes:
        """A new key and a certificate of a server with these names, as PEM."""
        key = ec.generate_private_key(ec.SECP256R1())
        hosts: list[x509.GeneralName] = [
            x509.DNSName(host) if isinstance(host := _host(name), str) else x509.IPAddress(host)
            for name in names
        ]
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        builder = (
            _certificate("Companion", key, self._now(), LEAF_LIFETIME, "digital_signature")
            .issuer_name(self._root.subject)
            .add_extension(x509.SubjectAlternativeName(hosts), critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(issuer, critical=False)
        )
        return _pem(key, builder.sign(self._key, hashes.SHA256()))


def _new_root(now: datetime) -> bytes:
    """A new key and its root certificate."""
    key = ec.generate_private_key(ec.SECP256R1())
    computer = socket.gethostname().partition(".")[0].lower()
    name = f"Companion at home ({computer})"
    permitted: list[x509.GeneralName] = [
        *(x509.IPAddress(ip_network(network)) for network in NETWORKS),
        *(x509.DNSName(domain) for domain in (*DOMAINS, computer)),
    ]
    builder = (
        _certificate(name, key, now, ROOT_LIFETIME, "key_cert_sign", "crl_sign")
        .issuer_name(_subject(name))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.NameConstraints(permitted, None), critical=True)
    )
    return _pem(key, builder.sign(key, hashes.SHA256()))


def _certificate(
    name: str, key: ec.EllipticCurvePrivateKey, now: datetime, lifetime: timedelta, *uses: str
) -> x509.CertificateBuilder:
    """The parts that the root and the certificates of servers have alike."""
    usage = x509.KeyUsage(**{use: use in uses for use in KEY_USES})
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    return (
        x509.CertificateBuilder()
        .subject_name(_subject(name))
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - SLACK)
        .not_valid_after(now - SLACK + lifetime)
        .public_key(key.public_key())
        .add_extension(usage, critical=True)
        .add_extension(identifier, critical=False)
    )


def _subject(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name[:64])])


def _pem(key: ec.EllipticCurvePrivateKey, certificate: x509.Certificate) -> bytes:
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return private + certificate.public_bytes(Encoding.PEM)


def _write_private(file: Path, content: bytes) -> None:
    """Writes a file that nobody else may read, whole or not at all."""
    start = f".{file.name}."
    with tempfile.NamedTemporaryFile(dir=file.parent, prefix=start, delete=False) as part:
        part.write(content)
    Path(part.name).replace(file)


def _host(name: str) -> str | IPv4Address | IPv6Address:
    try:
        return ip_address(name)
    except ValueError:
        return name
