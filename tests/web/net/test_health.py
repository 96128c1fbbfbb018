"""What a load balancer or systemd asks of a process."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
import sqlalchemy as sa
from flask import Flask

from companion.tables import Tables
from companion.web.page.security import HOST_NAMES
from tests.kit.phones import Phone


def ready(app: Flask) -> tuple[int, str]:
    """Whether the server is ready, and what it says of its database."""
    answer = app.test_client().get("/health/ready")
    document = json.loads(answer.text)
    assert document["ready"] == (answer.status_code == 200)
    return answer.status_code, document["database"]


@pytest.mark.parametrize("host", ["games.example.org", "10.1.2.3:8000", "pool-7.internal"])
def test_a_load_balancer_asks_by_any_name(
    app: Flask, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    """It gets no cookie, and pages are still refused under such a name."""
    monkeypatch.setitem(app.config, HOST_NAMES, {"games.example.org"})
    for path in ("/health/live", "/health/ready"):
        answer = app.test_client().get(path, headers={"Host": host})
        assert answer.status_code == 200
        assert "Set-Cookie" not in answer.headers
        assert answer.headers["Cache-Control"] == "no-store"
    page = app.test_client().get("/", headers={"Host": host})
    assert (page.status_code == 421) == (host == "pool-7.internal")


def test_not_ready_with_another_schema(own_app: Flask) -> None:
    tables: Tables = own_app.extensions["tables"]
    assert ready(own_app) == (200, "ok")
    with tables.database.engine.begin() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '0001'"))
    assert ready(own_app) == (503, "was migrated by another version")
    with tables.database.engine.begin() as connection:
        connection.execute(sa.text("DROP TABLE alembic_version"))
        connection.execute(sa.text("CREATE TABLE alembic_version (x)"))
    assert ready(own_app) == (503, "does not answer")
    assert own_app.test_client().get("/health/live").status_code == 200


def test_not_ready_without_its_file(own_app: Flask, tmp_path: Path) -> None:
    phone = Phone(own_app)
    away = (tmp_path / "own.sqlite3").rename(tmp_path / "away")
    assert phone.client.post("/tables", data={"game": "qwinto-dice"}).status_code == 503
    assert ready(own_app) == (503, "its file or write-ahead log was deleted or replaced")
    away.rename(tmp_path / "own.sqlite3")
    assert ready(own_app) == (200, "ok")
    assert phone.post("/tables", {"game": "qwinto-dice"}).status_code == 303


def test_not_ready_on_a_full_disk(own_app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: SimpleNamespace(free=4096))
    assert ready(own_app) == (503, "its disk is full")
