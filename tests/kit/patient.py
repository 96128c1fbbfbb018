"""`python -m tests.kit.patient serve …`: the companion, with as much time as a busy machine needs.

With COMPANION_TEST_READER its photos are read by that module.
"""

from __future__ import annotations

import os
import sys
from functools import partial

from companion.cli import main
from companion.vision.workers import Readers
from companion.web import photo, readers
from tests.kit.patience import PATIENCE


def give_time() -> None:
    """Reading a photo, in this process's app, may take as long as a test waits."""
    readers.Readers = partial(Readers, seconds=PATIENCE)  # type: ignore[assignment, misc]


if __name__ == "__main__":
    give_time()
    photo.READER = os.environ.get("COMPANION_TEST_READER", photo.READER)  # type: ignore[misc]
    sys.exit(main())
