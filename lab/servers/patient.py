"""`python -m lab.servers.patient serve …`: the companion, patient on a busy machine.

With COMPANION_TEST_READER its photos are read by that module; with COMPANION_TEST_ADDRESS its links
lead there.
"""

from __future__ import annotations

import os
import sys
from functools import partial

from companion.cli import main
from companion.paper.photos import photo_queue, sending
from companion.vision.worker.pool import Readers
from companion.web.review import photo, readers
from companion.web.run import serve
from lab.patience import PATIENCE


def give_time() -> None:
    """Reading a photo, in this process's app, may take as long as a test waits."""
    patient = partial(Readers, seconds=PATIENCE)
    readers.Readers = photo_queue.Readers = patient  # type: ignore[assignment, misc]
    sending.LOOK_SECONDS = PATIENCE  # type: ignore[misc]


if __name__ == "__main__":
    give_time()
    reader = os.environ.get("COMPANION_TEST_READER") or photo.READER
    photo.READER = photo_queue.READER = reader  # type: ignore[misc]
    if address := os.environ.get("COMPANION_TEST_ADDRESS"):
        serve._address = lambda *_: address
    sys.exit(main())
