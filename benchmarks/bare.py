"""The measure for a tap: a Flask view that takes JSON, commits one insert and answers.

The database is set up as the app's own (WAL, synchronous=FULL), and so is the server. Each thread
keeps its connection: nothing cheaper is as safe.
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

from benchmarks.wire import HOST
from companion.web.asgi import WSGI_THREADS
from companion.web.serve import KEEP_ALIVE


def open_database(path: Path) -> sqlite3.Connection:
    """With the pragmas of `companion.tables.database`."""
    connection = sqlite3.connect(path, isolation_level=None, timeout=10)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(
        "CREATE TABLE IF NOT EXISTS inserts (id INTEGER PRIMARY KEY, body TEXT NOT NULL)"
    )
    return connection


def insert(connection: sqlite3.Connection, document: object) -> int | None:
    """One insert; without BEGIN it is committed when this returns."""
    body = json.dumps(document)
    return connection.execute("INSERT INTO inserts (body) VALUES (?)", (body,)).lastrowid


def create_bare(path: Path) -> Flask:
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
    app = WSGIMiddleware(create_bare(Path(path)), workers=WSGI_THREADS)  # type: ignore[arg-type]
    uvicorn.run(
        app,
        host=HOST,
        port=int(port),
        log_level="warning",
        access_log=False,
        timeout_keep_alive=KEEP_ALIVE,
        server_header=False,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
