"""Reads backups: a large one in a child process, because a stranger's may take all the memory.

The child runs `main`. It prints a line of JSON for each match: the columns of its row, or the
refusal of the match or of the whole file.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Final, TypeAlias

from companion import children
from companion.children import ChildLimits
from companion.tables.history import exchange
from companion.tables.ledger.saved import SavedMatch
from companion.tables.refusals import Refused

# Limit of a file that is read without a child: reading it takes no longer than starting one
SMALL_BYTES: Final = 256 * 1024
# The largest file of real matches takes 400 MB of addresses and 50 s on a PC
LIMITS: Final = ChildLimits(processor_seconds=300, memory=512 * 1024 * 1024)

FAULT: Final = 1  # Python's exit status after an exception
OUT_OF_MEMORY: Final = 2

Row: TypeAlias = dict[str, Any]  # the columns of a match's row


def rows_of(file: IO[bytes], now: int) -> Iterator[Row | Refused]:
    """The matches of a `companion-history/1` file, as `exchange.parse` returns and refuses them.

    Raises:
        Refused: also `large-history`, for a file that takes too much memory or time.
    """
    if file.seek(0, os.SEEK_END) <= SMALL_BYTES:
        file.seek(0)
        yield from _rows(file.read(), now)
        return
    # The child shares the descriptor's offset, which `file.seek` may leave as it is.
    os.lseek(file.fileno(), 0, os.SEEK_SET)
    process = children.start(
        [sys.executable, "-c", f"from {__name__} import main; main({now})"],
        LIMITS,
        stdin=file,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).resolve().parents[3],
    )
    try:
        assert process.stdout  # noqa: S101 - for the type checker
        for line in process.stdout:
            is_whole, row, code, values = json.loads(line)
            if is_whole:
                raise Refused(code, **values)
            yield row or Refused(code, **values)
        status = process.wait()
        if status == FAULT:  # its traceback is in the log
            raise RuntimeError("the child process that reads a backup has a fault")
        if status:
            raise exchange.too_large()
    finally:
        children.end(process)


def main(now: int) -> None:
    """Reads standard input and prints the lines; exits with 2 when that takes too much memory."""
    try:
        for row in _rows(sys.stdin.buffer.read(exchange.MOST_BYTES + 1), now):
            _say(row)
    except Refused as refused:
        _say(refused, is_whole=True)
    except MemoryError:
        sys.exit(OUT_OF_MEMORY)


def _rows(raw: bytes, now: int) -> Iterator[Row | Refused]:
    for match in exchange.parse(raw, now):
        yield match.columns() if isinstance(match, SavedMatch) else match


def _say(row: Row | Refused, *, is_whole: bool = False) -> None:
    if isinstance(row, Refused):
        said = [is_whole, None, row.code, dict(row.refusal.values)]
    else:
        said = [False, row, "", {}]
    sys.stdout.write(json.dumps(said) + "\n")
