"""The last sign of life of each device: any request, or its stream. Kept in memory only.

Processes that share a PostgreSQL database share the devices that they hear. A device
of which nothing is known counts as heard when the process started.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

SILENT_SECONDS: Final = 60.0  # of the host's device, until another one may become the host's
REPORT_SECONDS: Final = 30.0  # between two reports of a device to other processes
MOST_DEVICES: Final = 20_000  # that are remembered, those heard last


class Presence:
    """The devices heard by this process, and by others that report to it. Safe for many threads.

    Devices are given by the hashes of their tokens.
    """

    def __init__(
        self, elapsed: Callable[[], float], report: Callable[[str], None] | None = None
    ) -> None:
        """Starts with no device heard; `report` notifies the other processes of one that is."""
        self._elapsed: Final = elapsed
        self._report: Final = report
        self._silent_after: Final = SILENT_SECONDS + (REPORT_SECONDS if report else 0)
        self._started: Final = elapsed()
        self._lock: Final = threading.Lock()
        # Device → when it was heard last; the silent ones first
        self._heard_at: Final[dict[str, float]] = {}

    def mark_online(self, device: str) -> None:
        """Marks a device as heard just now, and notifies the others twice a minute."""
        before, now = self._note(device)
        if self._report and (before is None or before // REPORT_SECONDS < now // REPORT_SECONDS):
            self._report(device)

    def mark_online_elsewhere(self, device: str) -> None:
        """Marks a device that another process hears."""
        self._note(device)

    def is_silent(self, device: str) -> bool:
        """Whether a device has not been heard for a minute."""
        with self._lock:
            last = self._heard_at.get(device, self._started)
        return self._elapsed() - last >= self._silent_after

    def _note(self, device: str) -> tuple[float | None, float]:
        """Notes when a device is heard; returns when it was heard before, and now."""
        now = self._elapsed()
        with self._lock:
            before = self._heard_at.pop(device, None)
            self._heard_at[device] = now
            if len(self._heard_at) > MOST_DEVICES:
                del self._heard_at[next(iter(self._heard_at))]
        return before, now
