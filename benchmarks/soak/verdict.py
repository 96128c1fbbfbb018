"""The output of a soak: a line a minute, and the figures at its end."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa

from benchmarks.report import line, mb, median, ms, p99

if TYPE_CHECKING:
    from benchmarks.soak.run import Minute, Soak

KILLS: Final = 4
"""Minutes after which the same victim is killed again."""
AT_ONCE: Final = 8
LEFT: Final = {
    "photos": "SELECT count(*) FROM photo_jobs",
    "parts of photos": "SELECT count(*) FROM photo_parts",
    "jobs": "SELECT count(*) FROM companion_queue.procrastinate_jobs",
}
"""Rows that must be gone from the database in the end → the query that counts them."""


def print_minute(number: int, minute: Minute) -> None:
    """Prints a minute in one line."""
    took = minute.acknowledged
    slow = f"{ms(median(took))}, {ms(max(took))} at most" if took else "none"
    errors = ", ".join(f"{times} × {code}" for code, times in minute.errors.items()) or "no 5xx"
    memory = ", ".join(f"{name} {size / 1e6:.0f}" for name, size in minute.memory.items())
    print(
        f"  {number:>3} killed: {minute.killed:<16} back in {ms(minute.back):>8},"
        f" {len(took):>4} taps ({slow}),"
        f" {minute.retries} sent again, {minute.unanswered} without answer, {errors},"
        f" {minute.lost} lost, {minute.photos} photos read; MB: {memory}",
        flush=True,
    )


async def print_verdict(soak: Soak) -> None:
    """Prints the figures of a run that has ended."""
    stale = await _stale(soak)
    log = await soak.differences()
    lost = max(log.lost, *(minute.lost for minute in soak.minutes))
    wrong = max(log.wrong, *(minute.wrong for minute in soak.minutes))
    answers, photos = soak.answers, soak.photographer.seen
    print("\n  verdict:")
    line("taps sent, acknowledged", f"{soak.ledger.sent}, {len(soak.took)}")
    line("acknowledged taps that the log lacks", lost)
    line("tables whose log is wrong otherwise", wrong)
    line("taps that were refused", _counted(answers.refusals))
    line("answers from 400 on", _counted(soak.errors()))
    line("answers 500", soak.errors().get(500, 0))
    line("requests without an answer", _counted(answers.silences + photos.silences))
    line("taps sent again; streams opened", f"{answers.retries}; {answers.streams}")
    line("a tap is acknowledged", _times(soak.took))
    seen, never = soak.seen()
    line("another phone has drawn it", _times(seen), f"{never} never")
    phones = sum(map(len, soak.groups))
    line("phones that show what a fresh page shows", f"{phones - stale} of {phones}")
    line("what phones did not understand", _counted(answers.faults))
    line("photos sent, read", f"{photos.sent}, {len(photos.seconds)}", f"{_times(photos.seconds)}")
    line("photos not read", _counted(photos.failed), f"{ms(photos.longest_failed)} at most")
    line("photos without an outcome", photos.waiting)
    left = await asyncio.to_thread(_left, soak.url)
    line("left in the database", _counted(left))
    for name, note in _trends(soak.minutes):
        line(f"memory of {name}", note)
    print("  logged by the server and the reader:")
    for words, times in soak.victims.logged().most_common(25):
        print(f"    {times:>4} × {words}", flush=True)


async def _stale(soak: Soak) -> int:
    """The number of phones that differ from a page that is fetched now."""
    places = asyncio.Semaphore(AT_ONCE)

    async def is_stale(place: int, number: int) -> bool:
        async with places:
            return not await soak.groups[place][number].is_up_to_date()

    wanted = [
        is_stale(place, number)
        for place, group in enumerate(soak.groups)
        for number in range(len(group))
    ]
    return sum(await asyncio.gather(*wanted))


def _left(url: str) -> dict[str, int]:
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    with engine.connect() as connection:
        return {
            name: connection.execute(sa.text(query)).scalar_one() for name, query in LEFT.items()
        }


def _trends(minutes: Sequence[Minute]) -> list[tuple[str, str]]:
    """Memory in the first and in the last quarter; both hold each kill equally often."""
    rounds = max(1, round(len(minutes) / 4 / KILLS))
    quarter = min(rounds * KILLS, len(minutes))
    parts = (minutes[:quarter], minutes[-quarter:])
    names = list(dict.fromkeys(name for minute in minutes for name in minute.memory))
    found = []
    for name in names:
        first, last = (
            sum(minute.memory.get(name, 0) for minute in part) / quarter for part in parts
        )
        most = max(minute.memory.get(name, 0) for minute in minutes)
        change = f"{mb(first)} in the first {quarter} minutes, {mb(last)} in the last {quarter}"
        found.append((name, f"{change}, {mb(most)} at most"))
    return found


def _times(values: Sequence[float]) -> str:
    if not values:
        return "none"
    return f"median {ms(median(values))}, p99 {ms(p99(values))}, {ms(max(values))} at most"


def _counted(found: Counter[str] | dict[int, int] | dict[str, int]) -> str:
    return "; ".join(f"{times} × {name}" for name, times in found.items()) or "none"
