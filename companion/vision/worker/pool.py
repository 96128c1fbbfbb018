"""A queue of photos and the pool of processes that read them. Nothing here sees pixels.

A photo comes as an open file and goes to its process through a pipe, so no path has to be cleaned
up. A process that takes too long, whose photo was cancelled, or which has read a PDF, is killed,
and the next photo gets a new process. However this process ends, those that it started end with it.
"""

from __future__ import annotations

import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from pathlib import Path
from typing import IO, Any, Final, TypeAlias

from companion import children
from companion.children import ChildLimits
from companion.core.words import N_, Sentence
from companion.limits import USUAL, Limits
from companion.vision import core
from companion.vision.core import Trouble, Unreadable
from companion.vision.pictures.scans import HEAD_BYTES, MOST_PAGES, is_scan
from companion.vision.worker.loop import READER
from companion.vision.worker.wire import Answer, Broken, read_answer, write_line

LOG: Final = logging.getLogger(__name__)

# Processes in the pool, at a lower priority than the app's own process. Each reads the pads of its
# photo in parallel (`reading.AT_ONCE`).
AT_ONCE: Final = 2
# Deadline of a photo, or of each page of a PDF. On a machine that is not busy with other things,
# its limit on processor time (`PROCESSOR_SECONDS`) comes first.
SECONDS: Final = 20.0
# Added for the first photo of a new process, which starts and loads its libraries then
START_SECONDS: Final = 25.0
# Limit on the processor time of a photo or page, all threads together, rounded up to seconds. Six
# sheets take about 1 s on a PC, and five to ten times as long on a small board.
PROCESSOR_SECONDS: Final = 15.0
# Limits of a reading process. The libraries alone reserve 400 MB of addresses and use a fifth of
# it; the reader's threads reserve 300 MB more.
LIMITS: Final = ChildLimits(memory=1536 * 1024 * 1024)
END_SECONDS: Final = 2.0  # limit of the time in which a process that has closed its pipe ends
IDLE_SECONDS: Final = 120.0
# Keeps the libraries from starting threads of their own; the reader runs pads in parallel
LIBRARY_THREADS: Final = {
    "OPENCV_FOR_THREADS_NUM": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
STRANGERS: Final = 1_000_000  # the first turn of strangers' photos, which are read after all others


class Busy(Exception):
    """The queue is full."""


@dataclass(frozen=True)
class Failed:
    """A photo that was not read."""

    code: str  # a code of `Unreadable`, or `cancelled`, `too-slow` or `crashed`
    sentence: Sentence


CANCELLED: Final = Failed("cancelled", Sentence("The reading of this photo was stopped."))
TOO_SLOW: Final = Failed(
    "too-slow",
    Sentence("Reading this photo took too long. Take another one, closer to the sheets."),
)
CRASHED: Final = Failed(core.CRASHED.code, core.CRASHED.sentence)
_FROM_PAGE: Final = N_(
    "This PDF could not be read from page %(page)s on."
    " Send those pages in another one, or take photos of them."
)

Outcome: TypeAlias = Answer | Failed


@dataclass(eq=False)
class Job:
    """A photo to be read. `file` is closed once the job is done."""

    id: str
    file: IO[bytes]
    size: int
    keep: bool  # whether the answer shall include the photo as a JPEG without metadata
    # Whether the answer shall include any picture; without one, nothing of the photo stays
    pictures: bool = field(default=True, kw_only=True)
    # Called once with the outcome, in another thread, unless the pool is closed first
    done: Callable[[Outcome], object] = lambda _: None
    began: Callable[[], object] = lambda: None
    owner: str = ""  # the device that sent it
    network: str = field(default="", kw_only=True)  # the address that sent it; of IPv6, its network
    # Whether the device is at no table and has no saved games, as with any new cookie
    is_stranger: bool = field(default=False, kw_only=True)
    review: str = ""
    turn: int = field(default=0, kw_only=True)  # its turn, see `turn_of`; set when it is queued
    # The reason for which its process was killed
    stopped: Failed | None = field(default=None, kw_only=True)
    process: subprocess.Popen[bytes] | None = field(default=None, kw_only=True, repr=False)


def turn_of(held: Sequence[Any], new: Job, limits: Limits) -> int:
    """The turn of a photo; lower turns are read first, photos of one turn in the order they came.

    Addresses take turns, and so do the devices at an address. For example, Ada sends two photos,
    which get turns 0 and 1. Ben, at the same address, sends one: it gets turn 1, and Ada's second
    moves on to turn 2 (see `behind`). Cleo, at another address, sends one: it gets turn 0, and is
    read after Ada's first.

    Args:
        held: the photos that wait or are being read, with `owner`, `network`, `size` and `turn`.

    Raises:
        Busy: the queue has no room for it.
    """
    # Strangers wait in turns of their own.
    alike = [other for other in held if (other.turn >= STRANGERS) == new.is_stranger]
    own: list[int] = [other.turn + 1 for other in alike if other.owner == new.owner]
    beside = Counter(other.owner for other in alike if other.network == new.network)
    del beside[new.owner]
    sent = len(own) + (beside.total() if new.is_stranger else 0)
    share = 3 / 4 if new.is_stranger else 1  # so that others find room beside strangers
    is_full = (
        len(held) >= limits.waiting_photos * share
        or sum(other.size for other in held) + new.size > limits.waiting_photo_bytes * share
        or sent >= limits.waiting_photos_per_device
    )
    if is_full:
        raise Busy
    now = min([other.turn for other in alike], default=STRANGERS if new.is_stranger else 0)
    # Each other device at the address goes first with one photo more than this one has waiting.
    before = sum(min(count, len(own) + 1) for count in beside.values())
    return max([now + len(own) + before, *own])


def behind(held: Sequence[Any], new: Job) -> list[Any]:
    """The photos of the same address that a photo precedes; each of them waits one more turn."""
    end = inf if new.is_stranger else STRANGERS
    return [each for each in held if each.network == new.network and new.turn <= each.turn < end]


class Readers:
    """A pool of up to `at_once` processes that read photos as they come. Thread-safe."""

    def __init__(
        self,
        reader: str = READER,
        *,
        at_once: int = AT_ONCE,
        limits: Limits = USUAL,
        seconds: float = SECONDS,
        processor_seconds: float = PROCESSOR_SECONDS,
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        self._reader: Final = reader
        self._at_once: Final = at_once
        self._limits: Final = limits
        self._seconds: Final = seconds
        self._processor_seconds: Final = processor_seconds
        self._idle_seconds: Final = idle_seconds
        self._waiting: Final[list[Job]] = []
        self._running: Final[set[Job]] = set()
        self._threads = 0
        self._free = 0  # the number of threads that wait for a photo
        self._is_closed = False
        self._changed: Final = threading.Condition()

    def submit(self, job: Job) -> None:
        """Queues a photo; raises `Busy` if the queue is closed, or has no room for this sender."""
        with self._changed:
            if self._is_closed:
                raise Busy
            held = (*self._waiting, *self._running)
            job.turn = turn_of(held, job, self._limits)
            for later in behind(held, job):
                later.turn += 1
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
                    self._stop(job, CANCELLED)
                    return True
        return False

    def has(self, job_id: str) -> bool:
        with self._changed:
            return any(job.id == job_id for job in (*self._waiting, *self._running))

    def close(self) -> None:
        """Kills all processes and drops all waiting photos."""
        with self._changed:
            self._is_closed = True
            for job in self._waiting:
                job.file.close()
            self._waiting.clear()
            for job in self._running:
                self._stop(job, CANCELLED)
            self._changed.notify_all()

    def _stop(self, job: Job, why: Failed) -> None:
        with self._changed:
            job.stopped = job.stopped or why
            if job.process is not None:
                children.kill(job.process)

    def _work(self) -> None:
        """Runs in a thread: reads photos with a process until none has come for a while."""
        process: subprocess.Popen[bytes] | None = None
        try:
            while (job := self._next()) is not None:
                outcome: Outcome = CRASHED
                is_pdf = False
                try:
                    is_pdf = is_scan(job.file.read(HEAD_BYTES))
                    job.file.seek(0)
                    seconds = self._seconds
                    if process is None or process.poll() is not None:
                        _end(process)
                        process = None
                        process = self._start_process()
                        seconds += START_SECONDS
                    outcome = self._read(job, process, seconds, is_pdf)
                except (OSError, RuntimeError, ValueError):
                    # No process or no thread could be started, or the file is closed.
                    LOG.warning("a photo could not be handed to a reader", exc_info=True)
                job.file.close()
                if job.stopped or is_pdf:
                    # Killed even after its answer, because whatever it still writes would be
                    # taken for the answer to the next photo; and a hostile PDF ends with it.
                    _end(process)
                    process = None
                # Reported before the job is removed: who misses it here finds its outcome.
                self._notify(partial(job.done, outcome))
                with self._changed:
                    self._running.discard(job)
        finally:
            _end(process)

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
            job = min(self._waiting, key=lambda waiting: waiting.turn)
            self._waiting.remove(job)
            self._running.add(job)
            return job

    def _start_process(self) -> subprocess.Popen[bytes]:
        return children.start(
            [sys.executable, "-m", "companion.vision.worker.loop", self._reader],
            LIMITS,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=Path(__file__).resolve().parents[3],
            env=os.environ | LIBRARY_THREADS,
        )

    def _read(
        self, job: Job, process: subprocess.Popen[bytes], seconds: float, is_pdf: bool
    ) -> Outcome:
        """Reads a file; notes in `stopped` why its process cannot read another one.

        What was read of a PDF's pages is kept when a later one fails.

        Args:
            seconds: deadline of its first page; the others have the usual one.
        """
        with self._changed:
            if job.stopped:
                return job.stopped
            job.process = process
        self._notify(job.began)
        read: list[Answer] = []
        try:
            with self._deadline(job, seconds):
                answers = _send(job, process, self._processor_seconds)
                read.append(read_answer(answers))
            while not read[-1].is_last and len(read) < MOST_PAGES:
                with self._deadline(job, self._seconds):
                    read.append(read_answer(answers))
            return replace(read[0], further=tuple(read[1:]))
        except Unreadable as unreadable:
            failed = Failed(unreadable.code, unreadable.sentence)
        except (Broken, OSError, ValueError):
            job.stopped = job.stopped or (TOO_SLOW if _is_out_of_time(process) else CRASHED)
            failed = job.stopped
            if is_pdf and failed != CANCELLED:
                failed = replace(failed, sentence=Sentence(_FROM_PAGE, {"page": len(read) + 1}))
        finally:
            with self._changed:
                job.process = None
        return failed if failed == CANCELLED or not read else _as_far(read, failed)

    @contextmanager
    def _deadline(self, job: Job, seconds: float) -> Iterator[None]:
        """Kills the process of a job that takes longer than this."""
        timer = threading.Timer(seconds, self._stop, (job, TOO_SLOW))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()


def _send(job: Job, process: subprocess.Popen[bytes], seconds: float) -> IO[bytes]:
    """Sends a file to a process and returns the stream of its answers.

    Args:
        seconds: limit on the processor time of each page.
    """
    assert process.stdin and process.stdout  # noqa: S101 - for the type checker
    request = {"size": job.size, "keep": job.keep, "pictures": job.pictures, "seconds": seconds}
    write_line(process.stdin, request)
    shutil.copyfileobj(job.file, process.stdin)
    process.stdin.flush()
    return process.stdout


def _as_far(read: list[Answer], failed: Failed) -> Answer:
    """The pages that were read; the last one says why no others were."""
    reading = read[-1].reading
    troubles = (*reading.troubles, Trouble(failed.code, failed.sentence))
    read[-1] = replace(read[-1], reading=replace(reading, troubles=troubles))
    return replace(read[0], further=tuple(read[1:]))


def _is_out_of_time(process: subprocess.Popen[bytes]) -> bool:
    """Whether a process that has closed its pipe was ended for its use of processor time."""
    with suppress(subprocess.TimeoutExpired):
        return process.wait(END_SECONDS) == -getattr(signal, "SIGXCPU", 0)
    return False


def _end(process: subprocess.Popen[bytes] | None) -> None:
    if process is not None:
        children.end(process)
