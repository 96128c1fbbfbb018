"""A queue of photos and the pool of processes that read them. Nothing here sees pixels.

A photo comes as an open file and goes to its process through a pipe, so no path has to be cleaned
up. A process that takes too long, or whose photo was cancelled, is killed, and the next photo gets
a new process. However this process ends, those that it started end with it.
"""

from __future__ import annotations

import atexit
import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Any, Final, Self, TypeAlias, TypedDict

from companion import children, limits
from companion.children import ChildLimits
from companion.core.words import Sentence
from companion.vision.core import Unreadable
from companion.vision.worker.loop import READER
from companion.vision.worker.wire import Answer, Broken, read_answer, write_frame

LOG: Final = logging.getLogger(__name__)

AT_ONCE: Final = 2
"""Processes in the pool, at a lower priority than the app's own process. Each reads the pads of its
photo in parallel (`reading.AT_ONCE`)."""
SECONDS: Final = 45.0
"""Deadline of a photo, including the start of its process. On a machine that is not busy with other
things, its limit on processor time (`PROCESSOR_SECONDS`) comes first."""
PROCESSOR_SECONDS: Final = 15.0
"""Limit on a photo's processor time, all threads together; the system rounds it up to seconds.

Six sheets take about 1 s on a PC, and five to ten times as long on a small board."""
LIMITS: Final = ChildLimits(memory=1536 * 1024 * 1024)
"""Limits of a reading process. The libraries alone reserve 400 MB of addresses and use a fifth of
it; the reader's threads reserve 300 MB more."""
END_SECONDS: Final = 2.0
"""Limit of the time in which a process that has closed its pipe ends."""
IDLE_SECONDS: Final = 120.0
"""How long an idle process is kept for the next photo; starting one takes a second or two."""
CHUNK: Final = 256 * 1024
"""Bytes that are copied to a process at once."""

SENTENCES: Final[dict[str, Sentence]] = {
    "cancelled": Sentence("The reading of this photo was stopped."),
    "too-slow": Sentence(
        "Reading this photo took too long. Take another one, nearer to the sheets."
    ),
    "crashed": Sentence("This photo could not be read. Take another one."),
}


class Busy(Exception):
    """The queue is full."""


@dataclass(frozen=True)
class Room:
    """Limits of the photos that wait or are being read.

    A network has at most as many of them, and of their bytes, as it leaves free.
    """

    photos: int
    bytes: int
    per_owner: int

    @classmethod
    def of(cls, settings: limits.Limits, times: int = 1) -> Self:
        """The room that an operator allows, multiplied by `times`."""
        return cls(
            settings.waiting_photos * times,
            settings.waiting_photo_bytes * times,
            settings.waiting_photos_per_device,
        )


@dataclass(frozen=True)
class Failed:
    """A photo that was not read."""

    code: str
    """A code of `Unreadable`, or `cancelled`, `too-slow` or `crashed`."""
    sentence: Sentence


Outcome: TypeAlias = Answer | Failed


class Wanted(TypedDict, total=False):
    """Names and editions to look for in a photo, besides the sheets that the app knows."""

    names: Sequence[str]
    """The names that may be printed."""
    editions: Sequence[str]
    """Tables of editions that people have described."""
    describe: Mapping[str, Any]
    """The arguments of `reading.describe`, where that is called in place of `reading.read`."""


@dataclass(eq=False)
class Job:
    """A photo to be read. `file` is closed once the job is done."""

    id: str
    file: IO[bytes]
    size: int
    keep: bool
    """Whether the answer shall include the photo as a JPEG without metadata."""
    pictures: bool = field(default=True, kw_only=True)
    """Whether the answer shall include any picture; without one, nothing of the photo stays."""
    done: Callable[[Outcome], object] = lambda _: None
    """Called once with the outcome, in another thread, unless the pool is closed first."""
    began: Callable[[], Wanted | None] = lambda: None
    """Called in another thread when reading begins; returns what is to be looked for."""
    owner: str = ""
    """The sender; see `Room`."""
    review: str = ""
    """The review to which the photo belongs."""
    network: str = ""
    """The sender's network, which can have many senders; see `Room`."""
    is_cancelled: bool = False
    is_late: bool = False
    """Whether its time limit has passed, so that its process was killed."""
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)


