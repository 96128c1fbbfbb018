"""The one limiter of a process: who may do how much of each kind of work, now or lately.

It answers before the work begins, gives room back, and logs refusals. What processes must count
together is in the database; see `tables.limits`.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from typing import Final, TypeAlias

from companion.limits import RECENT_SECONDS, USUAL, Limits

REMEMBERED: Final = 10_000
"""Limit of the senders whose recent work is remembered; the oldest are forgotten."""

ALL: Final = "all"
"""The scope of everybody together; the others are `address`, `device`, `member` and `table`."""

REFUSALS: Final = "companion.refusals"
"""The logger of refused requests; `web.run.quiet_log` writes few of many lines."""
_log: Final = logging.getLogger(REFUSALS)


@dataclass(frozen=True, slots=True)
class Bound:
    """How much of one kind of work there may be, by scope; a scope without a number has no limit.

    With `seconds` it bounds the work begun in a sliding window, else the work under way. Where it
    is `shared`, an address also holds at most as much as it leaves free.
    """

    most: Mapping[str, float]
    seconds: float = 0.0
    shared: bool = False


KINDS: Final[Mapping[str, Callable[[Limits], Bound]]] = {
    "bodies": lambda to: Bound({ALL: to.bodies, "address": to.bodies_per_address}),
    "connections": lambda to: Bound(
        {ALL: to.connections, "address": to.connections_per_address}, shared=True
    ),
    "uploads": lambda to: Bound({ALL: to.uploads, "address": to.uploads_per_address}, shared=True),
    "upload-bytes": lambda to: Bound({ALL: to.uploading_bytes, "address": inf}, shared=True),
    "recent-uploads": lambda to: Bound({"address": to.recent_uploads_per_address}, RECENT_SECONDS),
    "streams": lambda to: Bound(
        {ALL: to.streams, "device": to.streams_per_device, "address": to.streams_per_address},
        shared=True,
    ),
    "recent-tables": lambda to: Bound({"address": to.recent_tables_per_address}, RECENT_SECONDS),
    "recent-phone-links": lambda to: Bound(
        {"address": to.recent_phone_links_per_address}, RECENT_SECONDS
    ),
    "changes": lambda to: Bound(
        {"member": to.recent_changes_per_member, "table": to.recent_changes_per_table},
        RECENT_SECONDS,
    ),
    "codes": lambda to: Bound({ALL: inf, "address": to.recent_codes_per_address}, RECENT_SECONDS),
    "imports": lambda to: Bound(
        {ALL: to.waiting_imports, "address": to.waiting_imports_per_address}
    ),
    "large-changes": lambda to: Bound(
        {ALL: to.large_changes, "device": to.large_changes_per_device}
    ),
    "printing": lambda to: Bound(
        {ALL: to.printing_requests, "address": to.printing_requests_per_address}, shared=True
    ),
    "slow": lambda to: Bound(
        {ALL: to.slow_requests, "address": to.slow_requests_per_address}, shared=True
    ),
}
"""Kind of work → its bound."""

_Key: TypeAlias = tuple[str, str, str]
"""Kind of work, scope, and who."""


@dataclass(eq=False, slots=True)
class _Place:
    """Work under way that ends where others need its place."""

    address: str
    end: Callable[[], bool]
    give_back: Callable[[], None]


def log_refusal(status: int, code: str, asked: str, address: str) -> None:
    """Logs a refused request: enough to see an attack, and nothing that helps with one.

    Args:
        asked: the route, and not the address that was asked for, which may hold a token or a name.
        address: the network address that asked.
    """
    # Whole, because the log tells lines apart by their texts.
    _log.warning(f"refused with {status} ({code}): {asked} from {address}")


class Full(Exception):
    """There is no room for a kind of work, in all or for one sender (`scope`)."""

    def __init__(self, kind: str, scope: str) -> None:
        super().__init__(f"{kind} of {scope}")
        self.kind: Final = kind
        self.scope: Final = scope


class Limiter:
    """Counts the work of all senders. Safe between threads; waits only where it is asked to."""

    def __init__(self, limits: Limits = USUAL, clock: Callable[[], float] = time.monotonic) -> None:
        """Counts from nothing.

        Args:
            clock: seconds from any start.
        """
        self.limits = limits
        self._clock: Final = clock
        self._changed: Final = threading.Condition()
        self._held: Final[Counter[_Key]] = Counter()
        self._places: Final[defaultdict[str, dict[_Place, None]]] = defaultdict(dict)
        """Kind of work → its places that may be taken away, the oldest first."""
        self._recent: Final[OrderedDict[_Key, deque[float]]] = OrderedDict()

    @contextmanager
    def room(
        self,
        kind: str,
        size: int = 1,
        *,
        wait: float = 0.0,
        end: Callable[[], bool] | None = None,
        **who: str,
    ) -> Iterator[None]:
        """Holds room for work meanwhile; see `take`."""
        give_back = self.take(kind, size, wait=wait, end=end, **who)
        try:
            yield
        finally:
            give_back()

    def take(
        self,
        kind: str,
        size: int = 1,
        *,
        wait: float = 0.0,
        end: Callable[[], bool] | None = None,
        **who: str,
    ) -> Callable[[], None]:
        """Takes room for work and returns the function that gives it back, at any time.

        Without room, the oldest work of the address that holds most of the kind ends, if it may.

        Args:
            kind: a key of `KINDS`.
            size: how much of it; in a sliding window always 1.
            wait: seconds to wait for room. Not for the event loop.
            end: ends the work for others, and says whether it may end now. It is called in the
                thread that takes room.
            who: scope → who; nobody in particular when empty, for whom that scope has no limit.

        Raises:
            Full: there is no room, and nothing was taken.
        """
        bound, address = KINDS[kind](self.limits), who.get("address", "")
        keys = [(kind, ALL, ""), *((kind, scope, name) for scope, name in who.items() if name)]
        keys = [key for key in keys if key[1] in bound.most]
        with self._changed:
            while (full := self._full(bound, keys, size)) and self._end_one(kind, bound, address):
                pass
            if full and self._changed.wait_for(lambda: not self._full(bound, keys, size), wait):
                full = None
            if not full:
                give_back = self._add(bound, keys, size)
                return self._may_end(kind, _Place(address, end, give_back)) if end else give_back
        raise self.refusal(kind, full, address)

    def refusal(self, kind: str, scope: str, address: str = "") -> Full:
        """The refusal of a kind of work, which is written into the log."""
        log_refusal(429, kind, f"no room for {scope}", address or "here")
        return Full(kind, scope)

    def used(self, kind: str, scope: str = ALL, who: str = "") -> int:
        """The amount of a kind of work under way, or begun lately."""
        with self._changed:
            return self._used(KINDS[kind](self.limits), (kind, scope, who))

    def _full(self, bound: Bound, keys: list[_Key], size: int) -> str | None:
        """The first scope without room."""
        free = bound.most[ALL] - self._used(bound, keys[0]) - size if bound.shared else inf
        for key in keys:
            most = bound.most[key[1]]
            if key[1] == "address":
                most = min(most, max(free, 0))
            if self._used(bound, key) + size > most:
                return key[1]
        return None

    def _end_one(self, kind: str, bound: Bound, address: str) -> bool:
        """Ends the oldest work of the address that holds most, or of this one if that is full."""
        is_full = self._held[kind, "address", address] >= bound.most.get("address", inf)
        held = Counter(place.address for place in self._places[kind])
        held[address] += 1
        names = [name for name, count in held.most_common() if count >= held[address]]
        for name in [address] if is_full else names:
            for place in self._places[kind]:
                if place.address == name and place.end():
                    log_refusal(429, kind, "ended for others", name or "here")
                    del self._places[kind][place]
                    place.give_back()
                    return True
        return False

    def _add(self, bound: Bound, keys: list[_Key], size: int) -> Callable[[], None]:
        now = self._clock()
        is_over = False
        for key in keys:
            if bound.seconds:
                self._recent.setdefault(key, deque()).append(now)
                self._recent.move_to_end(key)
            else:
                self._held[key] += size
        while len(self._recent) > REMEMBERED:
            self._recent.popitem(last=False)

        def give_back() -> None:
            nonlocal is_over
            with self._changed:
                for key in () if is_over else keys:
                    if bound.seconds:
                        times = self._recent.get(key, deque())
                        if now in times:
                            times.remove(now)
                    elif self._held[key] > size:
                        self._held[key] -= size
                    else:
                        del self._held[key]
                is_over = True
                self._changed.notify_all()

        return give_back

    def _may_end(self, kind: str, place: _Place) -> Callable[[], None]:
        """Notes work that may end for others; returns the function that gives its room back."""
        self._places[kind][place] = None

        def give_back() -> None:
            with self._changed:
                self._places[kind].pop(place, None)
                place.give_back()

        return give_back

    def _used(self, bound: Bound, key: _Key) -> int:
        if not bound.seconds:
            return self._held[key]
        times = self._recent.get(key, deque())
        while times and times[0] <= self._clock() - bound.seconds:
            times.popleft()
        return len(times)
