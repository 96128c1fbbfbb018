"""`companion serve`: opens the database, says the app's address, serves until it is stopped."""

from __future__ import annotations

import asyncio
import errno
import gc
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from types import FrameType
from typing import Final

import uvicorn

from companion.core.refusal import Unusable, missing_package
from companion.limits import Limits
from companion.paper.photos.photo_queue import reading_here
from companion.tables import Tables
from companion.tables.opening import database_url, open_tables
from companion.tables.upkeep.schedule import backing_up
from companion.vision.core import missing_module
from companion.web.app import create_app
from companion.web.net.guard import own_names
from companion.web.review.readers import close_readers
from companion.web.run.announcement import address_for_phones, announcement
from companion.web.run.asgi import LiveApp
from companion.web.run.options import Options

_log: Final = logging.getLogger(__name__)

BACKLOG: Final = 128  # Limit of the connections that wait to be accepted
KEEP_ALIVE_SECONDS: Final = 30  # How long a phone's idle connection stays open between two taps
HEAD_BYTES: Final = 16 * 1024  # Limit of a request's headers that are not complete yet
SHUTDOWN_SECONDS: Final = 3  # Time that running requests get to be answered when the server stops
ABORT_SECONDS: Final = 0.5  # until a closed https connection is cut off at the end
THREAD_SECONDS: Final = 0.5
CHECK_SECONDS: Final = 1.0  # Time that a start waits while the database is checked
# Descriptors for files, the database and connections about to be accepted
SPARE_DESCRIPTORS: Final = 512
LEAST_CONNECTIONS: Final = 64
# On Windows `select` takes 512 sockets, the listening one and the event loop's own among them
WINDOWS_CONNECTIONS: Final = 500
# New objects until the garbage collector runs; a tap leaves about 300
YOUNG_OBJECTS: Final = 10_000

OWN_READERS: Final = (
    "With SQLite only this server can read photos: --readers 0 needs a PostgreSQL database, where"
    " companion reader reads them on any machine."
)


def serve(options: Options, say: Callable[[str], object]) -> int:
    """Serves until interrupted; returns the exit status.

    Args:
        say: shows a text to the person at the terminal.

    Raises:
        Unusable: the address cannot be listened on, the database cannot be opened, or SQLite cannot
            be served so.
    """
    url = database_url(options.url)
    is_sqlite = url.startswith("sqlite")
    if is_sqlite and not options.readers:
        raise Unusable(OWN_READERS)
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    limits = _possible(options.limits)
    with _ending_orderly(), closing(_listen(options.host, options.port)) as listening:
        opened = open_tables(
            url,
            serving=True,
            older="migrate" if options.may_migrate or is_sqlite else "refuse",
            limits=limits,
        )
        with closing(opened) as tables, suppress(KeyboardInterrupt):
            if options.readers and (module := missing_module()):
                _log.warning(missing_package("Reading photos", module, "photo"))
            with (
                reading_here(tables, options.readers),
                backing_up(tables.database, options.backups),
            ):
                _look_for_damage(tables)
                tables.keep_tidy(options.keep_days)
                _serve(options, tables, listening, say)
        _end_soon()
    return 0


def _look_for_damage(tables: Tables) -> None:
    """Checks a SQLite file: waits a second for the outcome, then continues in the background."""
    if tables.database.is_sqlite:
        looking = threading.Thread(target=tables.database.look_for_damage, daemon=True)
        looking.start()
        looking.join(CHECK_SECONDS)


def _serve(
    options: Options, tables: Tables, listening: socket.socket, say: Callable[[str], object]
) -> None:
    address = _address(options, listening.getsockname()[1])
    app = create_app(tables)
    app.config["LAN_ADDRESS"] = address
    app.config["READERS"] = options.readers
    app.config["HOST_NAMES"] = own_names(address_for_phones(options.host), options.names)
    live = LiveApp(app, tables, options.prefix)
    config = uvicorn.Config(
        live,
        # The usual loop of Windows leaves a connection that was reset open, with a traceback.
        loop="asyncio:SelectorEventLoop",
        http="h11",
        ws="none",
        backlog=BACKLOG,
        log_config=None,
        log_level="error",  # every client can cause its warnings
        access_log=False,
        server_header=False,
        limit_concurrency=tables.limits.connections,
        h11_max_incomplete_event_size=HEAD_BYTES,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        proxy_headers=bool(options.proxies),
        forwarded_allow_ips=list(options.proxies),
        ssl_certfile=options.certificate,
        ssl_keyfile=options.key,
    )
    text = announcement(address + options.prefix, options.host, proxied=bool(options.proxies))
    _spare_loaded()
    try:
        _Server(config, live, lambda: say(text)).run(sockets=[listening])
    finally:
        # Before the tables, because readers write their outcomes to them.
        close_readers(app)
        live.close()


