"""The server's log on standard error, in which a repeated error takes one line a minute.

An attack, a full disk or a lost database would otherwise fill a disk with the same traceback.
"""

from __future__ import annotations

import errno
import json
import logging
import sys
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, Final

from companion.core.refusal import Unusable
from companion.tables.upkeep.keeper import LOG as KEEPER_LOG
from companion.tables.upkeep.schedule import LOG as BACKUP_LOG
from companion.web.net.observing import REQUESTS, current

TEXT: Final = "text"
JSON: Final = "json"
SERVE_LOG: Final = "companion.web.run.serve"
"""The logger that says in a log of JSON where the server answers."""

PERIOD: Final = 60.0
"""Seconds in which one error is logged once."""
NO_DESCRIPTOR: Final = frozenset({errno.EMFILE, errno.ENFILE})
FULL: Final = (
    "No descriptor is left, so something could not be opened or accepted, and will be tried again."
    " Let this process have more (ulimit -n, LimitNOFILE)."
)
"""The line in place of a traceback, which would say nothing about the cause."""
MOST_LINES: Final = 60
"""Limit of one logger's warnings and errors in a period, however they differ."""
REMEMBERED: Final = 500
"""Limit of the errors that are told apart."""


class OncePerPeriod(logging.Filter):
    """Lets a warning or error through once in a period, then with the number of those between."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock: Final = clock
        self._lock: Final = threading.Lock()
        self._seen: Final[OrderedDict[object, tuple[float, int]]] = OrderedDict()
        self._lines: Final[Counter[str]] = Counter()
        """Logger → its lines since the period began."""
        self._began = -PERIOD

    def filter(self, record: logging.LogRecord) -> bool:
        """Lets a record pass; adds to its message how often it was left out before."""
        if record.levelno < logging.WARNING:
            return True
        if record.exc_info and getattr(record.exc_info[1], "errno", None) in NO_DESCRIPTOR:
            record.msg, record.args, record.exc_info = FULL, None, None
        key = (record.name, record.msg, _place(record))
        now = self._clock()
        with self._lock:
            if now >= self._began + PERIOD:
                self._began = now
                self._lines.clear()
            logged_at, missed = self._seen.get(key, (-PERIOD, 0))
            if now < logged_at + PERIOD or self._lines[record.name] >= MOST_LINES:
                if key in self._seen:
                    self._seen[key] = (logged_at, missed + 1)
                return False
            self._lines[record.name] += 1
            self._seen[key] = (now, 0)
            self._seen.move_to_end(key)
            while len(self._seen) > REMEMBERED:
                self._seen.popitem(last=False)
        if missed:
            record.msg = f"{record.getMessage()} (and {missed} times more since it was last logged)"
            record.args = None
        return True


def _place(record: logging.LogRecord) -> object:
    """The type of an exception and the line that raised it."""
    if not record.exc_info or record.exc_info[0] is None:
        return None
    kind, _, trace = record.exc_info
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return kind
    return kind, trace.tb_frame.f_code.co_filename, trace.tb_lineno


class JsonLines(logging.Formatter):
    """A record as one line of JSON, with the id of the request in which it was written."""

    def format(self, record: logging.LogRecord) -> str:
        """One JSON object without line breaks; times are in UTC."""
        now = datetime.fromtimestamp(record.created, UTC)
        line: dict[str, Any] = {
            "time": now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
        }
        outcome = current.get()
        if (request := getattr(record, "request", outcome.id if outcome else None)) is not None:
            line["request"] = request
        line |= getattr(record, "fields", {})
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


@contextmanager
def quiet_log(form: str = TEXT) -> Iterator[None]:
    """Logs warnings and errors of everything in this process, while the server runs.

    Args:
        form: `TEXT`, or `JSON` for a line of JSON each, and one for every request; a start that
            is refused is a line, too, and ends the process with status 2.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(
        JsonLines() if form == JSON else logging.Formatter("%(asctime)s %(levelname)s: %(message)s")
    )
    handler.addFilter(OncePerPeriod())
    root = logging.getLogger()
    root.addHandler(handler)
    names = (KEEPER_LOG, BACKUP_LOG, *((REQUESTS, SERVE_LOG) if form == JSON else ()))
    loggers = [logging.getLogger(name) for name in names]
    for logger in loggers:
        logger.setLevel(logging.INFO)
    try:
        yield
    except Unusable as unusable:
        if form != JSON:
            raise
        root.error(unusable)
        sys.exit(2)
    finally:
        for logger in loggers:
            logger.setLevel(logging.NOTSET)
        root.removeHandler(handler)
        handler.close()
