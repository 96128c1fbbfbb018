"""Every game in WebKit and in Firefox: set up, tapped, undone, watched and ended on one phone.

What is tapped first is in `lab/moves`; the middle of the game is played by the rules.
Pictures of every stage lie in the tests' temporary folder.
"""

from __future__ import annotations

import os
import random
import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import httpx
import pytest

from companion.games import record
from companion.games.catalog import GAMES
from lab.other_browsers import firefox, webkit
from lab.other_browsers.window import POST, NoBrowser, Window
from lab.patience import until
from lab.photos import standin
from lab.play import Action, code, moves_of, played_on
from lab.servers.process import Server
from tests.e2e.fixtures import served
from tests.e2e.phones import REDO, UNDO

pytestmark = [pytest.mark.e2e, pytest.mark.wide]

ENGINES = {"webkit": webkit, "firefox": firefox}
ADA, BEN, CLEO = PLAYERS = ("Ada", "Ben", "Cleo")
SIZES = ((390, 844), (640, 304), (1024, 768))
SEED = 7
IS_SHOWN = "(least) => Number(document.querySelector('#table').dataset.version) >= least"
LETTERS_ASTRAY = """() => {
  const seen = [...document.querySelectorAll('.player.selected .sheet text')].filter((text) =>
    text.textContent.trim() && text.checkVisibility());
  const middle = (one) => {
    const { x, y, width, height } = one.getBoundingClientRect();
    return [x + width / 2, y + height / 2];
  };
  const faults = [];
  for (const text of seen) {
    const words = text.textContent.trim();
    const { a, b } = text.getScreenCTM(), scale = Math.hypot(a, b) / words.length;
    const own = text.getComputedTextLength();
    const size = Number.parseFloat(getComputedStyle(text).fontSize);
    text.style.fontSize = `${size * 20}px`;
    const off = Math.abs(own - text.getComputedTextLength() / 20) * scale;
    text.style.fontSize = '';
    if (words.length > 1 && off > 2) faults.push(`the letters of ${words} stand ${off} pixels off`);
    const grown = new DOMMatrix(getComputedStyle(text).transform);
    if (Math.hypot(grown.a, grown.b) > 1.01) faults.push(`${words} is too large`);
  }
  const letters = seen.filter((text) => text.matches('.label')).map(middle);
  for (const value of seen.filter((text) => text.matches('.stand *, .stand'))) {
    const [x, y] = middle(value);
    const near = Math.min(...letters.map(([left, top]) => Math.hypot(x - left, y - top)));
    if (near > 40) faults.push(`${value.textContent} stands ${near} pixels from its letter`);
  }
  return faults;
}"""
"""Words of the selected sheet whose letters stand apart, numbers that are larger than the page's
text asks for, and values that stand elsewhere than beside the letter of their column."""


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with served(tmp_path_factory.mktemp("reading"), reader="lab.photos.standin") as running:
        yield running


@pytest.fixture(scope="module", params=ENGINES)
def window(request: pytest.FixtureRequest, reading: Server) -> Iterator[Window]:
    try:
        with ENGINES[request.param].opened() as opened:
            opened.open(reading.address)
            # That nothing keeps the screen on would stand over what is tapped.
            opened.run("() => localStorage.setItem('awake-told', 'true')")
            yield opened
    except NoBrowser as reason:
        if os.environ.get("CI") == "true":
            pytest.fail(str(reason), pytrace=False)
        pytest.skip(str(reason))


@pytest.fixture
def other(reading: Server) -> Iterator[httpx.Client]:
    """Another phone, without a window."""
    with httpx.Client(base_url=reading.address) as client:
        yield client


