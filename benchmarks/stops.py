"""The stops of a tap: the modules that its request enters, from the socket to the commit.

A server in a process of its own plays a tap while the interpreter tells it of every call.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any, Final

from benchmarks.report import heading, line
from benchmarks.servers import server
from benchmarks.servers.play import seat_tables
from benchmarks.servers.wire import Connection, checked, request

PACKAGE: Final = "companion."
WARM_UP: Final = 20
"""Taps before the one that is told, which then finds everything loaded and cached."""
PLAYERS: Final = 4


def run() -> None:
    """Prints each stop with the functions that it runs, in the order in which they are reached."""
    heading("stops", "modules that a tap enters from the socket to the commit", "≤ 20")
    calls = told()
    stops = list(dict.fromkeys(module for module, _ in calls))
    for number, stop in enumerate(stops, start=1):
        inside = dict.fromkeys(name for module, name in calls if module == stop)
        print(f"  {number:>2}  {stop.removeprefix(PACKAGE):<28} {', '.join(inside)}")
    line("stops", len(stops), f"{len(set(calls))} functions, {len(calls)} calls")


def told() -> list[tuple[str, str]]:
    """(module, function) of each call that a tap makes in the app before its commit."""
    with TemporaryDirectory() as name:
        database, calls = Path(name) / "app.db", Path(name) / "calls.json"
        [table] = seat_tables(database, 1, PLAYERS)
        served = server.running("benchmarks.stops", str(calls), str(database))
        with served as app, Connection(app.port) as connection:
            for number in range(WARM_UP + 1):
                player, document = table.tap()
                body = request("POST", f"{table.path}taps", table.cookies[player], document)
                if number == WARM_UP:
                    os.kill(app.pid, signal.SIGUSR1)
                    checked(connection.ask(request("GET", "/")))  # the signal has come by then
                checked(connection.ask(body))
        return [(module, function) for module, function in json.loads(calls.read_text())]


def _serve(arguments: Sequence[str]) -> None:
    """Serves, and writes down the calls between a signal's next tap and its commit."""
    from companion.cli import main

    calls_file, database, port = arguments
    calls: list[tuple[str, str]] = []
    armed = False

    def note(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal armed
        if not armed:
            return
        if event == "c_call" and argument.__name__ == "commit" and calls:
            armed = False
            taps = [index for index, call in enumerate(calls) if call[1] == "data_received"]
            Path(calls_file).write_text(json.dumps(calls[taps[-1] if taps else 0 :]))
        elif event == "call":
            module = frame.f_globals.get("__name__", "")
            if module.startswith(PACKAGE) and not frame.f_code.co_name.startswith("<"):
                calls.append((module, frame.f_code.co_name))

    def arm(*_: object) -> None:
        nonlocal armed
        armed = True

    signal.signal(signal.SIGUSR1, arm)
    threading.setprofile(note)
    sys.setprofile(note)
    main(["serve", "--host", "127.0.0.1", "--db", f"sqlite:///{database}", "--port", port])


if __name__ == "__main__":
    _serve(sys.argv[1:])
