"""Connections to PostgreSQL that give up: a database that goes silent must not hold the threads.

The server ends what takes too long itself; TCP notices a network that is gone. Neither helps with
a server that is stopped or a proxy that no longer forwards, so the client has a deadline, too.
"""

from __future__ import annotations

import math
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Engine

CONNECT_SECONDS: Final = 4
"""Limit of opening a connection, for each of the host's addresses."""
STATEMENT_SECONDS: Final = 8.0
"""Limit of one statement; a tap's take milliseconds."""
LOCK_SECONDS: Final = 5.0
"""Limit of waiting for another transaction's lock."""
IDLE_SECONDS: Final = 60.0
"""Limit of a transaction that does nothing, for those of a process that was stopped."""
DEADLINE_SECONDS: Final = STATEMENT_SECONDS + 2.0
"""Limit of waiting for an answer. The server's own limits come first, because they say why."""
TCP_SECONDS: Final = 8
"""Limit of sent data that the network does not acknowledge."""
PING_SECONDS: Final = 2.0
"""Limit of the question whether a pooled connection still answers."""
POOL_SECONDS: Final = 4.0
"""Limit of waiting for a free connection."""
REST_SECONDS: Final = 1.0
"""Pause after a failed connection in which others fail at once, instead of each waiting."""

ANSWERS_OF_SILENCE: Final = "the database has not answered for {:.0f} seconds"

_deadline: ContextVar[float] = ContextVar("deadline", default=DEADLINE_SECONDS)


@contextmanager
def patient(connection: sa.Connection) -> Iterator[None]:
    """No limits for the statements of this transaction, such as migrations."""
    if connection.dialect.name != "postgresql":
        yield
        return
    for name in ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"):
        connection.execute(sa.text(f"SET LOCAL {name} = 0"))
    with within(math.inf):
        yield


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Another deadline for what this thread asks the database here."""
    token = _deadline.set(seconds)
    try:
        yield
    finally:
        _deadline.reset(token)


def arguments(url: sa.URL) -> dict[str, Any]:
    """The driver's arguments, except those that the address gives itself."""
    milliseconds = {
        "statement_timeout": STATEMENT_SECONDS,
        "lock_timeout": LOCK_SECONDS,
        "idle_in_transaction_session_timeout": IDLE_SECONDS,
    }
    limits = " ".join(f"-c {name}={seconds * 1000:.0f}" for name, seconds in milliseconds.items())
    defaults: Mapping[str, Any] = {
        "connect_timeout": CONNECT_SECONDS,
        "tcp_user_timeout": TCP_SECONDS * 1000,
        "keepalives_idle": TCP_SECONDS,
        "keepalives_interval": 2,
        "keepalives_count": 3,
        "options": limits,
    }
    return {name: value for name, value in defaults.items() if name not in url.query}


def give_up_in_time(engine: Engine) -> None:
    """Makes the engine's connections ones with a deadline."""
    import psycopg

    class Impatient(psycopg.Connection[Any]):
        """A connection that is closed when an answer takes longer than the deadline."""

        def wait(self, gen: Generator[Any, Any, Any], *args: Any, **more: Any) -> Any:
            return super().wait(_until(gen, self, _deadline.get()), *args, **more)

    def _until(
        waiting: Generator[Any, Any, Any], connection: Impatient, seconds: float
    ) -> Generator[Any, Any, Any]:
        """`waiting`, which psycopg resumes several times a second, until the time is up."""
        last = time.monotonic() + seconds
        try:
            wanted = next(waiting)
            while True:
                ready = yield wanted
                if not ready and time.monotonic() > last:
                    connection.pgconn.finish()
                    raise psycopg.OperationalError(ANSWERS_OF_SILENCE.format(seconds))
                wanted = waiting.send(ready)
        except StopIteration as end:
            return end.value

    failed_at = -math.inf

    def connect(_dialect: object, _record: object, args: Any, more: Any) -> Any:
        nonlocal failed_at
        if time.monotonic() < failed_at + REST_SECONDS:
            raise psycopg.OperationalError("the database did not answer a moment ago")
        try:
            return Impatient.connect(*args, **more)
        except psycopg.OperationalError:
            failed_at = time.monotonic()
            raise

    def ping(connection: Any, _record: object, _proxy: object) -> None:
        # In place of `pool_pre_ping`, which would wait as long as for any statement.
        try:
            with within(PING_SECONDS):
                engine.dialect.do_ping(connection)
        except psycopg.Error as error:
            raise sa.exc.InvalidatePoolError from error

    sa.event.listen(engine, "do_connect", connect)
    sa.event.listen(engine, "checkout", ping)
