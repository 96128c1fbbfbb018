"""The part of the panel that both Qwinto games share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from companion.core.panel import (
    ENTERED,
    LAST_TURN,
    TURN_ENDED,
    UNDONE_ONLY,
    ActionKind,
    FieldTap,
    PassButton,
    awaited,
    describe_close,
    to_end,
)
from companion.core.values import Action, Player
from companion.core.words import N_, Sentence, minus
from companion.games.qwinto import sheet as qwinto
from companion.games.qwinto.layout import LETTERS
from companion.games.qwinto.turn import QwintoTurn

ACTIONS: Final[Mapping[str, ActionKind]] = {
    "write": ENTERED,
    "pass": ENTERED,
    "next": UNDONE_ONLY,
}
"""The actions that both games share; they use the number that is called."""
TAPS_KEPT: Final = 512
"""Sheets whose taps are kept in memory, about 10 kB each; all phones ask for them."""


def call(position: QwintoTurn) -> Mapping[str, object]:
    """The number and the rows that are called, for `templates/games/qwinto/call.html`."""
    return {
        "called": position.called,
        "called_colors": [color_view(color) for color in position.called_colors],
    }


def signed(number: int | None) -> str:
    """A number; "?" for none."""
    return "?" if number is None else minus(number)


def color_view(color: str) -> Mapping[str, str]:
    return {"name": color, "word": qwinto.COLOR_WORDS[color], "letter": LETTERS[color]}


def taps(position: QwintoTurn, player: Player) -> Mapping[str, FieldTap]:
    """Every field while the player may write; a tap on an illegal one answers with the reason."""
    if position.called is None or player not in position.waiting:
        return {}
    return _taps(player, str(position.called), position.open_fields(player))


@lru_cache(maxsize=TAPS_KEPT)
def _taps(
    player: Player, ghost: str, allowed: tuple[tuple[str, int], ...]
) -> Mapping[str, FieldTap]:
    return {
        f"{color}.{field}": FieldTap(
            {"do": "write", "by": player, "row": color, "field": field},
            is_open=(color, field) in allowed,
            ghost=ghost,
        )
        for color in qwinto.COLORS
        for field in range(1, qwinto.FIELDS + 1)
    }


def passing(position: QwintoTurn, player: Player) -> PassButton | None:
    """The button for passing, which is a failed attempt of the active player."""
    if position.called is None or player not in position.waiting:
        return None
    if player == position.active:
        return PassButton(Sentence(N_("Failed attempt −5")), costs=True)
    return PassButton(Sentence(N_("Pass")))


def waiting(position: QwintoTurn, here: Sequence[Player], *, may_reroll: bool = False) -> Sentence:
    """The hint after the call; see `Panel.hint`."""
    if position.over:
        return Sentence(N_("The game is over."))

    def task(players: Sequence[Player]) -> Sentence:
        if len(players) > 1:
            return Sentence(N_("tap a glowing field or pass"))
        return _task(position, players[0], may_reroll)

    def may_write(player: Player) -> bool:
        return bool(position.open_fields(player))

    return awaited(position.waiting, here, task, position.active, may_write)


def _task(position: QwintoTurn, player: Player, may_reroll: bool) -> Sentence:
    fits = bool(position.open_fields(player))
    if player != position.active:
        text = N_("tap a glowing field or pass") if fits else N_("no field fits, so pass")
    elif fits:
        text = N_("tap a glowing field")
    elif may_reroll:
        text = N_("no field fits: roll again, or take the failed attempt")
    else:
        text = N_("no field fits, so it is a failed attempt")
    return Sentence(text)


NEAR: Final = 2
"""Limit of the distance to the end, in fields, from which the page announces it."""


def news(position: QwintoTurn) -> list[Sentence]:
    """The distance to the end; see `Panel.news`."""
    if position.over:
        return []
    if position.is_last_turn:
        return [LAST_TURN]
    texts = N_("%(player)s: 1 field to the end"), N_("%(player)s: %(count)s fields to the end")
    sheets = [(player, position.sheet_of(player)) for player in position.players]
    near = sorted((qwinto.fields_to_end(sheet), player) for player, sheet in sheets)
    told = [to_end(player, count, *texts) for count, player in near if count <= NEAR]
    failed = N_("%(player)s: 1 failed attempt to the end")
    return told + [
        Sentence(failed, {"player": player})
        for player, sheet in sheets
        if sheet.failed == qwinto.FAILED_ATTEMPTS - 1
    ]


def ended(position: QwintoTurn) -> list[Sentence]:
    """The reasons why the game is over, each with the players whose sheets caused it."""
    sheets = {player: position.sheet_of(player) for player in position.players}
    reasons = (
        (N_("Two rows are full: %(players)s"), qwinto.has_full_rows),
        (N_("Four failed attempts: %(players)s"), qwinto.has_failed),
    )
    return [
        Sentence(text, {"players": ", ".join(whose)})
        for text, holds in reasons
        if (whose := [player for player, sheet in sheets.items() if holds(sheet)])
    ]


def describe(position: QwintoTurn | None, action: Action) -> Sentence:
    """A `write`, `pass` or `next` in words; see `Panel.describe`."""
    player = action.get("by", "")
    if action["do"] == "write":
        number = position.called if position else None
        values = {
            "player": player,
            "number": number,
            "color": qwinto.COLOR_WORDS[action["row"]],
            "field": action["field"],
        }
        if number is None:
            return Sentence(N_("%(player)s in %(color)s, field %(field)s"), values)
        return Sentence(N_("%(player)s wrote %(number)s in %(color)s, field %(field)s"), values)
    if action["do"] == "pass":
        if position is not None and player == position.active:
            return Sentence(N_("%(player)s has a failed attempt"), {"player": player})
        return Sentence(N_("%(player)s passed"), {"player": player})
    return describe_close(position, action, *TURN_ENDED)
