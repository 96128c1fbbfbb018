"""The end of a process that threads may still hold up."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from typing import Final

THREAD_SECONDS: Final = 0.5
"""Seconds in which threads have to end."""


def end_soon() -> None:
    """Ends the process soon, where a thread is still busy with a PDF or a silent database.

    Python would wait for it. Its client has had an answer, and the database is closed.
    """
    timer = threading.Timer(THREAD_SECONDS, _end)
    timer.daemon = True  # it ends with the process, if that is sooner
    timer.start()


def _end() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()
    os._exit(0)
