"""Saved pages: a table's page in each state of a game, drawn once by the app without a server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from flask import Flask

from companion.core.refusal import Refusal
from companion.games.catalog import GAMES
from companion.games.record import checked_options
from companion.tables import Tables
from companion.tables.play.access import join_link, view_link
from tests.games import toy
from tests.kit import play
from tests.kit.phones import Phone
from tests.kit.tables import Evening

NAMES: Final = (
    "Ada", "Benjamin", "Cleo", "Dora", "Emil", "Frida",
    "Gustav", "Hedwig", "Ida", "Jonathan", "Kim", "Leonore",
)  # fmt: skip
SEED: Final = 7
END: Final = "end"
"""The state of the page that shows who has won; it has areas of its own, and scrolls."""
ENOUGH: Final = 3000
"""More actions than any game has."""


@dataclass(frozen=True)
class SavedPage:
    """A page as one device gets it, and what its script asks for meanwhile."""

    name: str
    state: str
    path: str
    html: str
    phone: Phone
    players: tuple[str, ...]
    has_news: bool = False
    """Whether the device is told what others have done, as if it had looked before."""


@dataclass
class Moments:
    """The moments of one random game that are looked at, as numbers of actions before them."""

    game: str
    names: tuple[str, ...]
    options: Mapping[str, Any]
    actions: list[dict[str, Any]] = field(init=False)

    def __post_init__(self) -> None:
        moves = toy if self.game in toy.GAMES else play.room(self.game)
        chance = play.random.Random(SEED)
        self.positions = [self._start]
        self.actions = []
        while len(self.actions) < ENOUGH and not self.positions[-1].over:
            action = play.some_action(self.positions[-1], moves, chance)
            after = self.positions[-1].play(action)
            assert not isinstance(after, Refusal)
            self.actions.append(action)
            self.positions.append(after)

    @property
    def _start(self) -> Any:
        game = GAMES[self.game]
        return game.start(self.names, checked_options(game, self.options))

    @cached_property
    def found(self) -> Mapping[str, int]:
        """The name of a moment → the number of actions before it; without those that never come."""
        found: dict[str, int] = {"start": 0, "last": len(self.actions) - 1, END: len(self.actions)}
        for at, position in enumerate(self.positions[:-1]):
            for name in self._names(position):
                found.setdefault(name, at)
        found.setdefault("call", min(9, len(self.actions) - 1))
        return found

    def _names(self, position: Any) -> Iterator[str]:
        """What the position is to the first player, who looks at it."""
        panel, me = GAMES[self.game].panel, self.names[0]
        is_mine = position.active == me
        is_open = any(tap.is_open for tap in panel.taps(position, me).values())
        passing = panel.passing(position, me)
        choice = panel.player_facts(position, me)
        if is_open or choice:
            yield "call" if is_mine else "others"
        elif not is_mine and me not in position.waiting:
            yield "waits"
        elif passing and passing.costs:
            yield "failed"


def pages_of(
    app: Flask,
    tables: Tables,
    game: str,
    players: int,
    locale: str,
    options: Mapping[str, Any] = play.EMPTY,
) -> Iterator[SavedPage]:
    """The game's page for so many players, in each state that it has."""
    drawing = _Drawing(app, tables, Moments(game, NAMES[:players], options), locale)
    yield from drawing.pages()


@dataclass
class _Drawing:
    app: Flask
    tables: Tables
    moments: Moments
    locale: str

    def pages(self) -> Iterator[SavedPage]:
        found, settings = self.moments.found, GAMES[self.moments.game]
        others = len(self.moments.names) > 1
        for state in ("start", "call", "failed", "last", END):
            if state in found:
                yield self._page(state, found[state])
        if settings.has_dice:
            yield self._page("roller", 0, roller=True)
        if settings.panel.full_roll_name:
            yield self._page("all dice", 0, all_dice=True)
        if not others:
            return
        for state in ("others", "waits"):
            if state in found:
                yield self._page(state, found[state])
        middle = found.get("others", found["call"])
        yield self._page("watching", middle, device="viewer")
        yield self._page("shared", found["call"], device="host")
        yield self._page("calls", found["call"] - 1, is_live=True)
        yield self._page("hears a call", middle - 1, is_live=True, has_news=True)

    def _page(
        self,
        state: str,
        before: int,
        *,
        device: str = "first",
        is_live: bool = False,
        has_news: bool = False,
        **settings: bool,
    ) -> SavedPage:
        """The page of a device.

        Args:
            before: so many actions are those of a record.
            device: the `host`, which writes for everybody, the `first` player's, or a `viewer`'s.
            is_live: whether one more action is tapped, which may be an open call.
        """
        names, actions, game = self.moments.names, self.moments.actions, self.moments.game
        host, first, viewer = (Phone(self.app) for _ in range(3))
        record = play.record_of(names, actions[: max(before, 0)], game, self.moments.options)
        evening = Evening(self.tables, self.tables.import_record(host.device, record), host.device)
        devices = {"host": host, "first": first, "viewer": viewer}
        if device != "host":
            join, view = evening.change(join_link), evening.change(view_link)
            for name in names:
                seat = evening.seat(name)
                phone = first if name == names[0] else Phone(self.app)
                self.tables.enter(join.id, phone.device, seat=seat)
                devices[name] = phone
            self.tables.enter(view.id, viewer.device)
        for setting, is_on in settings.items():
            form = {setting: "on"} if is_on else {}
            host.post(f"/t/{evening.id}/do/{setting}", form)
        if is_live:
            action = actions[max(before, 0)]
            evening.on(devices[action.get("by", names[0])].device).do(action)
        phone = devices[device]
        path = f"/t/{evening.id}/"
        answer = phone.get(path, headers={"Accept-Language": self.locale})
        assert answer.status_code == 200, answer.status
        played = " ".join((game, *map(str, self.moments.options.values())))
        name = f"{played}, {len(names)}, {state}, {self.locale}"
        return SavedPage(name, state, path, answer.text, phone, names, has_news)
