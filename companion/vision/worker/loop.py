"""Reads photos in a process of its own, one after another, until standard input ends.

    python -m companion.vision.worker.loop [MODULE]

Requests come on standard input and answers go to standard output, as `wire` has them.
`MODULE` provides `read` of `vision.reading`; it is loaded with the first photo. Its parent limits
the process (`children`); here, only the processor time of each photo, or page, is limited.
"""

from __future__ import annotations

import importlib
import logging
import math
import os
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import IO, Any, Final

from companion.core.edition import UNKNOWN
from companion.core.words import N_, Sentence
from companion.vision.core import NOT_INSTALLED, Trouble, Unreadable
from companion.vision.pictures.picture import kept_jpeg
from companion.vision.pictures.scans import MOST_PAGES, is_scan, pages
from companion.vision.worker.wire import Answer, Broken, read_line, write_answer

# The module that reads photos unless another one is named
READER: Final = "companion.vision.reading"


def main(reader: str = READER) -> int:
    """Answers requests until standard input ends; returns the exit status."""
    logging.basicConfig()  # To standard error, for the log of the server
    requests = sys.stdin.buffer
    with _private_output() as answers:
        while True:
            try:
                request = read_line(requests)
            except Broken:
                return 0
            data = requests.read(request["size"])
            _allow_processor_seconds(float(request["seconds"]))
            for answer in _answers(reader, data, request):
                write_answer(answers, answer)
                _allow_processor_seconds(float(request["seconds"]))
            del data


def _allow_processor_seconds(seconds: float) -> None:
    """Makes the system end this process once it has used this much more processor time.

    It rounds the limit up to seconds. A later call can raise the limit again. Windows has no such
    limit: there the pool's deadline ends the process.
    """
    if sys.platform != "win32":
        import resource

        usage = resource.getrusage(resource.RUSAGE_SELF)
        limit = math.ceil(usage.ru_utime + usage.ru_stime + seconds)
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_CPU, (limit, hard))


def _answers(reader: str, data: bytes, wanted: Mapping[str, Any]) -> Iterator[Answer | Unreadable]:
    """One answer to a photo, or to each page of a PDF up to the first that is unreadable."""
    try:
        module = importlib.import_module(reader)
        if is_scan(data):
            yield from _pages(module, data, wanted)
        else:
            yield _read(module, data, wanted)
    except Unreadable as unreadable:
        yield unreadable
    except ModuleNotFoundError:
        yield Unreadable("not-installed", NOT_INSTALLED)
    except MemoryError:
        text = N_("This photo is too large for the memory of this computer. Take a smaller one.")
        yield Unreadable("too-many-pixels", Sentence(text))


def _pages(module: Any, data: bytes, wanted: Mapping[str, Any]) -> Iterator[Answer]:
    for number, (picture, count) in enumerate(pages(data), 1):
        page = _read(module, picture, wanted, _MORE if number == MOST_PAGES < count else ())
        yield replace(page, is_last=number == min(count, MOST_PAGES))


_TEXT: Final = N_(
    "Only the first %(most)s pages of this PDF were read. Send the others in another one."
)
_MORE: Final = (Trouble("more-pages", Sentence(_TEXT, {"most": MOST_PAGES})),)


def _read(
    module: Any, data: bytes, wanted: Mapping[str, Any], more: tuple[Trouble, ...] = ()
) -> Answer:
    reading = module.read(data, pictures=wanted["pictures"])
    reading = replace(reading, troubles=(*reading.troubles, *more))
    # Sheets that were not read, or may be others, are shown, and typed in, beside the photo. Of an
    # unknown table only a person can say whether all of it was found.
    is_asked = any(sheet.unsure_edition or sheet.edition == UNKNOWN for sheet in reading.sheets)
    is_shown = reading.troubles or is_asked or (wanted["keep"] and reading.sheets)
    return Answer(reading, kept_jpeg(data) if is_shown and wanted["pictures"] else None)


def _private_output() -> IO[bytes]:
    """The original standard output, for answers only; prints of libraries go to standard error."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return answers


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:2]))
    except (KeyboardInterrupt, BrokenPipeError):
        sys.exit(1)
    except Exception:
        # For the log of the server; the app shows its own sentence to the sender.
        sys.stderr.write("companion: a photo could not be read\n")
        traceback.print_exc()
        sys.exit(1)
