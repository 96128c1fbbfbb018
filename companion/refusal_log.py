"""Log lines about refused requests: enough to see an attack, and nothing that helps with one.

A line has the route and not the address that was asked for, which may hold a token or a name.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, TypeAlias

LOGGED: Final = frozenset({403, 404, 429})
"""The statuses that are worth a line."""
SECONDS: Final = 60.0
"""The time for which the same refusal of the same address gets one line."""
MOST_LINES: Final = 60
"""Limit of the lines in `SECONDS`, whoever asks for whatever."""
REMEMBERED: Final = 1_000
"""Limit of the refusals that are told apart."""

RefusedRequest: TypeAlias = tuple[int, str, str, str]
"""Status, code, method with route, and network address."""


class RefusalLog:
    """Decides which refusals get a line. Safe between threads."""

    def __init__(self, elapsed: Callable[[], float] = time.monotonic) -> None:
        self._elapsed: Final = elapsed
        self._lock: Final = threading.Lock()
        self._since: Final[OrderedDict[RefusedRequest, tuple[float, int]]] = OrderedDict()
        """Refusal → when its last line was written, and how many were not written since."""
        self._window = float("-inf")
        self._lines = 0

    def line(self, refused: RefusedRequest) -> str | None:
        """The line to write; None when there was one just now."""
        with self._lock:
            now = self._elapsed()
            written, unwritten = self._since.pop(refused, (float("-inf"), 0))
            if now - self._window >= SECONDS:
                self._window, self._lines = now, 0
            if now - written < SECONDS or self._lines >= MOST_LINES:
                self._since[refused] = (written, unwritten + 1)
            else:
                self._since[refused] = (now, 0)
                self._lines += 1
            while len(self._since) > REMEMBERED:
                self._since.popitem(last=False)
            if self._since[refused] != (now, 0):
                return None
        status, code, route, address = refused
        more = f", and {unwritten} times before" if unwritten else ""
        return f"refused with {status} ({code}): {route} from {address}{more}"
