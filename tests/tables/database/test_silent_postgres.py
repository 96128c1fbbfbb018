"""PostgreSQL behind a proxy that stops forwarding: everything gives up, and comes back."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote, unquote

import pytest
import sqlalchemy as sa

from companion.tables import Tables
from companion.tables.database import postgres
from tests.kit.patience import PATIENCE
from tests.tables.friends import device

pytestmark = pytest.mark.postgres

SOCKET = ".s.PGSQL.5432"


class Proxy:
    """Forwards a PostgreSQL socket until it is told to be silent; every connection stays open."""

    def __init__(self, folder: Path, target: str) -> None:
        self._target = target
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(folder / SOCKET))
        self._listening.listen(64)
        self._open: list[socket.socket] = [self._listening]
        self.forwards = threading.Event()
        self.forwards.set()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(self._target)
                self._open += [client, server]
                for pair in ((client, server), (server, client)):
                    threading.Thread(target=self._pump, args=pair, daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                self.forwards.wait()
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        self.forwards.set()
        for end in self._open:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


@pytest.fixture
def short_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "CONNECT_SECONDS", 2)
    monkeypatch.setattr(postgres, "PING_SECONDS", 0.5)


@pytest.fixture
def proxied(
    postgres_database: str, tmp_path_factory: pytest.TempPathFactory, short_limits: None
) -> Iterator[tuple[Tables, Proxy]]:
    direct = sa.make_url(postgres_database)
    folder = unquote(str(direct.query["host"]))
    home = Path(tmp_path_factory.mktemp("pg", numbered=True))
    proxy = Proxy(home, f"{folder}/{SOCKET}")
    url = f"postgresql+psycopg://{direct.username}@/{direct.database}?host={quote(str(home))}"
    tables = Tables(url)
    yield tables, proxy
    proxy.forwards.set()
    tables.close()
    proxy.close()


def test_nobody_waits_long_for_a_silent_database(proxied: tuple[Tables, Proxy]) -> None:
    tables, proxy = proxied
    table = tables.create(host := device(), "qwinto-dice")
    took: list[float] = []

    def look() -> None:
        start = time.monotonic()
        with pytest.raises((sa.exc.OperationalError, sa.exc.TimeoutError)):
            tables.look(table, host)
        took.append(time.monotonic() - start)

    proxy.forwards.clear()
    threads = [threading.Thread(target=look) for _ in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert len(took) == 40, "all of them give up"
    assert max(took) < 15
    proxy.forwards.set()
    time.sleep(postgres.REST_SECONDS + 0.2)
    assert tables.look(table, host).id == table


def test_a_statement_in_flight_has_a_deadline(proxied: tuple[Tables, Proxy]) -> None:
    tables, proxy = proxied
    database = tables.database
    with (
        pytest.raises(sa.exc.OperationalError, match="has not answered"),
        database.read() as connection,
        postgres.within(1.0),
    ):
        proxy.forwards.clear()
        connection.execute(sa.text("SELECT 1"))


def test_the_server_limits_statements_and_locks(postgres_database: str) -> None:
    tables = Tables(postgres_database)
    try:
        with tables.database.read() as connection:
            for name in ("statement_timeout", "lock_timeout"):
                assert connection.execute(sa.text(f"SHOW {name}")).scalar() != "0", name
        with tables.database.read() as connection, postgres.patient(connection):
            assert connection.execute(sa.text("SHOW statement_timeout")).scalar() == "0"
    finally:
        tables.close()


def test_the_address_may_say_otherwise() -> None:
    url = sa.make_url("postgresql+psycopg://u@/x?connect_timeout=30&options=-c%20lock_timeout%3D1")
    given = postgres.arguments(url)
    assert not {"connect_timeout", "options"} & set(given)
    assert given["tcp_user_timeout"] == 8000
