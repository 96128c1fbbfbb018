"""The baseline for a tap: a Flask view that takes JSON, commits one insert and answers.

Database (WAL, synchronous=FULL) and server are set up as the app's own. Each thread keeps its
connection, which is the cheapest way that is as safe.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import threading
from pathlib import Path

import uvicorn
from a2wsgi import WSGIMiddleware
from flask import Flask, jsonify, request
from flask.typing import ResponseReturnValue

from benchmarks.servers.wire import HOST
from companion.web.run.asgi import READING_THREADS
from companion.web.run.serve import KEEP_ALIVE_SECONDS


def open_database(path: Path) -> sqlite3.Connection:
    """Opens the database with the pragmas of `companion.tables.database.engine`."""
    connection = sqlite3.connect(path, isolation_level=None, timeout=10)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(
        "CREATE TABLE IF NOT EXISTS inserts (id INTEGER PRIMARY KEY, body TEXT NOT NULL)"
    )
    return connection


def insert(connection: sqlite3.Connection, document: object) -> int | None:
    """Inserts a row, which is committed when this returns, because there is no BEGIN."""
    body = json.dumps(document)
    return connection.execute("INSERT INTO inserts (body) VALUES (?)", (body,)).lastrowid


def create_bare(path: Path) -> Flask:
    """The app with the view, on the database at `path`."""
    app = Flask(__name__)
    local = threading.local()

    @app.post("/")
    def add() -> ResponseReturnValue:
        if not hasattr(local, "connection"):
            local.connection = open_database(path)
        return jsonify(id=insert(local.connection, request.get_json()))

    @app.get("/")
    def show() -> ResponseReturnValue:
        return jsonify(ready=True)

    return app


def main(path: str, port: str) -> None:
    """Serves the view on loopback until the process is terminated."""
    app = WSGIMiddleware(create_bare(Path(path)), workers=READING_THREADS)  # type: ignore[arg-type]
    uvicorn.run(
        app,
        host=HOST,
        port=int(port),
        log_level="warning",
        access_log=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        server_header=False,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
