"""The last sign of life of each device: any request, or its stream. Kept in memory only.

Processes that share a PostgreSQL database tell each other, at most once a minute for a device. A
device of which nothing is known counts as heard when the process started.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

SEAT_SECONDS: Final = 60.0
"""The silence of a device after which others may play for its seats."""

HOST_SECONDS: Final = 300.0
"""The silence of the host's device after which another one may become the host's."""

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
        self._online_until: Final[dict[str, float]] = {}
        """Device → until when it was heard, or may have been."""
        self._told_at: Final[dict[str, float]] = {}

    def mark_online(self, device: str) -> None:
        """Marks a device as heard just now."""
        now = self._elapsed()
        with self._lock:
            self._remember(device, now)
            last = self._told_at.get(device)
            is_due = self._tell is not None and (last is None or now - last >= TOLD_SECONDS)
            if is_due:
                self._told_at[device] = now
        if is_due and self._tell is not None:
            self._tell(device)

    def mark_online_elsewhere(self, device: str) -> None:
        """Marks a device that another process hears, maybe until its next message."""
        with self._lock:
            self._remember(device, self._elapsed() + TOLD_SECONDS)

    def is_silent(self, device: str, seconds: float) -> bool:
        """Whether a device has not been heard for so long."""
        with self._lock:
            last = max(self._online_until.get(device, self._started), self._started)
        return self._elapsed() - last >= seconds

    def _remember(self, device: str, until: float) -> None:
        if len(self._online_until) >= MOST_DEVICES and device not in self._online_until:
            self._forget_silent()
        self._online_until[device] = max(until, self._online_until.get(device, until))

    def _forget_silent(self) -> None:
        """Forgets the devices that are silent anyway; all of them if too few are."""
        before = self._elapsed() - max(SEAT_SECONDS, HOST_SECONDS)
        online = {device: at for device, at in self._online_until.items() if at > before}
        for known in (self._online_until, self._told_at):
            known.clear()
        if len(online) < MOST_DEVICES:
            self._online_until.update(online)