def check_room(held: Sequence[Any], new: Job, room: Room) -> None:
    """Raises `Busy` where a queue has no room for a photo.

    Args:
        held: the photos in the queue, each with `owner`, `network` and `size`.
    """
    near = [other for other in held if other.network == new.network]
    sizes, near_sizes = (sum(other.size for other in jobs) + new.size for jobs in (held, near))
    is_full = (
        len(near) + 1 > room.photos - len(held) - 1
        or near_sizes > room.bytes - sizes
        or sum(other.owner == new.owner for other in near) >= room.per_owner
    )
    if is_full:
        raise Busy


class Readers:
    """A pool of up to `at_once` processes that read photos as they come. Thread-safe."""

    def __init__(
        self,
        reader: str = READER,
        *,
        at_once: int = AT_ONCE,
        room: Room | None = None,
        seconds: float = SECONDS,
        processor_seconds: float = PROCESSOR_SECONDS,
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        self._reader: Final = reader
        self._at_once: Final = at_once
        self._room: Final = room
        self._seconds: Final = seconds
        self._processor_seconds: Final = processor_seconds
        self._idle_seconds: Final = idle_seconds
        self._waiting: Final[list[Job]] = []
        self._running: Final[set[Job]] = set()
        self._threads = 0
        self._free = 0
        """The number of threads that wait for a photo."""
        self._is_closed = False
        self.observer: Callable[[str, float], None] | None = None
        """Called with "read" or the code of a failure, and the seconds that a photo took."""
        self._changed: Final = threading.Condition()
        atexit.register(self.close)

    @property
    def waiting(self) -> int:
        """The number of photos that wait."""
        with self._changed:
            return len(self._waiting)

    @property
    def reading(self) -> int:
        """The number of photos that are being read."""
        with self._changed:
            return len(self._running)

    @property
    def readers(self) -> int:
        """The number of photos that can be read at a time."""
        return self._at_once

    def submit(self, job: Job) -> None:
        """Queues a photo; raises `Busy` if the queue is closed, or has no room for this sender."""
        with self._changed:
            if self._is_closed:
                raise Busy
            if self._room is not None:
                check_room((*self._waiting, *self._running), job, self._room)
            self._waiting.append(job)
            if len(self._waiting) > self._free and self._threads < self._at_once:
                self._threads += 1
                threading.Thread(target=self._work, name="photos", daemon=True).start()
            self._changed.notify()

    def cancel(self, job_id: str) -> bool:
        """Stops reading a photo, or skips it in the queue; False if there is no such job."""
        with self._changed:
            for job in (*self._waiting, *self._running):
                if job.id == job_id:
                    job.is_cancelled = True
                    _kill(job)
                    return True
        return False

    def has(self, job_id: str) -> bool:
        """Whether a photo is waiting or being read."""
        with self._changed:
            return any(job.id == job_id for job in (*self._waiting, *self._running))

    def close(self) -> None:
        """Kills all processes and drops all waiting photos; also called when this process exits."""
        atexit.unregister(self.close)
        with self._changed:
            self._is_closed = True
            for job in self._waiting:
                job.file.close()
            self._waiting.clear()
            for job in self._running:
                job.is_cancelled = True
                _kill(job)
            self._changed.notify_all()

    def _work(self) -> None:
        """Runs in a thread: reads photos with a process until none has come for a while."""
        process: subprocess.Popen[bytes] | None = None
        try:
            while (job := self._next()) is not None:
                outcome: Outcome = Failed("crashed", SENTENCES["crashed"])
                began = time.perf_counter()
                try:
                    if process is None or process.poll() is not None:
                        _end(process)
                        process = None
                        process = self._start_process()
                    outcome = self._read(job, process)
                except OSError:
                    pass  # no process could be started
                finally:
                    job.file.close()
                    is_failed = isinstance(outcome, Failed) and outcome.code in SENTENCES
                    if is_failed or job.is_late or self._is_unwanted(job):
                        # Killed even after its answer, because whatever it still writes would be
                        # taken for the answer to the next photo.
                        _end(process)
                        process = None
                    self._observe(outcome, time.perf_counter() - began)
                    # Reported before the job is removed: who misses it here finds its outcome.
                    self._notify(partial(job.done, outcome))
                    with self._changed:
                        self._running.discard(job)
        finally:
            _end(process)

    def _observe(self, outcome: Outcome, seconds: float) -> None:
        if self.observer is not None:
            self.observer(outcome.code if isinstance(outcome, Failed) else "read", seconds)

    def _is_unwanted(self, job: Job) -> bool:
        with self._changed:
            return job.is_cancelled

    def _notify(self, callback: Callable[[], object]) -> None:
        """Calls back unless the pool is closed; errors are logged."""
        if self._is_closed:
            return
        try:
            callback()
        except Exception:
            # For example, the database may be gone. The next photo must be read all the same.
            LOG.exception("the progress of a photo could not be recorded")

    def _next(self) -> Job | None:
        """The next photo; None if none has come for so long that the thread may end."""
        with self._changed:
            self._free += 1
            self._changed.wait_for(lambda: self._waiting or self._is_closed, self._idle_seconds)
            self._free -= 1
            if not self._waiting:
                self._threads -= 1
                return None
            job = self._waiting.pop(0)
            self._running.add(job)
            return job

    def _start_process(self) -> subprocess.Popen[bytes]:
        return children.start(
            [sys.executable, "-m", "companion.vision.worker.loop", self._reader],
            LIMITS,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if sys.stderr else subprocess.DEVNULL,
            cwd=Path(__file__).resolve().parents[3],
            env=os.environ | LIBRARY_THREADS,
        )

    def _read(self, job: Job, process: subprocess.Popen[bytes]) -> Outcome:
        with self._changed:
            if job.is_cancelled:
                return Failed("cancelled", SENTENCES["cancelled"])
            job.process = process
        wanted = Wanted(names=(), editions=())
        self._notify(lambda: wanted.update(job.began() or {}))

        def stop() -> None:
            job.is_late = True
            children.kill(process)

        timer = threading.Timer(self._seconds, stop)
        timer.daemon = True
        timer.start()
        try:
            return _exchange(job, process, self._processor_seconds, wanted)
        except Unreadable as unreadable:
            return Failed(unreadable.code, unreadable.sentence)
        except (Broken, OSError, ValueError):
            if self._is_unwanted(job):
                return Failed("cancelled", SENTENCES["cancelled"])
            code = "too-slow" if job.is_late or _is_out_of_time(process) else "crashed"
            return Failed(code, SENTENCES[code])
        finally:
            timer.cancel()
            timer.join()  # it may be running already
            with self._changed:
                job.process = None


LIBRARY_THREADS: Final = {
    "OPENCV_FOR_THREADS_NUM": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
"""Keeps the libraries from starting threads of their own; the reader runs pads in parallel."""


def _exchange(job: Job, process: subprocess.Popen[bytes], seconds: float, wanted: Wanted) -> Answer:
    """Sends a photo to a process and returns its answer; raises as `read_answer`.

    Args:
        seconds: limit on the photo's processor time.
    """
    assert process.stdin is not None  # noqa: S101 - for the type checker
    assert process.stdout is not None  # noqa: S101
    request = {
        "size": job.size,
        "keep": job.keep,
        "pictures": job.pictures,
        "seconds": seconds,
        **wanted,
    }
    write_frame(process.stdin, json.dumps(request).encode())
    while chunk := job.file.read(CHUNK):
        process.stdin.write(chunk)
    process.stdin.flush()
    return read_answer(process.stdout)


def _is_out_of_time(process: subprocess.Popen[bytes]) -> bool:
    """Whether a process that has closed its pipe was ended for its use of processor time."""
    with suppress(subprocess.TimeoutExpired):
        return process.wait(END_SECONDS) == -getattr(signal, "SIGXCPU", 0)
    return False


def _kill(job: Job) -> None:
    if job.process is not None:
        children.kill(job.process)


def _end(process: subprocess.Popen[bytes] | None) -> None:
    if process is not None:
        children.end(process)
