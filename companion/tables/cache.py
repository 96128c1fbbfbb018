"""Folded states kept in memory, so that a tap plays one action instead of replaying the game."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Final

from companion.tables.state import State

CACHED_EVENTS: Final = 60_000
"""Events kept in all, of both counts of `State.weight`; a thousand are about half a megabyte."""


class Cache:
    """Folded states by table, the least recently used ones dropped. Safe between threads."""

    def __init__(self, most_events: int = CACHED_EVENTS) -> None:
        self._lock: Final = threading.Lock()
        self._states: Final[OrderedDict[str, State]] = OrderedDict()
        self._most_events: Final = most_events
        self._events = 0

    def get(self, table_id: str) -> State | None:
        with self._lock:
            state = self._states.get(table_id)
            if state is not None:
                self._states.move_to_end(table_id)
            return state

    def put(self, table_id: str, state: State) -> None:
        with self._lock:
            known = self._states.get(table_id)
            if known is not None:
                if known.version >= state.version:
                    return
                self._events -= known.weight
            self._states[table_id] = state
            self._states.move_to_end(table_id)
            self._events += state.weight
            while self._events > self._most_events and len(self._states) > 1:
                _, dropped = self._states.popitem(last=False)
                self._events -= dropped.weight