@dataclass
class Table:
    """A table that a person has opened in a window, and another phone at it."""

    window: Window
    game: str
    path: str
    other: httpx.Client

    @classmethod
    def opened(cls, window: Window, other: httpx.Client, game: str) -> Table:
        """Opens a table from the first page; of three people, Ben has the other phone."""
        window.open(str(other.base_url))
        window.tap(f"form:has([value={game}]) button.game")
        for player in PLAYERS:
            window.types("#new-name", player)
            window.tap(".add-seat button.primary")
            window.sees(".seat .name", player)
        window.tap('[action$="/do/start"] button')
        window.has("main.play")
        table = cls(window, game, window.path(), other)
        link = re.search(r"/j/[\w-]+", window.post(f"{table.path}share"))
        assert link
        seat = str(PLAYERS.index(BEN) + 1)
        assert table.other.post(link.group(), data={"seat": seat}).is_redirect
        return table

    @property
    def actions(self) -> list[Action]:
        actions: list[Action] = self.window.get(f"{self.path}record.json")["actions"]
        return actions

    def settles(self) -> None:
        """Waits until all taps of the window are saved, and it shows what has happened."""
        self.window.has_saved_all()
        version = self.window.get(f"{self.path}version")["version"]
        assert until(lambda: self.window.look(IS_SHOWN, version)), f"{version} is not shown"

    def undoes(self) -> None:
        """Takes back the last touch, which may be more than one action, and makes it again."""
        before = self.actions
        self.window.tap(UNDO)
        assert until(lambda: len(self.actions) < len(before)), "nothing was undone"
        assert self.actions == before[: len(self.actions)]
        self.window.tap(REDO)
        assert until(lambda: self.actions == before), self.actions

    def ben_acts(self) -> None:
        """The other phone taps what the rules allow next; this one shows it."""
        position = self._position()
        tries = (
            moves_of(self.game).candidates(position, random.Random(seed)) for seed in range(100)
        )
        action = next(
            action
            for action in chain.from_iterable(tries)
            if action.get("by") == BEN and not code(position, action)
        )
        tap = {"id": uuid.uuid4().hex, "action": action}
        answer = self.other.post(f"{self.path}taps", json=tap)
        assert answer.is_success, answer.text
        self.settles()
        assert self.actions[-1] == action

    def leaves_the_middle_out(self) -> Action:
        """Continues at a table where one action is left, and returns that action."""
        document = self.window.get(f"{self.path}record.json")
        *rest, last = played_on(self._position(), self.game, SEED)
        document["actions"] += rest
        self.window.open(self.window.bring(document))
        self.path = self.window.path()
        return last

    def _position(self) -> Any:
        document = self.window.get(f"{self.path}record.json")
        return record.replay(record.parse(document)).position


@pytest.mark.parametrize("game", GAMES)
def test_a_game(window: Window, other: httpx.Client, game: str, tmp_path: Path) -> None:
    window.resize(*SIZES[0])
    table = Table.opened(window, other, game)
    window.picture(tmp_path / "start.png")
    for touch in moves_of(game).FIRST_TAPS:
        window.tap(touch) if isinstance(touch, str) else window.stroke(touch)
        table.settles()
    assert table.actions[-1]["by"] == ADA
    table.undoes()
    table.ben_acts()

    faults = {}
    for size in SIZES:
        window.resize(*size)
        window.picture(tmp_path / f"{size[0]}.png")
        faults[size] = window.run(LETTERS_ASTRAY)
    window.resize(*SIZES[0])
    assert {size: found for size, found in faults.items() if found} == {}

    last = table.leaves_the_middle_out()
    window.has("main")
    # If only a pass is left, the page has passed by itself and this is refused.
    window.run(POST, f"{table.path}taps", {"id": uuid.uuid4().hex, "action": last})
    window.sees(".podium")
    window.picture(tmp_path / "end.png")


def test_a_photo(window: Window, reading: Server, tmp_path: Path) -> None:
    """Sent from the gallery, read, and a question about it answered."""
    photo = tmp_path / "photo.jpg"
    photo.write_bytes(standin.picture(standin.TWO))
    window.resize(*SIZES[0])
    window.open(f"{reading.address}/photo")
    window.choose("[data-photo][multiple]", photo)
    window.sees("#checks-title", "2 ")
    window.sees_no("#reading")
    window.picture(tmp_path / "read.png")
    window.tap(".check-card button")
    window.sees("#checks-title", "1 ")


LINES_OF_LAST_WORD = """(selector) => {
  const text = document.querySelector(selector).lastChild;
  const range = document.createRange();
  range.setStart(text, text.data.trimEnd().lastIndexOf(' ') + 1);
  range.setEnd(text, text.data.trimEnd().length);
  return range.getClientRects().length;
}"""


def test_a_short_word_is_not_hyphenated(window: Window, reading: Server) -> None:
    """It was "Just the to-tals", where a line had room for one more syllable."""
    window.resize(*SIZES[0])
    window.open(f"{reading.address}/totals")
    assert window.run(LINES_OF_LAST_WORD, "h1") == 1
