"""Reads photos in a process of its own, one after another, for as long as somebody asks.

    python -m companion.vision.worker [MODULE]

Asked on standard input and answered on standard output in the frames of `wire`. `MODULE` has
`read(data, pictures=True)`; it is loaded with the first photo. The process gives way to all others
and gets only so much memory; what kills it kills nothing else.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from contextlib import suppress
from typing import IO, Final

from companion.core.words import N_, Sentence
from companion.vision.core import Unreadable
from companion.vision.picture import open_picture
from companion.vision.wire import Answer, Broken, read_exactly, read_frame, write_answer

READER: Final = "companion.vision.reader"
NICENESS: Final = 10
MEMORY: Final = 1536 * 1024 * 1024
"""Bytes of addresses. The libraries alone take 400 MB of them, and fill a fifth; the threads of the
reader take 300 MB more."""
MAX_PHOTO: Final = 64 * 1024 * 1024
"""Bytes. The app and the reader refuse less; this only bounds what is believed here."""


def main(reader: str = READER) -> int:
    asked = sys.stdin.buffer
    with _private_output() as answers:
        _limit()
        while True:
            try:
                request = json.loads(read_frame(asked))
                data = read_exactly(asked, min(int(request["size"]), MAX_PHOTO))
            except Broken:
                return 0
            write_answer(answers, _answer(reader, data, keep=bool(request["keep"])))
            del data


def _answer(reader: str, data: bytes, keep: bool) -> Answer | Unreadable:
    try:
        # What is no photo is refused before OpenCV is loaded.
        open_picture(data)
        module = importlib.import_module(reader)
        if (cv2 := sys.modules.get("cv2")) is not None:
            cv2.setNumThreads(1)
        reading = module.read(data, pictures=True)
        return Answer(reading, _kept(data) if keep and reading.sheets else None)
    except Unreadable as unreadable:
        return unreadable
    except ModuleNotFoundError:
        text = N_(
            "Reading photos is not set up on this computer. Whoever runs the app can install it;"
            " until then the sheets can be typed in."
        )
        return Unreadable("not-installed", Sentence(text))
    except MemoryError:
        text = N_("This photo is too large for the memory of this computer. Take a smaller one.")
        return Unreadable("too-many-pixels", Sentence(text))


def _kept(data: bytes) -> bytes:
    from companion.vision.keeping import kept

    return kept(data)


def _private_output() -> IO[bytes]:
    """Standard output for the answers alone: whatever a library prints goes to standard error."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return answers


def _limit() -> None:
    with suppress(OSError, AttributeError):
        os.nice(NICENESS)
    try:
        import resource
    except ImportError:  # Windows
        return
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        # A dump of it would hold somebody's photo.
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:2]))
    except (KeyboardInterrupt, BrokenPipeError):
        sys.exit(1)
    except Exception as error:
        # One line for who runs the server; the app says a sentence to who sent the photo.
        name, message = type(error).__name__, " ".join(str(error).split())
        sys.stderr.write(f"companion: a photo could not be read ({name}: {message[:200]})\n")
        sys.exit(1)
