"""Photos are read in processes of their own: what comes back, what ends them, and who waits."""

from __future__ import annotations

import io
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from companion.core.words import Sentence, Word
from companion.games.catalog import SHEETS
from companion.limits import USUAL
from companion.vision.core import FieldReading, PhotoReading, SheetReading, Trouble, Unreadable
from companion.vision.pictures.scans import PAGE_SIDE
from companion.vision.worker import wire
from companion.vision.worker.pool import Busy, Failed, Job, Outcome, Readers, behind, turn_of
from companion.vision.worker.wire import Answer, Broken
from lab.patience import PATIENCE, until
from lab.photos import standin


class Reading:
    """A photo that was sent, as a file or as a width for the stand-in, and its outcome."""

    def __init__(
        self, readers: Readers, photo: int | bytes, name: str = "a", owner: str = ""
    ) -> None:
        data = standin.picture(photo) if isinstance(photo, int) else photo
        self.outcomes: list[Outcome] = []
        self.file = io.BytesIO(data)
        self.is_done, self.is_begun = threading.Event(), threading.Event()
        job = Job(name, self.file, len(data), False, self._note, self.is_begun.set, owner)
        readers.submit(job)

    def _note(self, outcome: Outcome) -> None:
        self.outcomes.append(outcome)
        self.is_done.set()

    def begun(self) -> None:
        assert self.is_begun.wait(PATIENCE)

    def outcome(self) -> Outcome:
        assert self.is_done.wait(PATIENCE)
        (outcome,) = self.outcomes
        return outcome

    def code(self) -> str:
        """The code of the refusal."""
        outcome = self.outcome()
        assert isinstance(outcome, Failed)
        assert outcome.sentence.text.endswith(".")
        return outcome.code

    def answer(self) -> Answer:
        outcome = self.outcome()
        assert isinstance(outcome, Answer), outcome
        return outcome


