"""Connections to PostgreSQL that give up: a database that goes silent must not hold the threads.

The server ends what takes too long itself, and TCP notices a network that is gone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import sqlalchemy as sa

CONNECT_SECONDS: Final = 4  # for each of the host's addresses
TCP_SECONDS: Final = 8  # of sent data that the network does not acknowledge
POOL_SECONDS: Final = 4.0
# The server's name of a limit → seconds
LIMITS: Final[Mapping[str, float]] = {
    "statement_timeout": 8.0,  # those of a tap take milliseconds
    "lock_timeout": 5.0,
    "idle_in_transaction_session_timeout": 60.0,  # of a process that was stopped
}


@contextmanager
def patient(connection: sa.Connection) -> Iterator[None]:
    """No limits for the statements of this transaction, such as migrations."""
    if connection.dialect.name != "postgresql":
        yield
        return
    for name in LIMITS:
        connection.execute(sa.text(f"SET LOCAL {name} = 0"))
    yield


def arguments(url: sa.URL) -> dict[str, Any]:
    """The driver's arguments, except those that the address gives itself."""
    limits = " ".join(f"-c {name}={seconds * 1000:.0f}" for name, seconds in LIMITS.items())
    defaults: Mapping[str, Any] = {
        "connect_timeout": CONNECT_SECONDS,
        "tcp_user_timeout": TCP_SECONDS * 1000,
        "keepalives_idle": TCP_SECONDS,
        "keepalives_interval": 2,
        "keepalives_count": 3,
        "options": limits,
    }
    return {name: value for name, value in defaults.items() if name not in url.query}
