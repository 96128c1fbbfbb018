"""The part of the panel that both Qwinto games share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import ClassVar, Final, TypeVar

from companion.core.colors import COLOR_WORDS, color_view
from companion.core.panel import (
    ENTERED,
    UNDONE_ONLY,
    CallTexts,
    FieldTap,
    SheetPanel,
    of_players,
    to_end,
)
from companion.core.values import Action, Player
from companion.core.words import N_, Sentence, minus
from companion.games.qwinto import sheet as qwinto
from companion.games.qwinto.turn import QwintoTurn

T = TypeVar("T", bound=QwintoTurn)

NEAR: Final = 2  # limit of the distance to the end, in fields, from which the page announces it
TAPS_KEPT: Final = 512  # sheets in the cache of taps, which all phones share; about 10 kB each


def call_facts(position: QwintoTurn) -> Mapping[str, object]:
    """The number and the rows that are called, for `templates/games/qwinto/call.html`."""
    return {
        "called": position.called,
        "called_colors": list(map(color_view, position.called_colors)),
    }


@lru_cache(maxsize=TAPS_KEPT)
def _taps(
    player: Player, ghost: str, allowed: tuple[tuple[str, int], ...]
) -> Mapping[str, FieldTap]:
    taps = {}
    for color, field in product(qwinto.COLORS, range(1, qwinto.FIELDS + 1)):
        action = {"do": "write", "by": player, "row": color, "field": field}
        is_open = (color, field) in allowed
        taps[f"{color}.{field}"] = FieldTap(action, is_open=is_open, ghost=ghost)
    return taps


class QwintoPanel(SheetPanel[T]):
    """The part of the panel that both Qwinto games share."""

    actions: ClassVar = {"write": ENTERED, "pass": ENTERED, "next": UNDONE_ONLY}
    # Sentences of `CallTexts`, marked for translation
    under_way: str
    again: str
    fail_button = Sentence("Failed attempt −5")
    fail_text = N_("%(player)s: failed attempt, −5")

    def taps(self, position: T, player: Player) -> Mapping[str, FieldTap]:
        """Every field while the player may write; an illegal one answers with the reason."""
        if not position.can_act(player):
            return {}
        taps = _taps(player, str(position.called), position.open_fields(player))
        return {**taps, **self.failing(position, player)}

    def fails(self, position: T, player: Player) -> bool:
        return player == position.active

    def may_reroll(self, position: T) -> bool:
        """Whether the active player may still call another number."""
        return False

    def call_texts(self, position: T) -> CallTexts:
        """The sentences about a number that its player may still change."""
        number = "?" if position.called is None else minus(position.called)
        values = {"player": position.active, "number": number}
        return CallTexts(
            under_way=Sentence(self.under_way, values),
            again=Sentence(self.again, values),
            short=number,
        )

    def may_write(self, position: T, player: Player) -> bool:
        return bool(position.open_fields(player))

    def task(self, position: T, players: Sequence[Player]) -> Sentence:
        """The choices that are left after the call."""
        fits = any(self.may_write(position, player) for player in players)
        is_own = list(players) == [position.active]
        if fits and is_own:
            return Sentence("tap a glowing field")
        if fits:
            return Sentence("tap a glowing field or pass")
        if not is_own:
            return Sentence("no field fits, so pass")
        if self.may_reroll(position):
            return Sentence("no field fits – roll again, or −5")
        return Sentence("no field fits, so it is a failed attempt")

    def near(self, position: T) -> Sequence[Sentence]:
        texts = (
            N_("%(player)s: 1 field from the end"),
            N_("%(player)s: %(count)s fields from the end"),
        )
        failed = N_("%(player)s: 1 failed attempt from the end")
        by_fields, by_attempts = [], []
        for player in position.players:
            sheet = position.sheet_of(player)
            by_fields.append((qwinto.fields_to_end(sheet), player))
            if sheet.failed == qwinto.FAILED_ATTEMPTS - 1:
                by_attempts.append(to_end(player, 1, failed, failed))
        by_fields.sort()
        lines = [to_end(player, count, *texts) for count, player in by_fields if count <= NEAR]
        return lines + by_attempts

    def ended(self, position: T) -> Sequence[Sentence]:
        """The reasons why the game is over, each with the players whose sheets caused it."""
        return [
            *of_players(position, N_("Two rows are full: %(players)s"), qwinto.has_full_rows),
            *of_players(position, N_("Four failed attempts: %(players)s"), qwinto.has_failed),
        ]

    def describe(self, position: T | None, action: Action) -> Sentence:
        """A `write`, `pass` or `next` in words."""
        if action["do"] == "write":
            number = position.called if position else None
            values = {
                "player": action.get("by", ""),
                "number": number,
                "color": COLOR_WORDS[action["row"]],
                "field": action["field"],
            }
            if number is None:
                return Sentence("%(player)s in %(color)s, field %(field)s", values)
            return Sentence("%(player)s wrote %(number)s in %(color)s, field %(field)s", values)
        return super().describe(position, action)
