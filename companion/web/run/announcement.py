"""A server's first lines: the address that phones open, or why none can."""

from __future__ import annotations

import io
import socket
from contextlib import suppress
from ipaddress import ip_address
from typing import Final

import segno

from companion.web.net.guard import LOCAL

THIS_COMPUTER: Final = "127.0.0.1"
EVERY_HOST: Final = ("0.0.0.0", "::", "")  # noqa: S104 - compared, not bound
# Documentation addresses. Nothing is sent there; the system only picks a route to them.
PROBES: Final = {socket.AF_INET: ("192.0.2.1", 9), socket.AF_INET6: ("2001:db8::1", 9)}

FOR_PHONES: Final = (
    "  The companion is running. Scan the code, or open:\n\n      {}/\n\n"
    "  Phones must be on the same network."
)
BEHIND_PROXY: Final = (
    "  The companion is running for a proxy, at\n\n      {}/\n\n  Phones open the proxy's address."
)
FOR_THIS_COMPUTER: Final = (
    "  The companion is running, for this computer only:\n\n      {}/\n\n  {}"
)
ONE_HOST: Final = (
    "No phone can open it, because it listens on {}. Without --host it listens for phones, too."
)
NO_NETWORK: Final = (
    "No phone can open it, because this computer is not on a network. Connect it and start again."
)
STOP: Final = " Stop with Ctrl+C.\n"


def announcement(address: str, host: str, *, proxied: bool) -> str:
    """The text for the terminal, with a QR code where phones can open the address.

    Args:
        address: the app's own address, with its path.
        host: the address that it listens to.
        proxied: whether phones come by a proxy.
    """
    if proxied:
        return BEHIND_PROXY.format(address) + STOP
    if is_for_this_computer(host):
        return FOR_THIS_COMPUTER.format(address, ONE_HOST.format(host)) + STOP
    if address_for_phones(host) == THIS_COMPUTER:
        return FOR_THIS_COMPUTER.format(address, NO_NETWORK) + STOP
    code = io.StringIO()
    segno.make(f"{address}/", micro=False).terminal(out=code, compact=True, border=2)
    return f"{code.getvalue()}\n{FOR_PHONES.format(address)}{STOP}"


def is_for_this_computer(host: str) -> bool:
    """Whether only this computer's own browsers reach the host."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host in LOCAL


def address_for_phones(host: str) -> str:
    """The host name or IP address under which phones reach this computer, as a URL has it."""
    if host not in EVERY_HOST:
        return f"[{host}]" if ":" in host else host
    for family, probe_address in PROBES.items():
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect(probe_address)
            found = str(probe.getsockname()[0])
            return f"[{found}]" if ":" in found else found
    return THIS_COMPUTER
