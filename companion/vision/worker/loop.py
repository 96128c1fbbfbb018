"""Reads photos in a process of its own, one after another, until standard input ends.

    python -m companion.vision.worker.loop [MODULE [PARENT]]

Requests come on standard input and answers go to standard output, both in the frames of `wire`.
`MODULE` provides `read(data, pictures=True)` and is loaded with the first photo. The process has a
low priority and limits on its memory and on the processor time of each photo; a photo that crashes
it harms nothing else. On Linux the system ends it together with `PARENT`, the process that started
it; elsewhere it finishes its photo first.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import math
import os
import signal
import sys
from contextlib import suppress
from typing import IO, Final

from companion.core.words import N_, Sentence
from companion.vision.core import Unreadable
from companion.vision.pictures.picture import kept_jpeg, open_picture
from companion.vision.worker.wire import Answer, Broken, read_exactly, read_frame, write_answer

READER: Final = "companion.vision.reader"
"""The module that reads photos unless another one is named."""
NICENESS: Final = 10
"""How far the process lowers its priority; see nice(2)."""
MEMORY: Final = 1536 * 1024 * 1024
"""Limit on the address space in bytes.

The libraries alone reserve 400 MB and use a fifth of it; the reader's threads reserve 300 MB more.
"""
PROCESSOR_SECONDS: Final = 15.0
"""Limit on a photo's processor time, all threads together; the system rounds it up to seconds.

Six sheets take about 1 s on a PC, and five to ten times as long on a small board."""
MAX_PHOTO: Final = 64 * 1024 * 1024
"""Bytes of a photo. The app and the reader have lower limits; this one only guards the pipe."""


def main(reader: str = READER, parent: str = "") -> int:
    """Answers requests until standard input ends; returns the exit status."""
    requests = sys.stdin.buffer
    with _private_output() as answers:
        _limit()
        _die_with_parent()
        if parent and os.getppid() != int(parent):
            return 1  # it ended before the system was told
        while True:
            try:
                request = json.loads(read_frame(requests))
                data = read_exactly(requests, min(int(request["size"]), MAX_PHOTO))
            except Broken:
                return 0
            _limit_processor_time(float(request.get("seconds", PROCESSOR_SECONDS)))
            write_answer(answers, _answer(reader, data, keep=bool(request["keep"])))
            del data


def _answer(reader: str, data: bytes, keep: bool) -> Answer | Unreadable:
    try:
        # Refuses files that are not photos before OpenCV is loaded.
        open_picture(data)
        module = importlib.import_module(reader)
        if (cv2 := sys.modules.get("cv2")) is not None:
            cv2.setNumThreads(1)
        reading = module.read(data, pictures=True)
        # Sheets that were not read are shown, and typed in, beside the photo.
        is_shown = bool(reading.troubles) or (keep and bool(reading.sheets))
        return Answer(reading, kept_jpeg(data) if is_shown else None)
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


def _private_output() -> IO[bytes]:
    """The original standard output, for answers only; prints of libraries go to standard error."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return answers


def _limit() -> None:
    """Lowers the priority and limits the memory of this process, where the system allows it."""
    with suppress(OSError, AttributeError):
        os.nice(NICENESS)
    try:
        import resource
    except ImportError:  # Windows
        return
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        # A core dump would contain the photo.
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _limit_processor_time(seconds: float) -> None:
    """Has the system end this process once it has used so much more processor time.

    The limit lies here, because the server's own deadline ends with the server.
    """
    try:
        import resource
    except ImportError:  # Windows
        return
    usage = resource.getrusage(resource.RUSAGE_SELF)
    limit = math.ceil(usage.ru_utime + usage.ru_stime + seconds)
    # The hard limit stays: it could not be raised again for the next photo.
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (limit, hard))


PR_SET_PDEATHSIG: Final = 1
"""An option of prctl(2)."""


def _die_with_parent() -> None:
    """Has Linux kill this process when the thread that started it ends, however it does."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:3]))
    except (KeyboardInterrupt, BrokenPipeError):
        sys.exit(1)
    except Exception as error:
        # One line for the log of the server; the app shows its own sentence to the sender.
        name, message = type(error).__name__, " ".join(str(error).split())
        sys.stderr.write(f"companion: a photo could not be read ({name}: {message[:200]})\n")
        sys.exit(1)
