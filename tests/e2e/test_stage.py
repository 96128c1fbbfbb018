"""A table's page in every window: what can be tapped is hit, no text is cut, all players are seen.

`stage.js` has the checks of a page, `saved_pages.py` the pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from flask import Flask

from companion.games.catalog import GAMES
from companion.tables import Tables
from lab import toy
from lab.play import EMPTY, moves_of
from lab.wide import wide
from tests.e2e.saved_pages import END, pages_of
from tests.e2e.screens import SCHEMES
from tests.e2e.stage import WINDOWS, Stage, Window, app_with_toys

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.e2e

QUICK: tuple[Window, ...] = ((320, 568, 100), (360, 640, 125), (592, 304, 100), (1024, 768, 100))
QUICK_STATES = ("start", "call", "others", "wrong die", "rolled", "long note")
AXE_STATES = ("call", "others", "waits", "watching", END)
AXE_WINDOWS: tuple[Window, ...] = ((360, 640, 100), (640, 304, 100), (1024, 768, 100))
MOST_PICTURES = 6
"""Limit of the pictures of windows with faults, in one test."""
LANGUAGES = ("de", "en", "es")
NUMBERS = (1, 2, 3, 5, 8)
"""Numbers of players, besides a game's greatest one."""


def ways_to_play() -> Iterator[tuple[str, Mapping[str, str]]]:
    """Each game with its usual options, and with those by which its sheets look different."""
    for game in (*GAMES, *toy.GAMES):
        yield game, EMPTY
    for game in GAMES:
        for options in getattr(moves_of(game), "LAID_OUT", ()):
            yield game, options


def cases() -> Iterator[Any]:
    """Each number of players and each language with every state of a game in every window.

    Not each number with each language: the states of one number take turns at the languages, and
    those of the next number begin with another one.
    """
    for game, options in ways_to_play():
        name = "-".join((game, *options.values()))
        settings = {**GAMES, **toy.GAMES}[game]
        most = settings.max_players
        yield pytest.param(game, options, 3, ("de",), "quick", id=f"{name}-quick")
        numbers = [n for n in sorted({*NUMBERS, most}) if settings.min_players <= n <= most]
        for place, players in enumerate(numbers):
            first = place % len(LANGUAGES)
            languages = LANGUAGES[first:] + LANGUAGES[:first]
            yield wide(game, options, players, languages, "", id=f"{name}-{players}")
        for players, languages in ((2, ("de", "es")), (min(5, most), ("es", "de"))):
            yield wide(
                game, options, players, languages, "long names", id=f"{name}-{players}-long names"
            )


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tables]:
    opened = Tables(f"sqlite:///{tmp_path_factory.mktemp('stage') / 'stage.sqlite3'}")
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def app(tables: Tables) -> Iterator[Flask]:
    with app_with_toys(tables) as made:
        yield made


@pytest.fixture(scope="module")
def stage(chromium: Browser) -> Iterator[Stage]:
    opened = Stage(chromium)
    yield opened
    opened.close()


@pytest.mark.parametrize(("game", "options", "players", "languages", "more"), [*cases()])
def test_every_window_shows_what_can_be_done(
    app: Flask,
    tables: Tables,
    stage: Stage,
    tmp_path: Path,
    game: str,
    options: Mapping[str, str],
    players: int,
    languages: tuple[str, ...],
    more: str,
) -> None:
    is_quick = more == "quick"
    found: dict[str, list[str]] = {}
    for page in pages_of(
        app, tables, game, players, languages, options, has_long_names=more == "long names"
    ):
        if page.state == END or (is_quick and page.state not in QUICK_STATES):
            continue
        stage.show(page)
        for window, faults in stage.faults(QUICK if is_quick else WINDOWS).items():
            name = f"{page.name} {window[0]}×{window[1]} {window[2]}%"
            if len(found) < MOST_PICTURES:
                stage.picture(window, tmp_path / f"{name}.png")
            found[name] = faults
    assert found == {}, f"pictures in {tmp_path}"


@pytest.mark.parametrize("game", [wide(game) for game in (*GAMES, *toy.GAMES)])
def test_axe_finds_nothing_in_anybodys_turn(
    app: Flask, tables: Tables, stage: Stage, game: str
) -> None:
    found: dict[str, list[str]] = {}
    for page in pages_of(app, tables, game, 3, ("de",)):
        for scheme in SCHEMES if page.state in AXE_STATES else ():
            stage.show(page)
            for window in AXE_WINDOWS:
                faults = stage.axe_faults(window, scheme)
                found |= {f"{page.state}: {fault}": where for fault, where in faults.items()}
    assert found == {}


