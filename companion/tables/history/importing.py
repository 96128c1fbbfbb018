"""Reads a history file in a process of its own, so that no file stops or swells the server.

The file comes on standard input. The first line of the output is `{"code": …, "values": …}` of a
refusal, or `null` and then a line for each match; see `Imported`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import IO, Any, Final, NamedTuple

from companion import children
from companion.children import ChildLimits
from companion.tables.history import exchange
from companion.tables.history.exchange import Entry
from companion.tables.refusals import Refused

SMALL_BYTES: Final = 64 * 1024
"""Files up to this size are read in the server: they cost less than a process."""
SECONDS: Final = 60
"""Limit of the child's processor time."""
LIMITS: Final = ChildLimits(
    seconds=SECONDS + 10,
    processor_seconds=SECONDS,
    memory=1024 * 1024 * 1024,
    file_bytes=8 * exchange.MOST_BYTES,
)
"""A file of 32 MB with 10,000 real games takes a third of the memory. Sheets are written out in
full, so that the output is larger than the file."""


class Imported(NamedTuple):
    """A match of a file on its way into the database; see `exchange.Entry`."""

    key: str
    row: dict[str, Any] | None
    """The columns of the match, except the id and the owner."""
    fault: tuple[str, dict[str, Any]] | None


def read(file: IO[bytes], now: int) -> Iterator[Imported]:
    """The matches in a file, which is read from where it stands.

    Args:
        now: see `exchange.parse`.

    Raises:
        Refused: as `exchange.parse`; `large-history` also when it takes too much time or memory.
    """
    start = file.read(SMALL_BYTES + 1)
    if len(start) <= SMALL_BYTES:
        yield from map(_imported, exchange.parse(start, now))
        return
    with tempfile.TemporaryFile() as raw, tempfile.TemporaryFile() as out:
        size = 0
        while start:
            size += len(start)
            if size > exchange.MOST_BYTES:
                raise exchange.too_large()
            raw.write(start)
            start = file.read(1024 * 1024)
        raw.seek(0)
        # Not `-m`: the package has imported this module already, and Python would warn.
        program = f"from {__name__} import main; raise SystemExit(main({now}))"
        command = [sys.executable, "-c", program]
        try:
            done = children.run(command, LIMITS, stdin=raw, stdout=out, stderr=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            raise exchange.too_large() from None
        if done.returncode:
            raise exchange.too_large()
        out.seek(0)
        if error := json.loads(out.readline()):
            raise Refused(error["code"], **error["values"])
        for line in out:
            yield Imported(*json.loads(line))


def _imported(entry: Entry) -> Imported:
    row = None if entry.match is None else entry.match.columns()
    fault = (entry.fault.code, dict(entry.fault.refusal.values)) if entry.fault else None
    return Imported(entry.key, row, fault)


def main(now: int) -> int:
    """Reads the file on standard input; the exit status is not 0 when it takes too much."""
    try:
        entries = exchange.parse(sys.stdin.buffer.read(exchange.MOST_BYTES + 1), now)
    except Refused as refused:
        answer = {"code": refused.code, "values": dict(refused.refusal.values)}
        print(json.dumps(answer))  # noqa: T201 - the answer
        return 0
    except MemoryError:
        return 1
    sys.stdout.write("null\n")
    for entry in entries:
        sys.stdout.write(json.dumps(_imported(entry)) + "\n")
    return 0