Start = Callable[..., Readers]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts readers with one process at a time, unless more are asked for."""
    made: list[Readers] = []

    def started(**more: Any) -> Readers:
        values = {"at_once": 1, "seconds": PATIENCE, **more}
        made.append(Readers("lab.photos.standin", **values))
        return made[-1]

    yield started
    for readers in made:
        readers.close()


def test_a_photo_comes_back_as_it_was_read(start: Start) -> None:
    reading = Reading(start(), standin.TWO).answer().reading
    assert reading == standin.read(standin.picture(standin.TWO), pictures=True)
    assert all(sheet.flat and sheet.flat[:3] == b"\xff\xd8\xff" for sheet in reading.sheets)


def test_the_next_photo_is_read_after_any_failure(
    start: Start, caplog: pytest.LogCaptureFixture
) -> None:
    """Too little memory, a missing library, what no reader can open or write down, a crash."""

    def gone() -> None:
        raise RuntimeError("no database")

    readers = start()
    for photo, code in (
        (standin.GREEDY, "too-many-pixels"),
        (standin.BARE, "not-installed"),
        (b"", "empty"),
        (b"no picture", "not-an-image"),
        (b"\xff\xd8\xff\xe0 broken", "truncated"),
        (b"%PDF-1.7 x", "damaged"),
        (standin.scan(standin.CRASH, standin.NOTHING), "crashed"),
    ):
        assert Reading(readers, photo).code() == code
    assert Reading(readers, standin.NOISY).answer()
    nothing = standin.picture(standin.NOTHING)
    readers.submit(Job("b", io.BytesIO(nothing), len(nothing), False, lambda _: gone(), gone))
    assert Reading(readers, standin.NOTHING).answer()
    assert "could not be recorded" in caplog.text


def test_a_photo_may_take_only_so_long(start: Start) -> None:
    readers = start(seconds=1.0)
    Reading(readers, standin.NOTHING).outcome()  # a new process has more time for its first photo
    assert Reading(readers, standin.SLOW).code() == "too-slow"


def test_the_pages_of_a_scan_are_read_as_photos_and_their_process_ends(start: Start) -> None:
    widths = (standin.ONE, *[standin.NOTHING] * 10)
    readers = start()
    answer = Reading(readers, standin.scan(*widths)).answer()
    pages = [answer, *answer.further]
    assert [len(page.reading.sheets) for page in pages] == [1, *[0] * 9]
    assert [page.reading.size for page in pages] == [(width, PAGE_SIDE) for width in widths[:-1]]
    assert [bool(page.kept) for page in pages] == [False, *[True] * 9]
    trouble = pages[-1].reading.troubles[-1]
    assert (trouble.code, trouble.sentence.values) == ("more-pages", {"most": 10})
    assert until(lambda: not children())
    assert Reading(readers, standin.NOTHING).answer()


@pytest.mark.parametrize(
    ("width", "code"),
    [
        (standin.SLOW, "too-slow"),
        (standin.SPINNING, "too-slow"),
        (standin.CRASH, "crashed"),
        (standin.GREEDY, "too-many-pixels"),
    ],
)
def test_pages_of_a_scan_are_kept_when_a_later_one_fails(
    start: Start, width: int, code: str
) -> None:
    seconds = {standin.SLOW: 1.0}.get(width, PATIENCE)
    scan = standin.scan(standin.ONE, width, standin.ONE)
    answer = Reading(start(seconds=seconds, processor_seconds=2.0), scan).answer()
    (trouble,) = answer.reading.troubles
    assert (len(answer.reading.sheets), answer.further, trouble.code) == (1, (), code)
    if width != standin.GREEDY:
        assert trouble.sentence.values == {"page": 2}


def test_a_reading_can_be_stopped(start: Start) -> None:
    readers = start()
    slow = Reading(readers, standin.SLOW, "slow")
    waiting = Reading(readers, standin.SLOW, "waiting")
    slow.begun()
    assert readers.has("slow")
    assert readers.cancel("waiting")
    assert readers.cancel("slow")
    assert slow.code() == waiting.code() == "cancelled"
    assert Reading(readers, standin.NOTHING).answer()
    assert not readers.cancel("slow")


def test_a_photo_may_use_only_so_much_processor_time(start: Start) -> None:
    """The reading process has the limit itself, so it holds even if nobody watches it."""
    readers = start(processor_seconds=1.0)
    assert Reading(readers, standin.SPINNING).code() == "too-slow"
    # A process that is kept has used time for earlier photos.
    for _ in range(3):
        assert Reading(readers, standin.NOTHING).answer()
    assert len(children()) == 1


def test_readers_end_with_the_app() -> None:
    app = subprocess.Popen([sys.executable, "-c", SENDING], stdout=subprocess.PIPE, text=True)
    assert app.stdout is not None
    worker = int(app.stdout.readline())
    assert _is_worker(worker)
    app.kill()
    app.wait(PATIENCE)
    app.stdout.close()
    assert until(lambda: not _is_worker(worker))


SENDING = """
import io, time
from companion.vision.worker.pool import Job, Readers
from lab.photos import standin
from tests.vision.worker.test_pool import children

readers = Readers("lab.photos.standin", seconds=1e6, processor_seconds=1e6)
photo = standin.picture(standin.SPINNING)
begun = []
readers.submit(Job("a", io.BytesIO(photo), len(photo), False, print, lambda: begun.append(1)))
while not begun or not children():
    time.sleep(0.01)
time.sleep(0.5)  # it has begun to spin
print(*children(), flush=True)
time.sleep(1e6)
"""
"""Starts a reading that never ends, and prints the id of its process."""


def test_devices_take_turns(start: Start) -> None:
    """However many photos Ada sends, each photo of Ben's waits for only one of hers."""
    readers = start()
    photo = standin.picture(standin.NOTHING)
    order: list[str] = []
    Reading(readers, standin.SLOW, "held", "Ada").begun()
    for name, owner in (("a1", "Ada"), ("a2", "Ada"), ("b1", "Ben"), ("a3", "Ada"), ("b2", "Ben")):
        job = Job(name, io.BytesIO(photo), len(photo), False, owner=owner)
        job.began = partial(order.append, name)
        readers.submit(job)
    readers.cancel("held")
    assert until(lambda: order == ["b1", "a1", "b2", "a2", "a3"])


