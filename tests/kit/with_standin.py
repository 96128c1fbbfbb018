"""`python -m tests.kit.with_standin serve …`: the companion, with the reader that reads nothing."""

from __future__ import annotations

import sys

from companion.cli import main
from companion.web import photo

if __name__ == "__main__":
    photo.READER = "tests.kit.standin"  # type: ignore[misc]
    sys.exit(main())
