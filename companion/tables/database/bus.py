"""Publishes changes of tables within one process and between processes.

It carries nothing but a table's id and version; subscribers load the table themselves.
"""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import sqlalchemy as sa
from sqlalchemy.engine import Engine

from companion.tables.database.ownership import SERVING_LOCK
from companion.tables.database.schema import tables

# A subscriber's function, called with a table's version
Callback: TypeAlias = Callable[[int], object]

# The PostgreSQL channel; a payload is the sending process, the table and its version
CHANNEL: Final = "companion_tables"

RECONNECT_SECONDS: Final = 1.0
QUIET_SECONDS: Final = 20.0  # of silence until the listener asks the database
HEARD: Final = "heard:"  # marks a payload about a device instead of a table; see `presence`

_log: Final = logging.getLogger(__name__)


class Bus:
    """Subscriptions of this process. Callbacks come from any thread, after the commit."""

    def __init__(self) -> None:
        self._lock: Final = threading.Lock()
        self._callbacks: Final[dict[str, dict[object, Callback]]] = {}

    def subscribe(self, table_id: str, callback: Callback) -> Callable[[], None]:
        """Calls `callback(version)` at every change until the returned function is called.

        Versions may come twice or out of order; the greatest counts.
        """
        key = object()
        with self._lock:
            self._callbacks.setdefault(table_id, {})[key] = callback

        def unsubscribe() -> None:
            with self._lock:
                callbacks = self._callbacks.get(table_id, {})
                callbacks.pop(key, None)
                if not callbacks:
                    self._callbacks.pop(table_id, None)

        return unsubscribe

    def publish(self, table_id: str, version: int) -> None:
        """Calls the table's subscribers in this process and logs their exceptions."""
        with self._lock:
            callbacks = list(self._callbacks.get(table_id, {}).values())
        for callback in callbacks:
            try:
                callback(version)
            except Exception:
                # The change is committed: a broken subscriber must not fail the tap that made it.
                _log.exception("a subscriber of table changes failed")

    def subscribed(self) -> tuple[str, ...]:
        with self._lock:
            return tuple(self._callbacks)


class PostgresRelay:
    """Passes changes on between processes that share a PostgreSQL database."""

    def __init__(self, engine: Engine, bus: Bus, *, serving: bool = False) -> None:
        self._engine: Final = engine
        self._announcing: Final = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._is_serving: Final = serving
        self._bus: Final = bus
        self._process: Final = secrets.token_hex(8)
        self._stopping: Final = threading.Event()
        # An event that is set while the database's notifications arrive
        self.listening: Final = threading.Event()
        # Called with the hash of a device that another process has heard
        self.on_online: Callable[[str], None] = lambda device: None
        self._thread: Final = threading.Thread(
            target=self._run, name="companion-listen", daemon=True
        )
        self._thread.start()

    def announce(self, table_id: str, version: int) -> None:
        """Lets the database notify the other processes of a committed change."""
        # It has a transaction of its own, which waits for no disk: PostgreSQL lets one transaction
        # that notifies commit at a time, so taps would wait for each other's writing. Where this
        # process ends in between, phones elsewhere ask within half a minute, or at the next tap.
        payload = f"{self._process} {table_id} {version}"
        try:
            with self._announcing.connect() as connection:
                connection.execute(_ANNOUNCE, {"channel": CHANNEL, "payload": payload})
        except sa.exc.SQLAlchemyError:
            _log.warning("other processes could not be notified of a change", exc_info=True)

    def announce_online(self, device: str) -> None:
        """Notifies the other processes that a device was heard."""
        self.announce(f"{HEARD}{device}", 0)

    def close(self) -> None:
        """Ends the listening thread; waits for it for a few seconds."""
        self._stopping.set()
        try:
            with self._engine.begin() as connection:  # wakes the listener
                connection.execute(_NOTIFY, {"channel": CHANNEL, "payload": ""})
        except sa.exc.SQLAlchemyError:
            _log.debug("the listener cannot be woken; it ends with the process")
        self._thread.join(timeout=5)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._listen()
            except Exception:
                if not self._stopping.is_set():
                    _log.warning("lost the database's notifications; trying again", exc_info=True)
            finally:
                self.listening.clear()
            self._stopping.wait(RECONNECT_SECONDS)

    def _listen(self) -> None:
        raw = self._engine.raw_connection()
        connection: Any = raw.driver_connection
        raw.detach()  # it stays open for long and must not count as one of the pool's
        try:
            connection.rollback()
            connection.autocommit = True
            if self._is_serving:
                connection.execute("SELECT pg_advisory_lock_shared(%s)", (SERVING_LOCK,))
            connection.execute(f"LISTEN {CHANNEL}")
            self.listening.set()
            self._catch_up()
            while not self._stopping.is_set():
                for notification in connection.notifies(timeout=QUIET_SECONDS):
                    if self._stopping.is_set():
                        return
                    self._pass_on(notification.payload)
                connection.execute("SELECT 1")  # fails when nobody is there
        finally:
            connection.close()

    def _pass_on(self, payload: str) -> None:
        process, _, rest = payload.partition(" ")
        table_id, _, version = rest.partition(" ")
        if process == self._process or not version.isdecimal():
            return
        if table_id.startswith(HEARD):
            self.on_online(table_id.removeprefix(HEARD))
        else:
            self._bus.publish(table_id, int(version))

    def _catch_up(self) -> None:
        """Publishes the present versions, because notifications before LISTEN were missed."""
        wanted = self._bus.subscribed()
        if not wanted:
            return
        query = sa.select(tables.c.id, tables.c.version).where(tables.c.id.in_(wanted))
        with self._engine.connect() as connection:
            for table_id, version in connection.execute(query).all():
                self._bus.publish(table_id, version)


_NOTIFY: Final = sa.text("SELECT pg_notify(:channel, :payload)")
_ANNOUNCE: Final = sa.text(
    "SELECT set_config('synchronous_commit', 'off', true), pg_notify(:channel, :payload)"
)
