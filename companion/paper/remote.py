"""`companion reader`: opens the database and reads photos until it is stopped."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Final

from companion.paper.reading import PhotoReader
from companion.tables.opening import open_tables

LOOK_SECONDS: Final = 0.1
READS: Final = "Photos are read here, {} at a time. Stop with Ctrl+C."


def read_photos(url: str, at_once: int, say: Callable[[str], object]) -> None:
    """Reads the photos of a PostgreSQL database until Ctrl+C, SIGTERM or SIGHUP.

    Raises:
        Unusable: the database cannot be opened.
    """
    stopping = threading.Event()

    def stop(_signal: int, _frame: FrameType | None) -> None:
        stopping.set()

    numbers = [signal.SIGINT, signal.SIGTERM]
    if hasattr(signal, "SIGHUP"):
        numbers.append(signal.SIGHUP)
    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        tables = open_tables(url, serving=True)
        try:
            reader = PhotoReader(tables, at_once=at_once)
            try:
                while not stopping.is_set() and not reader.listening.wait(LOOK_SECONDS):
                    pass
                say(READS.format(at_once))
                stopping.wait()
            finally:
                reader.close()
        finally:
            tables.close()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
