"""`companion serve`: opens the database, says the app's address, serves until it is stopped."""

from __future__ import annotations

import asyncio
import errno
import logging
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from types import FrameType
from typing import Any, Final, cast

import uvicorn

from companion.core.refusal import Unusable, missing_package
from companion.paper.photos.photo_reader import reading_here
from companion.tables import Tables
from companion.tables.database.engine import Older
from companion.tables.opening import database_url, file_beside, open_tables
from companion.tables.upkeep.schedule import backing_up
from companion.vision.core import missing_module
from companion.vision.worker.pool import AT_ONCE
from companion.web.assets.trust import HomeHttps
from companion.web.net.guard import host_of, own_names
from companion.web.net.metrics import Metrics
from companion.web.page.security import HOME_HTTPS
from companion.web.review.readers import close_readers
from companion.web.run import processes
from companion.web.run.announcement import address_for_phones, announcement
from companion.web.run.asgi import LiveApp
from companion.web.run.certificates import Certificates, GivenCertificate, listening_context
from companion.web.run.operation import USUAL, Https, Operation, front, watching
from companion.web.run.process import (
    BACKLOG,
    Serving,
    allow_many_connections,
    end_soon,
    spare_loaded,
)
from companion.web.run.quiet_log import JSON, SERVE_LOG

_log: Final = logging.getLogger(SERVE_LOG)

HANDSHAKE_SECONDS: Final = 10.0
"""Limit of the beginning of a connection over TLS."""
CLOSE_SECONDS: Final = 2.0
"""Limit of its end, for which a phone that sleeps gives no answer; below `SHUTDOWN_SECONDS`."""

ONE_PROCESS: Final = (
    "SQLite has one writer, so one process serves it: leave --workers out, or give a PostgreSQL"
    " database with --db postgresql+psycopg://user@host/name."
)
OWN_READERS: Final = (
    "With SQLite only this server can read photos: --readers 0 needs a PostgreSQL database, where"
    " companion reader takes them on any machine."
)