COLUMNS = """([least, isAll]) => {
  const boxes = (sheet) => new Map([...document.querySelectorAll(`${sheet} [data-f]`)]
    .map((field) => [field, (field.querySelector('.p, text') ?? field).getBoundingClientRect()]));
  const own = boxes('.own'), found = [];
  for (const [field, box] of own) {
    const name = field.dataset.f;
    if (field.matches('.f') && box.width < least) found.push(`${name} is ${box.width} wide`);
    if (box.height && (box.bottom > innerHeight || box.right > innerWidth))
      found.push(`${name} is out of view`);
  }
  const lines = new Map([...own].map(([field, box]) => [field.dataset.f, box]));
  const others = [...document.querySelectorAll('.others > .player')];
  for (const player of isAll ? others : []) {
    const column = player.getBoundingClientRect();
    // A lying phone folds a column: its lower half stands beside the upper one.
    const middles = (innerHeight > 520 ? [1 / 2] : [1 / 4, 3 / 4])
      .map((part) => column.left + part * column.width);
    if (column.width < 20 || column.right > innerWidth) found.push('a column is out of view');
    for (const [field, box] of boxes(`#${player.id}`)) {
      const line = lines.get(field.dataset.f);
      if (!box.height || !line.height) continue;
      if (Math.abs((box.top + box.bottom - line.top - line.bottom) / 2) > 1)
        found.push(`${field.dataset.f} is in another line`);
      if (!middles.some((middle) => Math.abs((box.left + box.right) / 2 - middle) <= 2))
        found.push(`${field.dataset.f} is not in its column`);
      const sum = field.matches('.sum') && field.querySelector('text').getBoundingClientRect();
      if (sum && sum.width > column.width / middles.length)
        found.push(`${sum.width} of a sum in ${column.width}`);
    }
  }
  return [...new Set(found)];
}"""
TABLETS: tuple[Window, ...] = ((768, 1024, 100), (1024, 768, 100), (1366, 768, 150))
ALIKE: dict[str, tuple[str, int, tuple[Window, ...], bool]] = {
    "eight players": ("kniffel", 8, TABLETS, True),
    "another game": ("toy-lines", 3, TABLETS, True),
    "an upright phone": ("kniffel", 5, ((360, 800, 100), (390, 844, 100), (412, 915, 100)), True),
    "a lying phone": ("kniffel", 4, ((740, 304, 100), (844, 390, 100)), True),
    "a small lying phone": ("kniffel", 3, ((568, 280, 100), (640, 304, 100)), False),
    "a short phone": ("kniffel", 3, ((360, 560, 100),), False),
}


@pytest.mark.parametrize("case", ALIKE)
def test_a_sheet_of_lines_is_one_table(app: Flask, tables: Tables, stage: Stage, case: str) -> None:
    """The lines' names once, a column for each player beside them; all lines are in view."""
    game, players, windows, is_all = ALIKE[case]
    least = 56 if windows is TABLETS else 44
    pages = {page.state: page for page in pages_of(app, tables, game, players, ("de",))}
    stage.show(pages["last"])
    for window in windows:
        assert stage.faults([window]) == {}
        assert stage.page.frames[1].evaluate(COLUMNS, [least, is_all]) == [], window


CRAMPED: dict[str, tuple[str, int, str, Window, bool]] = {
    "a call beside large cards": ("qwinto-cards", 2, "call", (360, 560, 200), True),
    "small sheets below a long note": ("encore", 5, "long note", (768, 1024, 150), False),
    "words below what the others do": ("freaky", 5, "call", (568, 280, 200), True),
    "small sheets in a low window": ("qwixx", 3, "others", (800, 600, 100), False),
}
"""What `wide` found, or nobody had looked at, in one window each."""


@pytest.mark.parametrize("case", CRAMPED)
def test_a_cramped_window_keeps_its_areas_apart(
    app: Flask, tables: Tables, stage: Stage, case: str
) -> None:
    game, players, state, window, is_long = CRAMPED[case]
    pages = pages_of(app, tables, game, players, ("de",), has_long_names=is_long)
    stage.show(next(page for page in pages if page.state == state))
    assert stage.faults([window]) == {}


def test_a_result_is_no_wider_than_the_window(app: Flask, tables: Tables, stage: Stage) -> None:
    """It scrolls downwards alone, with large text and long names, too."""
    pages = pages_of(app, tables, "qwinto-cards", 2, ("de",), has_long_names=True)
    stage.show(next(page for page in pages if page.state == END))
    found = stage.faults([(320, 568, 200), (360, 560, 200)])
    wide_ones = [fault for faults in found.values() for fault in faults if fault.endswith(" wide")]
    assert wide_ones == []


DEPTHS = """() => {
  const { contentDocument, contentWindow } = document.querySelector('iframe');
  return ['.own .paper', '.own .f'].map((selector) => contentDocument.querySelector(selector))
    .map((box) => contentWindow.getComputedStyle(box).getPropertyValue('--below'));
}"""


def test_a_sheet_that_scrolls_does_not_style_its_fields(
    app: Flask, tables: Tables, stage: Stage
) -> None:
    """They do not inherit how deep the sheet's edge fades, which each step of scrolling changes."""
    stage.show(next(pages_of(app, tables, "qwinto-dice", 2, ("de",))))
    stage.faults([(360, 560, 200)])
    of_sheet, of_field = stage.page.evaluate(DEPTHS)
    assert (float(of_sheet.removesuffix("px")) > 0, of_field) == (True, "0px")


BADGES = """() => [...document.querySelectorAll('.others text.won')]
  .map((badge) => badge.checkVisibility())"""


def test_the_badges_of_others_rows_have_their_points(
    app: Flask, tables: Tables, stage: Stage
) -> None:
    """Points so far stand in a field that nobody has written, whose other texts are hints."""
    pages = pages_of(app, tables, "qwixx", 3, ("de",))
    stage.show(next(page for page in pages if page.state == "others"))
    stage.faults([(1024, 768, 100)])
    badges = stage.page.frames[1].evaluate(BADGES)
    assert badges
    assert all(badges)