def small(owner: str, network: str = "", *, size: int = 1, **more: Any) -> Job:
    return Job("", io.BytesIO(), size, False, owner=owner, network=network or owner, **more)


def test_later_photos_join_the_turn_that_is_being_read() -> None:
    """So a device that keeps sending does not delay the earlier photos of others."""
    held = [small("Ada", turn=turn) for turn in range(5, 8)]
    assert turn_of(held, small("Ada"), USUAL) == 8
    assert turn_of(held, small("Ben"), USUAL) == 5
    assert turn_of([], small("Ben"), USUAL) == 0


@pytest.mark.parametrize(
    ("sent", "order"),
    [
        # However many cookies an address has, others wait for only one of its photos.
        ([*(f"{number}@evil" for number in range(20)), "Ada@home", "Ben@home"],
         ["0@evil", "Ada@home", "1@evil", "Ben@home"]),
        # At one address a device waits for one photo of each other device.
        (["Ada@club", "Ada@club", "Ada@club", "Ben@club", "Cleo@club", "Ben@club"],
         ["Ada@club", "Ben@club", "Cleo@club", "Ada@club", "Ben@club", "Ada@club"]),
        # A device changes its address: a phone leaves the Wi-Fi for its mobile network.
        (["Ada@home", "Ada@mobile", "Ben@home"], ["Ada@home", "Ada@mobile", "Ben@home"]),
        # Devices that play here go before strangers.
        (["?Eve@a", "?Fay@b", "Ada@home", "Ada@home"], ["Ada@home", "Ada@home", "?Eve@a"]),
    ],
    ids=["cookies", "club", "moved", "strangers"],
)  # fmt: skip
def test_addresses_and_then_devices_take_turns(sent: list[str], order: list[str]) -> None:
    held: list[tuple[str, Job]] = []
    for name in sent:
        job = small(*name.split("@"), is_stranger=name.startswith("?"))
        there = [other for _, other in held]
        job.turn = turn_of(there, job, USUAL)
        for later in behind(there, job):
            later.turn += 1
        held.append((name, job))
    assert [name for name, _ in sorted(held, key=lambda pair: pair[1].turn)][: len(order)] == order


def test_a_queue_limits_each_sender_and_all_of_them_together() -> None:
    limits = replace(USUAL, waiting_photos=4, waiting_photo_bytes=1000, waiting_photos_per_device=2)
    held: list[Job] = []

    def fits(owner: str, size: int = 10, network: str = "") -> bool:
        job = small(owner, network, size=size, is_stranger=bool(network))
        try:
            job.turn = turn_of(held, job, limits)
        except Busy:
            return False
        held.append(job)
        return True

    assert [fits("Ada") for _ in range(3)] == [True, True, False]
    assert [fits("Ben", size) for size in (981, 980)] == [False, True]
    assert not fits("Cleo", 1)
    held.pop()
    assert [fits(name) for name in ("Cleo", "Dan", "Eve")] == [True, True, False]
    # All strangers at an address have the room of one device; a quarter is kept for others.
    held.clear()
    assert [fits(name, network="a") for name in ("?1", "?2", "?3")] == [True, True, False]
    assert [fits(name, network="b") for name in ("?4", "?5")] == [True, False]
    assert [fits("Ada"), fits("Ben")] == [True, False]


def test_two_are_read_at_once_and_closing_leaves_nothing_behind(start: Start) -> None:
    files = open_files()
    readers = start(at_once=2, limits=replace(USUAL, waiting_photos=3))
    readings = [Reading(readers, standin.SLOW, str(number)) for number in range(3)]
    for reading in readings[:2]:
        reading.begun()
    assert until(lambda: len(children()) == 2)
    assert not readings[2].is_begun.is_set()
    with pytest.raises(Busy):
        Reading(readers, standin.SLOW, "one too many")
    readers.close()
    assert until(lambda: not children() and all(reading.file.closed for reading in readings))
    assert until(lambda: open_files() <= files)
    with pytest.raises(Busy):
        Reading(readers, b"x", "late")


