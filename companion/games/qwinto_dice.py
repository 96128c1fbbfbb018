"""Qwinto with dice: roll one to three dice, perhaps once more, and everybody may write the sum.

The sheet's own rules are in `qwinto.py`. Source: the rule text "Qwinto", chapter "How to play".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from companion.games import qwinto, turns
from companion.games.core import (
    N_,
    Action,
    Document,
    Game,
    Player,
    Refusal,
    Word,
    bad_action,
    clean_name,
    is_whole,
)
from companion.games.qwinto import COLOR_WORDS, COLORS, Color, Sheet
from companion.games.turns import Turn

DIE_FACES: Final = range(1, 7)
ROLLS: Final = 2
"""A roll and one re-roll, with the same dice."""


@dataclass(frozen=True)
class QwintoDice:
    """A game of Qwinto with dice at one moment; see `core.Position`."""

    now: Turn
    sheets: tuple[Sheet, ...]
    """In the players' order."""
    dice: tuple[tuple[Color, int], ...] = ()
    """What lies on the table in this turn, in the sheet's colour order; empty before the roll."""
    rolls: int = 0
    over: bool = False

    @property
    def players(self) -> tuple[Player, ...]:
        return self.now.players

    @property
    def turn(self) -> int:
        return self.now.number

    @property
    def active(self) -> Player:
        return self.now.active

    @property
    def called(self) -> int | None:
        """The sum that everybody may write, or None before the roll."""
        return self._sum if self.dice else None

    @property
    def _sum(self) -> int:
        return sum(value for _, value in self.dice)

    @property
    def called_colors(self) -> tuple[Color, ...]:
        """The rows in which the sum may be written."""
        return tuple(color for color, _ in self.dice)

    @property
    def may_reroll(self) -> bool:
        return not self.over and 0 < self.rolls < ROLLS and not self.now.acted

    @property
    def moment(self) -> str:
        dice = "".join(f"{color[0]}{value}" for color, value in self.dice)
        return f"{self.turn}.{self.rolls}.{dice}{'.over' if self.over else ''}"

    @property
    def waiting(self) -> tuple[Player, ...]:
        return () if self.over else self.now.waiting

    def play(self, action: Action) -> QwintoDice | Refusal:
        """The position after a `roll`, `write`, `pass` or `next`, or why it is not allowed."""
        do = action.get("do")
        if do not in ("roll", "write", "pass", "next"):
            return bad_action(N_("This game knows no action '%(do)s'."), do=str(do))
        if do == "next":
            return self._next()
        player = clean_name(action.get("by"))
        if player is None:
            return bad_action(N_("The action does not say who did it."))
        if player not in self.players:
            return turns.unknown_player(player)
        if do == "roll":
            return self._roll(player, action.get("dice"))
        if do == "write":
            return self._write(player, action.get("row"), action.get("field"))
        return self._pass(player)

    def winners(self) -> tuple[Player, ...]:
        """Everybody with the most points: a tie shares the win."""
        if not self.over:
            return ()
        totals = {player: self.score(player)["total"] for player in self.players}
        return tuple(player for player in self.players if totals[player] == max(totals.values()))

    def sheet_of(self, player: Player) -> Sheet:
        return self.sheets[self.players.index(player)]

    def sheet(self, player: Player) -> Document:
        return self.sheet_of(player).document()

    def score(self, player: Player) -> Document:
        return qwinto.score(self.sheet_of(player))

    def refusal(self, player: Player, color: Color, field: int) -> Refusal | None:
        """Why this player may not write the called number in a field (1–9), or None."""
        return self._cannot_act(player) or self._misfit(player, color, field)

    def open_fields(self, player: Player) -> tuple[tuple[Color, int], ...]:
        """Every (row, field 1–9) in which this player may write the called number now."""
        if self.called is None or self._cannot_act(player):
            return ()
        sheet = self.sheet_of(player)
        return tuple(
            (color, field)
            for color in self.called_colors
            for field in qwinto.open_fields(sheet, color, self.called)
        )

    # Each refusal below is named in the public interface; the order is from the general one
    # (the game is over) to the special one (this number does not fit there).

    def _roll(self, player: Player, raw_dice: object) -> QwintoDice | Refusal:
        dice = _dice(raw_dice)
        if isinstance(dice, Refusal):
            return dice
        if self.over:
            return turns.game_over()
        if player != self.active:
            return turns.not_your_turn(self.now)
        if self.rolls == ROLLS:
            return Refusal(
                "no-rolls-left", N_("The dice may be rolled twice in a turn, not a third time.")
            )
        if self.rolls and self.now.acted:
            return Refusal(
                "no-rolls-left",
                N_("The dice cannot be rolled again once somebody has written or passed."),
            )
        if self.rolls and tuple(color for color, _ in dice) != self.called_colors:
            return Refusal(
                "reroll-same-dice",
                N_("The second roll takes all the dice of the first one, and no others."),
            )
        return replace(self, dice=dice, rolls=self.rolls + 1)

    def _write(self, player: Player, row: object, field: object) -> QwintoDice | Refusal:
        if not isinstance(row, str) or row not in COLORS:
            return bad_action(N_("There is no such row on the sheet."))
        if not is_whole(field):
            return bad_action(N_("The field must be a number from 1 to 9."))
        refused = self.refusal(player, row, field)
        if refused:
            return refused
        sheet = self.sheet_of(player).write(row, field, self._sum)
        return self._acted(player, sheet)

    def _misfit(self, player: Player, color: Color, field: int) -> Refusal | None:
        if not 1 <= field <= qwinto.FIELDS:
            return Refusal(
                "no-such-field",
                N_("A row has the fields 1 to 9, so there is no field %(field)s."),
                {"field": field},
            )
        if color not in self.called_colors:
            rows = tuple(COLOR_WORDS[called] for called in self.called_colors)
            return Refusal(
                "row-not-called",
                N_("The %(number)s may only be written in a row of the dice's colors: %(rows)s."),
                {"number": self._sum, "rows": rows},
            )
        return qwinto.refusal(self.sheet_of(player), color, field, self._sum)

    def _pass(self, player: Player) -> QwintoDice | Refusal:
        refused = self._cannot_act(player)
        if refused:
            return refused
        sheet = self.sheet_of(player)
        return self._acted(player, sheet.fail() if player == self.active else sheet)

    def _cannot_act(self, player: Player) -> Refusal | None:
        if self.over:
            return turns.game_over()
        if not self.rolls:
            return Refusal(
                "wrong-moment",
                N_("There is nothing to write yet: %(player)s has to roll the dice first."),
                {"player": self.active},
            )
        if player not in self.now.waiting:
            return turns.already_acted(player)
        return None

    def _next(self) -> QwintoDice | Refusal:
        if self.over:
            return turns.game_over()
        if not self.now.active_has_acted:
            return turns.active_must_act(self.now)
        return self._closed()

    def _acted(self, player: Player, sheet: Sheet) -> QwintoDice:
        place = self.players.index(player)
        sheets = (*self.sheets[:place], sheet, *self.sheets[place + 1 :])
        acted = replace(self, sheets=sheets, now=self.now.with_acted(player))
        return acted._closed() if acted.now.all_have_acted else acted

    def _closed(self) -> QwintoDice:
        """The turn closes; the end is looked at only now, so that everybody finishes the turn."""
        if any(qwinto.is_finished(sheet) for sheet in self.sheets):
            return replace(self, over=True)
        return QwintoDice(now=self.now.following(), sheets=self.sheets)


def _dice(raw: object) -> tuple[tuple[Color, int], ...] | Refusal:
    """The dice of a `roll` in the sheet's colour order, or why they are none."""
    if not isinstance(raw, Mapping) or not 1 <= len(raw) <= len(COLORS):
        return bad_action(N_("A roll takes one, two or three dice."))
    for color, value in raw.items():
        if color not in COLORS:
            return Refusal(
                "bad-dice", N_("There is no %(color)s die in this game."), {"color": str(color)}
            )
        if not is_whole(value):
            return bad_action(N_("A die shows a number from 1 to 6."))
        if value not in DIE_FACES:
            return Refusal(
                "bad-dice", N_("A die shows a number from 1 to 6, not %(value)s."), {"value": value}
            )
    return tuple((color, raw[color]) for color in COLORS if color in raw)


def start(players: tuple[Player, ...], options: Mapping[str, str]) -> QwintoDice:
    """The first position: empty sheets, and the first player is active. There are no options."""
    return QwintoDice(now=Turn(players), sheets=(Sheet(),) * len(players))


GAME: Final = Game(
    name="qwinto-dice",
    title=Word(N_("Qwinto")),
    min_players=2,
    max_players=6,
    start=start,
)