def _address(options: Options, port: int) -> str:
    """The app's own address, as phones open it; a certificate is for a name."""
    shown = address_for_phones(options.host)
    if options.certificate is None:
        return f"http://{shown}:{port}"
    return f"https://{options.names[0] if options.names else shown}:{port}"


class _Server(uvicorn.Server):
    """Announces itself once it answers, and ends the open streams when it must stop.

    Uvicorn would wait for them otherwise.
    """

    def __init__(
        self, config: uvicorn.Config, live: LiveApp, announce: Callable[[], object]
    ) -> None:
        super().__init__(config)
        self._live = live
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._announce()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        aborting = asyncio.create_task(self._abort_closed())
        try:
            await super().shutdown(sockets)
        finally:
            aborting.cancel()

    async def _abort_closed(self) -> None:
        """Ends the connections over https that are closed and have nothing left to send."""
        # asyncio waits half a minute for the other side's goodbye, which a browser whose connection
        # is idle does not send.
        while True:
            await asyncio.sleep(ABORT_SECONDS)
            for connection in list(self.server_state.connections):
                transport = connection.transport
                if transport.is_closing() and not transport.get_write_buffer_size():
                    transport.abort()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._live.stop()
        super().handle_exit(sig, frame)


@contextmanager
def _ending_orderly() -> Iterator[None]:
    """Makes a service's stop and a closed terminal end the server as Ctrl+C does."""
    # Uvicorn restores the handlers that it found and raises the signal again after its own end, so
    # that the usual handler of SIGTERM would kill the process before the database is closed

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    def stop(_signal: int, _frame: FrameType | None) -> None:
        signal.raise_signal(signal.SIGTERM)

    handlers = {signal.SIGTERM: interrupt}
    # A closed terminal, unless `nohup` ignores it; Ctrl+Break on Windows
    for name in ("SIGHUP", "SIGBREAK"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            handlers[number] = stop
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
    # Where Windows lets an address be used again, two programs share it at the same time.
    if sys.platform == "win32":
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
    else:
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
    if number == errno.EACCES and port < 1024:
        return "Ports below 1024 are for the system; try --port 8000."
    if number in (errno.EADDRINUSE, errno.EACCES):  # Windows also reserves higher ports
        return f"Try another one, such as --port {port + 1 if port < 65535 else 8000}."
    return "Without --host it listens on every address of this computer."


def _possible(wanted: Limits) -> Limits:
    """The limits with as many connections as the system has descriptors for, all that it allows."""
    # A quarter of them is left by streams, for pages
    most = wanted.connections
    if sys.platform == "win32":
        most = min(most, WINDOWS_CONNECTIONS)
    else:
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft >= 0:  # else there is no limit
            most = max(LEAST_CONNECTIONS, min(most, soft - SPARE_DESCRIPTORS))
    return replace(wanted, connections=most, streams=min(wanted.streams, most * 3 // 4))


def _spare_loaded() -> None:
    """Exempts from garbage collection what was loaded before the first request."""
    # Otherwise a full collection looks through 200,000 objects, for which all taps wait 0.15 s, and
    # collections take a tenth of the processor time of a tap
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS, *gc.get_threshold()[1:])


def _end_soon() -> None:
    """Ends the process soon even if a thread is busy with a PDF or a silent database."""
    # Python would wait for it. Its client has had an answer, and the database is closed.

    def end() -> None:
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError, OSError, ValueError):
                stream.flush()
        os._exit(0)

    timer = threading.Timer(THREAD_SECONDS, end)
    timer.daemon = True  # it ends with the process, if that is sooner
    timer.start()
