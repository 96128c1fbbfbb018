"""The app as a whole: what it loads, how it is addressed, and that all its pages are sound."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from flask import Flask
from jinja2 import UndefinedError

from companion.tables import Tables
from tests.kit.drawn import AskedWhileDrawn

HEAVY = ("cv2", "numpy", "PIL", "pdfkit")

PROGRAM = """
import json, sys
from companion.tables import Tables
from companion.web import create_app
from companion.web.run.asgi import LiveApp
tables = Tables(sys.argv[1])
app = create_app(tables)
LiveApp(app, tables)
client = app.test_client()
path = client.post("/tables", data={"game": "qwinto-dice"}).headers["Location"]
for name in ("Tim", "Sarah"):
    client.post(path + "do/add", data={"name": name, "color": "red"})
pages = [path, path + "menu", "/", "/static/app.css"]
statuses = [client.get(page, buffered=True).status_code for page in pages]
statuses.append(client.post(path + "share").status_code)
statuses.append(client.post(path + "do/start").status_code)
statuses.append(client.get(path).status_code)
tables.close()
print(json.dumps({"statuses": statuses, "modules": sorted(sys.modules)}))
"""


def loaded_by(url: str) -> set[str]:
    """The modules that a fresh process has loaded after serving pages."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM, url],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
    )
    told = json.loads(done.stdout)
    assert told["statuses"] == [200, 200, 200, 200, 200, 303, 200]
    return set(told["modules"])


def test_serving_pages_is_light(tmp_path: Path) -> None:
    """Neither OpenCV, numpy, Pillow nor pdfkit; Alembic only where something is to migrate."""
    url = f"sqlite:///{tmp_path / 'x.sqlite3'}"
    first = loaded_by(url)
    assert "alembic" in first
    second = loaded_by(url)
    for modules in (first, second):
        assert not modules & set(HEAVY)
        assert not {name for name in modules if name.startswith(("tests.", "playwright", "httpx"))}
    assert "alembic" not in second
    assert "mako" not in second


def test_no_template_asks_a_database(app: Flask, tables: Tables) -> None:
    """The tests of the pages hold it; this one shows that they would notice."""
    template = app.jinja_env.from_string("{{ ask() }}")
    with pytest.raises(AskedWhileDrawn):
        template.render(ask=lambda: tables.at_tables("nobody"))


def test_an_unknown_name_in_a_template_is_an_error(app: Flask) -> None:
    """Totals were silently empty once."""
    template = app.jinja_env.from_string("{{ player.totl }}")
    with pytest.raises(UndefinedError):
        template.render(player={"total": 3})