def test_an_idle_process_ends_and_no_file_stays_open(start: Start) -> None:
    files = open_files()
    readers = start(idle_seconds=0.2)
    for photo in (standin.NOTHING, standin.CRASH, standin.NOTHING):
        Reading(readers, photo).outcome()
    assert until(lambda: not children() and open_files() <= files)
    assert Reading(readers, standin.NOTHING).answer()


def test_sentences_survive_the_protocol() -> None:
    inner = Sentence("%(color)s", {"color": Word("orange")})
    sentence = Sentence("%(a)s %(b)s %(c)s", {"a": inner, "b": (Word("x"), "y"), "c": 3})
    trouble = Trouble("dark", sentence, ((0, 0), (1, 0), (1, 1), (0, 1)), "encore")
    assert wire.trouble_of(wire.trouble_document(trouble)) == trouble
    with pytest.raises(Unreadable) as raised:
        on_the_way(Unreadable("damaged", sentence))
    assert raised.value.sentence == sentence


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b'{"reading"',
        b"null\n",
        b"{}\n",
        b"\xff\n",
        b"[" * 100_000 + b"\n",
        b'{"unreadable": "a", "sentence": []}\n',
        b'{"table": "", "kept": "x", "reading": {}}\n',
    ],
)
def test_an_invalid_answer_is_broken(raw: bytes) -> None:
    with pytest.raises(Broken):
        wire.read_answer(io.BytesIO(raw))


WRITTEN = {"sum.total": FieldReading(43, 0.9, ((48, 0.06),))}


def qwinto(**changes: Any) -> SheetReading:
    return replace(standin.empty_sheet("qwinto", ""), **changes)


def photo(sheet: SheetReading) -> PhotoReading:
    return PhotoReading((sheet,), (), (200, 120), 0.01)


def on_the_way(answer: Answer | Unreadable) -> Answer:
    stream = io.BytesIO()
    wire.write_answer(stream, answer)
    stream.seek(0)
    return wire.read_answer(stream)


@pytest.mark.every_game
def test_a_reading_survives_the_protocol() -> None:
    empty = [standin.empty_sheet(name, kind.usual_board) for name, kind in SHEETS.items()]
    nsv = qwinto(edition="nsv", written=WRITTEN, by_sums=("orange.1",))
    widths = (standin.TWO, standin.ENCORE, standin.TALLY)
    shown = [standin.read(standin.picture(width)) for width in widths]
    for reading in (*map(photo, (*empty, nsv)), *shown):
        answer = Answer(reading, b"kept")
        assert on_the_way(answer) == answer


def test_an_unknown_edition_or_mark_is_broken() -> None:
    fields, marks, editions = qwinto().fields, ([1], {"a": 1}, 1.5), ("unheard-of", 3, None, [])
    wrong = [qwinto(edition=edition) for edition in editions]
    wrong += [
        qwinto(fields={**fields, "orange.1": FieldReading(mark, 0.9)})  # type: ignore[arg-type]
        for mark in marks
    ]
    for sheet in wrong:
        with pytest.raises(Broken):
            on_the_way(Answer(photo(sheet)))


_BEFORE: set[int] = set()  # the workers that other tests in this process still use


@pytest.fixture(autouse=True)
def _only_own_workers() -> None:
    _BEFORE.clear()
    _BEFORE.update(children())


def children() -> list[int]:
    """The workers that this process has started for this test and that have not ended."""
    found: list[int] = []
    for task in Path("/proc/self/task").iterdir():
        with suppress(OSError):
            found += map(int, (task / "children").read_text().split())
    return [pid for pid in found if pid not in _BEFORE and _is_worker(pid)]


def _is_worker(pid: int) -> bool:
    with suppress(OSError):
        return b"companion.vision.worker.loop" in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))
