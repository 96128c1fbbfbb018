"""The messages of a stream as text and as bytes.

A message has the parts of the page that changed since the version that the phone shows;
`static/js/table/parts.js` applies it.
"""

from __future__ import annotations

import zlib
from typing import Final

from companion.web.table.page_parts import Snapshot

LEVEL: Final = 5
GZIP: Final = 16  # Added to zlib's window, it makes a gzip file
# The window of 4 kB in which deflate looks for repetitions. Preparing the usual 32 kB takes four
# times as long as deflating a usual message, and saves nothing.
WINDOW_BITS: Final = 12
MEMORY_LEVEL: Final = 5  # zlib's memory for deflating that goes with the window


def opening(snapshot: Snapshot, retry: int, unsaved: str = "") -> str:
    """The first message of a stream; a phone compares its version."""
    # Last, because a page takes any message as a sign that changes are saved.
    sign = sign_of_life(snapshot, unsaved)
    return f"retry: {retry}\n{message(snapshot, snapshot)}{sign}"


def sign_of_life(snapshot: Snapshot, unsaved: str = "") -> str:
    """The version, for a phone that missed it, and the notice of a server that cannot save."""
    return f"data: {snapshot.version}{unsaved and f'|{unsaved}'}\n\n"


def message(before: Snapshot, after: Snapshot) -> str:
    """The changes for a phone that shows `before`."""
    lines = "".join(f"data: {value}\n" for value in after.update(before))
    return f"event: parts\n{lines}\n"


class Writer:
    """Turns a stream's text into bytes, packed where the phone takes gzip."""

    def __init__(self, is_packed: bool) -> None:
        self.is_packed: Final = is_packed
        self._gzip: Final = zlib.compressobj(LEVEL, zlib.DEFLATED, GZIP + WINDOW_BITS, MEMORY_LEVEL)

    def write(self, text: str) -> bytes:
        """The bytes of a message, completely flushed."""
        if not self.is_packed:
            return text.encode()
        return self._gzip.compress(text.encode()) + self._gzip.flush(zlib.Z_SYNC_FLUSH)

    def end(self) -> bytes:
        return self._gzip.flush() if self.is_packed else b""
