"""The last sign of life of each device: a tap, a look or its stream. Kept in memory only.

Processes that share a PostgreSQL database tell each other, at most once a minute for a device. A
device of which nothing is known counts as heard when the process started.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

SILENT_SECONDS: Final = 60.0
"""The silence after which others may go on without a device."""

TOLD_SECONDS: Final = 60.0
"""The least time between two messages to the other processes about one device."""

MOST_DEVICES: Final = 20_000
"""Limit of the devices that are remembered."""


class Presence:
    """The devices heard by this process, and by others that tell it. Safe for many threads.

    Devices are given by the hashes of their tokens.
    """

    def __init__(
        self, elapsed: Callable[[], float], tell: Callable[[str], None] | None = None
    ) -> None:
        """Starts without any device heard.

        Args:
            elapsed: seconds from any start.
            tell: tells the other processes that a device was heard.
        """
        self._elapsed: Final = elapsed
        self._tell: Final = tell
        self._started: Final = elapsed()
        self._lock: Final = threading.Lock()
        self._heard: Final[dict[str, float]] = {}
        """Device → until when it was heard, or may have been."""
        self._told: Final[dict[str, float]] = {}

    def heard(self, device: str) -> None:
        """Notes that a device was heard just now."""
        now = self._elapsed()
        with self._lock:
            self._note(device, now)
            last = self._told.get(device)
            is_due = self._tell is not None and (last is None or now - last >= TOLD_SECONDS)
            if is_due:
                self._told[device] = now
        if is_due and self._tell is not None:
            self._tell(device)

    def heard_elsewhere(self, device: str) -> None:
        """Notes what another process tells; it may hear the device until its next message."""
        with self._lock:
            self._note(device, self._elapsed() + TOLD_SECONDS)

    def is_silent(self, device: str) -> bool:
        """Whether a device has not been heard for a minute."""
        with self._lock:
            last = max(self._heard.get(device, self._started), self._started)
        return self._elapsed() - last >= SILENT_SECONDS

    def _note(self, device: str, moment: float) -> None:
        if len(self._heard) >= MOST_DEVICES and device not in self._heard:
            self._forget_silent()
        self._heard[device] = max(moment, self._heard.get(device, moment))

    def _forget_silent(self) -> None:
        """Forgets the devices that are silent anyway; all of them if too few are."""
        before = self._elapsed() - SILENT_SECONDS
        kept = {device: at for device, at in self._heard.items() if at > before}
        for known in (self._heard, self._told):
            known.clear()
        if len(kept) < MOST_DEVICES:
            self._heard.update(kept)
