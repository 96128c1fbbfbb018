"""The turn that the first page shows: three phones, with sheets drawn as a table draws them.

Each sheet is drawn once, as it is after the turn; `static/welcome.css` plays how it came to that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from markupsafe import Markup

from companion.core.game import Game
from companion.core.position import Position
from companion.core.signs import Sign
from companion.core.values import Player
from companion.games import record as records
from companion.games.catalog import GAMES
from companion.tables.ledger.names import SEAT_COLORS
from companion.web.page.language import LANGUAGES, page_language
from companion.web.table.sheet_drawing import differences, drawn_fields, sheet_around

# Classes of the fields in which the call may be written, and of the one in which it was
FITS: Final = "fits"
TAKEN: Final = "taken"


@dataclass(frozen=True)
class DemoPhone:
    """A player's sheet after the turn, and the points before and after it."""

    player: Player
    color: str
    before: int
    after: int
    sheet: Markup


@dataclass(frozen=True)
class Demo:
    """A turn: the dice and the call that they make, and the phones in the order of the seats."""

    dice: Sequence[Sign]
    call: str
    phones: Sequence[DemoPhone]


def demo() -> Demo:
    """The last turn of the first `Guide.demo` in the catalogue, in the page's language."""
    return _demo(page_language())


@lru_cache(maxsize=len(LANGUAGES))
def _demo(_language: str) -> Demo:
    game = next(game for game in GAMES.values() if game.guide.demo)
    document = game.guide.demo or {}
    record = records.parse(document)
    place = 0
    dice: Sequence[Sign] = ()
    for number, action in enumerate(document["actions"], 1):
        if signs := game.panel.on_table(action):
            place, dice = number, signs
    before = records.replay(replace(record, actions=record.actions[:place])).position
    after = records.replay(record).position
    texts = game.panel.call_texts(before)
    phones = [
        DemoPhone(
            player=player,
            color=color,
            before=game.panel.points(before, player),
            after=game.panel.points(after, player),
            sheet=_sheet(game, before, after, player),
        )
        for player, color in zip(record.players, SEAT_COLORS, strict=False)
    ]
    return Demo(dice, texts.short if texts else "", phones)


def _sheet(game: Game, before: Position, after: Position, player: Player) -> Markup:
    old, new = (game.sheet.filled(one.sheet(player)) for one in (before, after))
    drawn = dict(drawn_fields(new, {}))
    marked = {name: FITS for name, tap in game.panel.taps(before, player).items() if tap.is_open}
    for name in differences(old, new):
        marked[name] = f"{TAKEN} {FITS}"
    for name, classes in marked.items():
        markup = str(drawn[name].markup).replace('class="f', f'class="f {classes}', 1)
        drawn[name] = replace(drawn[name], markup=Markup(markup))  # noqa: S704 - escaped before
    return sheet_around(new.layout, "", drawn)
