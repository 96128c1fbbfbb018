"""A table of one game on one phone, which goes from hand to hand."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import Any

from playwright.sync_api import Locator, expect

from companion.games import record
from lab.play import played_on
from tests.e2e.phones import Phone, Table, make_table, open_record

SEED = 7
LAST_ACTIONS = 12  # so many actions before the end of a long game it is tapped again


class Play(Table):
    """A table of one game on one phone, and the taps that any game needs."""

    def __init__(self, phone: Phone, game: str, players: tuple[str, ...]) -> None:
        super().__init__(make_table(phone, *players, game=game).id, phone, players)
        self.phone = phone
        self.game = game
        self.chance = random.Random(SEED)
        phone.open(self.path)

    def see(self, selector: str) -> Locator:
        return self.phone.see(selector)

    def tap(self, selector: str, number: int = 0) -> None:
        """Touches without waiting for an animation to end."""
        self.phone.takes_taps()
        self.see(selector).nth(number).dispatch_event("click")

    def after(self, taps: Callable[[], None]) -> None:
        """Makes taps, and waits until the page shows what they have changed."""
        before = self.phone.version
        taps()
        expect(self.see("#table")).not_to_have_attribute("data-version", str(before))
        self.phone.settles(self)

    def leave_the_middle_out(self) -> None:
        """Continues at a table where nearly all of the game has been played."""
        document = self.record
        position = record.replay(record.parse(document)).position
        document["actions"] += played_on(position, self.game, SEED)[:-LAST_ACTIONS]
        self.id = open_record(self.phone, document).id
        self.phone.open(self.path)

    def pick(self, selector: str) -> None:
        """Taps one of the buttons that match."""
        self.tap(selector, self.chance.randrange(self.see(selector).count()))

    @property
    def is_over(self) -> bool:
        return self.see("#table").get_attribute("data-phase") == "over"

    def check_end(self) -> dict[str, Any]:
        return check_end(self, self.phone)


def check_end(table: Table, *phones: Phone) -> dict[str, Any]:
    """The pages and the replayed record agree on totals and winners; the game as a document."""
    replay = record.replay(record.parse(table.record)).document()
    assert replay["over"]
    assert replay["refused"] is None
    for phone in phones:
        for name, score in replay["scores"].items():
            total = phone.see(".ranking li").filter(has_text=name).locator(".total")
            expect(total).to_have_text(str(score["total"]).replace("-", "−"))
        winners = phone.see(".ranking .winner bdi").all_inner_texts()
        assert sorted(winners) == sorted(replay["winners"])
    return replay


def each(taps: Iterable[None]) -> None:
    """Makes the taps, one after the other."""
    for _ in taps:
        pass
