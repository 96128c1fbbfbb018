"""PostgreSQL ends what takes too long."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from companion.tables import Tables
from companion.tables.database import postgres

pytestmark = pytest.mark.postgres


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