NOT_AT_HOME: Final = (
    "--https makes certificates for home networks alone, and {} is not of one. Give a certificate"
    " of that name with --cert and --key, or put a proxy in front."
)
NO_NAME: Final = (
    "--name takes a host name or an address without http:// and path, such as games.example.org,"
    " and not “{}”."
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
        operation: proxies, log, metrics and tidying. With a log of JSON the address stands there.
        workers: processes that serve, on PostgreSQL.
        readers: photos that are read here at a time; with 0, readers elsewhere have to do it.

    Raises:
        Unusable: the address cannot be listened on, the database cannot be opened, or SQLite
            cannot be served so.
    """
    url = database_url(url)
    _check(url, workers, readers, names)
    allow_many_connections()
    https = operation.https
    with (
        _ending_orderly(),
        _listen(host, port) as listening,
        _listen(host, https.port, "--https") if https else nullcontext() as listening_securely,
    ):
        shown = address_for_phones(host)
        address = f"http://{shown}:{listening.getsockname()[1]}"
        if https and https.chain and listening_securely:
            named = names[0] if names else shown
            address = f"https://{named}:{listening_securely.getsockname()[1]}"
        serving = Serving(url, address, own_names(shown, names), workers, readers, operation)
        migrates = operation.may_migrate or url.startswith("sqlite")
        older: Older = "migrate" if migrates else "refuse"
        opened = open_tables(url, serving=True, older=older, limits=serving.limits)
        with closing(opened) as tables, suppress(KeyboardInterrupt):
            secure = None
            if https and listening_securely:
                secure = _secure(https, listening_securely, serving, host, names)
            announce = _announcing(serving, host, say, secure)
            _serve(serving, tables, listening, secure, announce)
        end_soon()
    return 0


def _check(url: str, workers: int, readers: int, names: Sequence[str]) -> None:
    """Raises `Unusable` if SQLite were to be shared between processes, or a name is none."""
    if url.startswith("sqlite") and workers > 1:
        raise Unusable(ONE_PROCESS)
    if url.startswith("sqlite") and not readers:
        raise Unusable(OWN_READERS)
    for name in names:
        if not host_of(name):
            raise Unusable(NO_NAME.format(name))


@dataclass(frozen=True, slots=True)
class Secure:
    """The socket for https, and its certificates."""

    listening: socket.socket
    certificates: Certificates
    home: HomeHttps | None = None
    """The details for phones that have to trust the certificates first."""


def _secure(
    https: Https, listening: socket.socket, serving: Serving, host: str, names: Sequence[str]
) -> Secure:
    """The socket with its certificates; raises `Unusable`.

    Args:
        names: those that the operator gave.
    """
    if https.chain and https.key:
        return Secure(listening, GivenCertificate(https.chain, https.key))
    try:
        from companion.web.run.home_authority import HomeAuthority
    except ModuleNotFoundError as missing:
        raise missing_package("--https", "cryptography", "https") from missing

    def address() -> str:
        return address_for_phones(host).strip("[]")

    file = file_beside(serving.url, "-https.pem")
    authority = HomeAuthority(file, lambda: {address(), *serving.names})
    for name in (address(), *map(host_of, names)):
        if not authority.certifies(name):
            raise Unusable(NOT_AT_HOME.format(name))
    return Secure(listening, authority, HomeHttps(listening.getsockname()[1], authority.root))


def _announcing(
    serving: Serving, host: str, say: Callable[[str], object], secure: Secure | None
) -> Callable[[], object]:
    """The call that says where the app is, once it answers: in the log if that is JSON."""
    operation = serving.operation
    address = serving.address + operation.proxies.prefix
    if operation.log == JSON:
        return partial(_log.info, "serving", extra={"fields": {"address": f"{address}/"}})
    proxied = bool(operation.proxies.networks)
    port = secure.home.port if secure and secure.home else 0
    return partial(say, announcement(address, host, proxied=proxied, home_https=port))


def _serve(
    serving: Serving,
    tables: Tables,
    listening: socket.socket,
    secure: Secure | None,
    announce: Callable[[], object],
) -> None:
    """Serves until it is stopped, in this process or in several."""
    operation = serving.operation
    if serving.readers and (module := missing_module()):
        _log.warning(missing_package("Reading photos", module, "photo"))
    with (
        watching(operation, tables, serving.workers, serving.names) as metrics,
        reading_here(tables, serving.readers, metrics.photo if metrics else None),
        backing_up(tables.database, operation.backups, metrics.backup if metrics else None),
    ):
        if serving.workers > 1:
            processes.run(serving, listening, announce)
        else:
            tables.keep_tidy(operation.keep_days)
            _serve_alone(serving, tables, listening, secure, announce, metrics)


def _serve_alone(
    serving: Serving,
    tables: Tables,
    listening: socket.socket,
    secure: Secure | None,
    announce: Callable[[], object],
    metrics: Metrics | None,
) -> None:
    """Serves in this process."""
    live = serving.app(tables)
    if secure and secure.home:
        live.app.config[HOME_HTTPS] = secure.home
    http = serving.protocol(tables)
    config = uvicorn.Config(front(live, serving.operation, metrics), http=http, **serving.config())
    spare_loaded()
    try:
        _Server(config, live, secure, announce).run(sockets=[listening])
    finally:
        # Before the tables, in which readers note their outcomes.
        close_readers(live.app)
        live.close()


class _Server(uvicorn.Server):
    """Announces itself once it answers, and ends the open streams when it is told to stop.

    Uvicorn would wait for them otherwise.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        live: LiveApp,
        secure: Secure | None,
        announce: Callable[[], object],
    ) -> None:
        super().__init__(config)
        self._live = live
        self._secure = secure
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self._secure:
            self.servers.append(await self._listen_securely(self._secure))
        self._announce()

    async def _listen_securely(self, secure: Secure) -> asyncio.Server:
        """A second listener: uvicorn has one setting of TLS for all of its sockets."""
        protocol = partial(
            cast(Any, self.config.http_protocol_class),
            config=self.config,
            server_state=self.server_state,
            app_state=self.lifespan.state,
        )
        return await asyncio.get_running_loop().create_server(
            protocol,
            sock=secure.listening,
            ssl=listening_context(secure.certificates),
            backlog=BACKLOG,
            ssl_handshake_timeout=HANDSHAKE_SECONDS,
            ssl_shutdown_timeout=CLOSE_SECONDS,
        )

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


def _listen(host: str, port: int, option: str = "--port") -> socket.socket:
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
            f"Port {port} on {host} cannot be used: {reason}. {_advice(error, port, option)}"
        ) from error
    return listening


def _advice(error: Exception, port: int, option: str) -> str:
    """A sentence with advice for when an address cannot be listened on."""
    number = getattr(error, "errno", None)
    if number == errno.EADDRINUSE:
        return f"Try another one, such as {option} {port + 1 if port < 65535 else 8000}."
    if number == errno.EACCES:
        return f"Ports below 1024 are for the system; try {option} 8000."
    return "Without --host it listens on every address of this computer."
