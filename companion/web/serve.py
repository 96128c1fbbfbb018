"""`companion serve`: opens the database, prints the app's address, serves until it is stopped."""

from __future__ import annotations

import errno
import io
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from types import FrameType
from typing import Final

import segno
import uvicorn

from companion.core.refusal import Unusable
from companion.tables.opening import default_url, open_tables
from companion.web.app import create_app
from companion.web.asgi import LiveApp
from companion.web.connections import capacity, protocol
from companion.web.guard import own_names
from companion.web.quiet_log import quiet_log
from companion.web.readers import close_readers

LOCAL: Final = "127.0.0.1"
PROBE: Final = ("192.0.2.1", 9)
"""A documentation address. Nothing is sent there; the system only picks a route to it."""
KEEP_ALIVE: Final = 30
"""Seconds for which a phone's idle connection stays open between two taps."""
SHUTDOWN_SECONDS: Final = 3
"""Seconds that running requests get to be answered when the server stops."""
BACKLOG: Final = 128
"""Limit of the connections that wait to be accepted."""


def serve(
    host: str,
    port: int,
    url: str | None,
    say: Callable[[str], object],
    names: Sequence[str] = (),
) -> int:
    """Serves until interrupted; returns the exit status.

    Args:
        url: the database's address; None for `default_url`.
        say: shows a text to the person at the terminal.
        names: further hosts by which browsers may ask for the app, such as a proxy's.

    Raises:
        Unusable: the address cannot be listened on, or the database cannot be opened.
    """
    _allow_many_connections()
    with _ending_orderly(), quiet_log(), _listen(host, port) as listening:
        tables = open_tables(url or default_url(), serving=True)
        try:
            app = create_app(tables)
            address = f"http://{address_for_phones(host)}:{listening.getsockname()[1]}"
            app.config["LAN_ADDRESS"] = address
            most = capacity()
            allowed = own_names(address_for_phones(host), names)
            live = LiveApp(app, tables, allowed, most_streams=most * 3 // 4)
            config = uvicorn.Config(
                live,
                http=protocol(most),
                backlog=BACKLOG,
                log_config=None,
                log_level="warning",
                access_log=False,
                timeout_keep_alive=KEEP_ALIVE,
                timeout_graceful_shutdown=SHUTDOWN_SECONDS,
                server_header=False,
            )
            try:
                _Server(config, live, partial(_announce, address, say)).run(sockets=[listening])
            finally:
                # Before the tables, in which readers note their outcomes.
                close_readers(app)
        except KeyboardInterrupt:
            pass
        finally:
            tables.close()
    return 0


class _Server(uvicorn.Server):
    """Announces itself once it answers, and ends the open streams when it is told to stop.

    Uvicorn would wait for them otherwise.
    """

    def __init__(self, config: uvicorn.Config, live: LiveApp, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._live = live
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._announce()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._live.stop()
        super().handle_exit(sig, frame)


@contextmanager
def _ending_orderly() -> Iterator[None]:
    """Makes a service's stop and a closed terminal end the server as Ctrl+C does.

    Uvicorn restores the handlers that it found and raises the signal again after its own end, so
    that the usual handler of SIGTERM would kill the process before the database is closed.
    """

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    def stop(_signal: int, _frame: FrameType | None) -> None:
        signal.raise_signal(signal.SIGTERM)

    handlers = {signal.SIGTERM: interrupt}
    hang_up = getattr(signal, "SIGHUP", None)  # none on Windows
    if hang_up is not None and signal.getsignal(hang_up) is signal.SIG_DFL:  # `nohup` ignores it
        handlers[hang_up] = stop
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _allow_many_connections() -> None:
    """Raises the soft limit of open files to the hard one, where the system has limits."""
    try:
        import resource
    except ImportError:  # Windows
        return
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _listen(host: str, port: int) -> socket.socket:
    """A socket that listens; raises `Unusable` with advice when it cannot."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named because asyncio switches Nagle's delay off for such sockets only; with
    # it every answer would wait 40 ms for the phone's acknowledgement.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(BACKLOG)
    except (OSError, OverflowError, UnicodeError, TypeError) as error:
        listening.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise Unusable(
            f"Port {port} on {host} cannot be used: {reason}. {_advice(error, port)}"
        ) from error
    return listening


def _advice(error: Exception, port: int) -> str:
    """A sentence with advice for when an address cannot be listened on."""
    number = getattr(error, "errno", None)
    if number == errno.EADDRINUSE:
        return f"Try another one, such as --port {port + 1 if port < 65535 else 8000}."
    if number == errno.EACCES:
        return "Ports below 1024 are for the system; try --port 8000."
    return "Without --host it listens on every address of this computer."


def _announce(address: str, say: Callable[[str], object]) -> None:
    """Prints the address for phones and its QR code."""
    code = io.StringIO()
    segno.make(f"{address}/", micro=False).terminal(out=code, compact=True, border=2)
    say(
        f"{code.getvalue()}\n  The companion is running. Scan the code, or open:\n\n"
        f"      {address}/\n\n"
        "  Phones must be in the same network. Stop with Ctrl+C.\n"
    )


def address_for_phones(host: str) -> str:
    """The host name or IP address under which phones reach this computer, as a URL has it."""
    if host not in ("0.0.0.0", "::", ""):  # noqa: S104 - compared, not bound
        return f"[{host}]" if ":" in host else host
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(PROBE)
        except OSError:
            return LOCAL
        return str(probe.getsockname()[0])
