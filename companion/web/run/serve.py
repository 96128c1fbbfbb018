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
from typing import Any, Final, cast

import segno
import uvicorn

from companion.core.refusal import Unusable, missing_package
from companion.paper.photos.photo_reader import reading_here
from companion.tables import Tables
from companion.tables.opening import database_url, open_tables
from companion.vision.core import missing_module
from companion.vision.worker.pool import AT_ONCE
from companion.web.net.guard import host_of, own_names
from companion.web.review.readers import close_readers
from companion.web.run import processes
from companion.web.run.asgi import LiveApp
from companion.web.run.operation import USUAL, Operation, Watch, watching
from companion.web.run.process import (
    BACKLOG,
    Serving,
    allow_many_connections,
    end_soon,
    spare_loaded,
)
from companion.web.run.quiet_log import quiet_log

LOCAL: Final = "127.0.0.1"
PROBES: Final = {socket.AF_INET: ("192.0.2.1", 9), socket.AF_INET6: ("2001:db8::1", 9)}
"""Documentation addresses. Nothing is sent there; the system only picks a route to them."""

ONE_PROCESS: Final = (
    "SQLite has one writer, so one process serves it: leave --workers out, or give a PostgreSQL"
    " database with --db postgresql+psycopg://user@host/name."
)
OWN_READERS: Final = (
    "With SQLite only this server can read photos: --readers 0 needs a PostgreSQL database, where"
    " companion reader takes them on any machine."
)

NO_NAME: Final = (
    "--name takes a host name or an address without http:// and path, such as games.example.org,"
    " and not “{}”."
)

BEHIND_PROXY: Final = (
    "  The companion is running for a proxy, at\n\n      {}/\n\n"
    "  Phones open the proxy's address. Stop with Ctrl+C.\n"
)


def serve(
    host: str,
    port: int,
    url: str | None,
    say: Callable[[str], object],
    names: Sequence[str] = (),
    operation: Operation = USUAL,
    workers: int = 1,
    readers: int = AT_ONCE,
) -> int:
    """Serves until interrupted; returns the exit status.

    Args:
        url: the database's address; None for the default.
        say: shows a text to the person at the terminal.
        names: further hosts by which browsers may ask for the app, such as a proxy's.
        operation: proxies, log, metrics and tidying.
        workers: processes that serve, on PostgreSQL.
        readers: photos that are read here at a time; with 0, readers elsewhere have to do it.

    Raises:
        Unusable: the address cannot be listened on, the database cannot be opened, or SQLite
            cannot be served so.
    """
    url = database_url(url)
    _check_sharing(url, workers, readers)
    for name in names:
        if not host_of(name):
            raise Unusable(NO_NAME.format(name))
    allow_many_connections()
    with _ending_orderly(), quiet_log(operation.log), _listen(host, port) as listening:
        shown = address_for_phones(host)
        address = f"http://{shown}:{listening.getsockname()[1]}"
        serving = Serving(url, address, own_names(shown, names), workers, readers, operation)
        tables = open_tables(url, serving=True, limits=serving.limits)
        try:
            announce = partial(_announce, address + operation.proxies.prefix, say)
            if operation.proxies.networks:
                announce = partial(_announce_to_proxy, address + operation.proxies.prefix, say)
            if readers and (module := missing_module()):
                say(f"  {missing_package('Reading photos', module, 'photo')}\n")
            with (
                watching(operation, tables, workers, serving.names) as watch,
                reading_here(tables, readers, watch.photo),
            ):
                if workers > 1:
                    processes.run(serving, listening, announce)
                else:
                    tables.keep_tidy(operation.keep_days)
                    _serve_alone(serving, tables, listening, announce, watch)
        except KeyboardInterrupt:
            pass
        finally:
            tables.close()
        end_soon()
    return 0


def _check_sharing(url: str, workers: int, readers: int) -> None:
    """Raises `Unusable` if SQLite were to be shared between processes."""
    if url.startswith("sqlite") and workers > 1:
        raise Unusable(ONE_PROCESS)
    if url.startswith("sqlite") and not readers:
        raise Unusable(OWN_READERS)


def _serve_alone(
    serving: Serving,
    tables: Tables,
    listening: socket.socket,
    announce: Callable[[], None],
    watch: Watch,
) -> None:
    """Serves in this process."""
    live = serving.app(tables)
    connections = serving.connections(tables)
    config = uvicorn.Config(
        connections.app(watch.front(live)),
        http=cast(Any, connections.protocol),  # called as the class would be
        **serving.config(),
    )
    spare_loaded()
    try:
        _Server(config, live, announce).run(sockets=[listening])
    finally:
        # Before the tables, in which readers note their outcomes.
        close_readers(live.app)
        live.close()


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


def _listen(host: str, port: int) -> socket.socket:
    """A socket that listens; raises `Unusable` with advice when it cannot."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named because asyncio switches Nagle's delay off for such sockets only; with
    # it every answer would wait 40 ms for the phone's acknowledgement.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if family == socket.AF_INET6:
        # Phones with an IPv4 address come to "::", too, whatever the system's own setting is.
        with suppress(OSError):
            listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, host != "::")
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


def _announce_to_proxy(address: str, say: Callable[[str], object]) -> None:
    say(BEHIND_PROXY.format(address))


def address_for_phones(host: str) -> str:
    """The host name or IP address under which phones reach this computer, as a URL has it."""
    if host not in ("0.0.0.0", "::", ""):  # noqa: S104 - compared, not bound
        return f"[{host}]" if ":" in host else host
    for family, probe_address in PROBES.items():
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect(probe_address)
            found = str(probe.getsockname()[0])
            return f"[{found}]" if ":" in found else found
    return LOCAL
