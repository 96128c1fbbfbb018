"""Saved pages: a table's page in each state of a game, drawn once by the app without a server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from random import Random
from typing import Any, Final
from unittest.mock import patch

from flask import Flask

from companion.core.refusal import Refusal
from companion.games.catalog import GAMES
from companion.games.record import checked_options
from companion.tables import Tables
from companion.tables.play import roller
from companion.tables.play.access import join_link, view_link
from lab import play, toy
from lab.phones import Phone
from lab.tables import Evening

NAMES: Final = (
    *("Ada", "Benjamin", "Cleo", "Dora", "Emil", "Frida"),
    *("Gustav", "Hedwig", "Ida", "Jonathan", "Kim", "Leonore"),
)
LONG_NAMES: Final = ("Maximiliane-Sophie", "Papa von Charlotte")
LONG_NOTE: Final = {
    "de": "Papa von Charlotte hat korrigiert: Deine 11 ist jetzt eine 12 (Regenbogen, Feld 10)",
    "en": "Maximiliane-Sophie corrected the game: your 11 is 12 now (rainbow colors, field 10)",
    "es": "Maximiliane-Sophie ha corregido la partida: tu 11 ahora es un 12 (colores, casilla 10)",
}
SEED: Final = 7
END: Final = "end"
"""The state of the page that shows who has won; it has areas of its own, and scrolls."""
STATES: Final = (
    *("start", "call", "failed", "last", END, "wrong die", "roller", "rolled", "all dice"),
    *("others", "waits", "watching", "shared", "calls", "hears a call", "long note"),
)
CLOSED: Final = '<details class="second"'
LAST: Final = 999
"""Above the version of any of these tables, so that the note is shown."""
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
    """Whether the device shows what others have done, as if it had looked before."""


@dataclass
class Moments:
    """Moments of one random game, as numbers of actions before them."""

    game: str
    names: tuple[str, ...]
    options: Mapping[str, Any]
    actions: list[dict[str, Any]] = field(init=False)

    def __post_init__(self) -> None:
        moves = toy if self.game in toy.GAMES else play.moves_of(self.game)
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
        """The position's state for the first player, who looks at it."""
        panel, me = GAMES[self.game].panel, self.names[0]
        is_mine = position.active == me
        is_open = any(tap.is_open for tap in panel.taps(position, me).values())
        passing = panel.passing(position, me)
        choice = panel.player_facts(position, me)
        if is_open or choice:
            yield "call" if is_mine else "others"
        elif not is_mine and me not in position.awaited:
            yield "waits"
        elif passing and passing.costs:
            yield "failed"


def pages_of(
    app: Flask,
    tables: Tables,
    game: str,
    players: int,
    languages: tuple[str, ...],
    options: Mapping[str, Any] = play.EMPTY,
    *,
    has_long_names: bool = False,
) -> Iterator[SavedPage]:
    """The page for so many players, in each state; the states take turns at the languages."""
    names = (*LONG_NAMES, *NAMES[2:]) if has_long_names else NAMES
    drawing = _Drawing(app, tables, Moments(game, names[:players], options), languages)
    yield from drawing.pages()


def with_note(page: SavedPage, text: str) -> SavedPage:
    """The page with another note about what others have done."""
    before, drawn, after = page.html.partition('data-drawn="notes">')
    lines, end, rest = after.partition("</ul>")
    line = f'<li data-seq="{LAST}">{text}</li>'
    return replace(page, html="".join((before, drawn, lines, line, end, rest)))


@dataclass
class _Drawing:
    app: Flask
    tables: Tables
    moments: Moments
    languages: tuple[str, ...]

    def pages(self) -> Iterator[SavedPage]:
        found, settings = self.moments.found, GAMES[self.moments.game]
        others = len(self.moments.names) > 1
        for state in ("start", "call", "failed", "last", END):
            if state in found:
                yield self._page(state, found[state])
        page = self._page("wrong die", found["call"])
        # Where the dice come from below they cover the page, as they should.
        if CLOSED in page.html and "from-below" not in page.html:
            yield replace(page, html=page.html.replace(CLOSED, f"{CLOSED} open"))
        if settings.has_dice:
            yield self._page("roller", 0, roller=True)
            yield self._page("rolled", 0, roller=True, is_rolled=True)
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
        note = LONG_NOTE[self._language("long note")]
        yield with_note(self._page("long note", middle, has_news=True), note)

    def _language(self, state: str) -> str:
        return self.languages[STATES.index(state) % len(self.languages)]

    def _page(
        self,
        state: str,
        before: int,
        *,
        device: str = "first",
        is_live: bool = False,
        has_news: bool = False,
        is_rolled: bool = False,
        **settings: bool,
    ) -> SavedPage:
        """The page of a device.

        Args:
            before: so many actions are those of a record.
            device: the `host`, which writes for everybody, the `first` player's, or a `viewer`'s.
            is_live: whether one more action is tapped, which may be an open call.
            is_rolled: whether the app then rolls all dice.
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
        if is_rolled:
            self._roll(evening.on(devices[names[0]].device))
        phone, language = devices[device], self._language(state)
        path = f"/t/{evening.id}/"
        answer = phone.get(path, headers={"Accept-Language": language})
        assert answer.status_code == 200, answer.status
        played = " ".join((game, *map(str, self.moments.options.values())))
        name = f"{played}, {len(names)}, {state}, {language}"
        return SavedPage(name, state, path, answer.text, phone, names, has_news)

    def _roll(self, evening: Evening) -> None:
        table = evening.read()
        dice = table.position.next_roll
        assert dice is not None
        parts = [die.part for die in dice.dice]
        with patch.object(roller, "DRAW", Random(SEED)):
            evening.change(roller.roll, parts, table.moment)
