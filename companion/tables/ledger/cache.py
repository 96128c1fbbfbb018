"""Folded states in memory, so that a tap plays one action instead of replaying the match."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Final

from companion.tables.ledger.state import State

CACHED_EVENTS: Final = 60_000
"""Limit of the summed `State.weight`; a thousand events are about half a megabyte."""


class StateCache:
    """Folded states by table id; the least recently used ones are dropped. Thread-safe."""

    def __init__(self, most_events: int = CACHED_EVENTS) -> None:
        self._lock: Final = threading.Lock()
        self._states: Final[OrderedDict[str, State]] = OrderedDict()
        self._most_events: Final = most_events
        self._events = 0

    def get(self, table_id: str) -> State | None:
        """The table's state, perhaps an old one; None when it is not kept."""
        with self._lock:
            state = self._states.get(table_id)
            if state is not None:
                self._states.move_to_end(table_id)
            return state

    def drop(self, table_id: str) -> None:
        """Forgets the table's state."""
        with self._lock:
            state = self._states.pop(table_id, None)
            self._events -= state.weight if state is not None else 0

    def put(self, table_id: str, state: State) -> None:
        """Keeps the state, unless one at least as new is there already."""
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
