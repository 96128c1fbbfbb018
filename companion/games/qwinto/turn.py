"""The part of the rules that both Qwinto games share: write or pass, close the turn, win.

It does not know where the number comes from, dice or cards; the sheet's own rules are in
`qwinto/sheet.py`. Sources: the chapters "How to play" of both rule texts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from itertools import compress
from typing import Self

from companion.core import turns
from companion.core.refusal import Refusal, bad_action
from companion.core.result import won
from companion.core.turns import Turn
from companion.core.values import Action, Document, Player, is_whole
from companion.core.words import N_
from companion.games.qwinto import sheet as qwinto
from companion.games.qwinto.sheet import COLORS, Color, QwintoSheet


@dataclass(frozen=True)
class QwintoTurn(ABC):
    """A game of either Qwinto at one moment; see `core.position.Position`."""

    now: Turn
    sheets: tuple[QwintoSheet, ...]
    """The sheets in the players' order."""
    over: bool = False

    @property
    @abstractmethod
    def called(self) -> int | None:
        """The sum that everybody may write, or None before there is one."""

    @property
    @abstractmethod
    def called_colors(self) -> tuple[Color, ...]:
        """The rows in which the sum may be written, from top to bottom."""

    @property
    def _sum(self) -> int:
        """The number called; 0, which nobody may write, before there is one."""
        return self.called or 0

    @abstractmethod
    def _nothing_called(self) -> Refusal:
        """Why nobody can write or pass before a number has been called."""

    @abstractmethod
    def _row_not_called(self) -> Refusal:
        """Why the called number may not stand in a row of another color."""

    @abstractmethod
    def _following(self) -> Self:
        """The next player's turn, with the dice or cards that this turn leaves on the table."""

    @property
    def _ends(self) -> bool:
        """Whether the game ends when the turn closes now."""
        return any(qwinto.is_finished(sheet) for sheet in self.sheets)

    @property
    def is_last_turn(self) -> bool:
        """Whether the game is to end with this turn."""
        return not self.over and self._ends

    @property
    def players(self) -> tuple[Player, ...]:
        return self.now.players

    @property
    def turn(self) -> int:
        return self.now.number

    @property
    def step(self) -> int:
        return self.now.number

    @property
    def active(self) -> Player:
        return self.now.active

    @property
    def waiting(self) -> tuple[Player, ...]:
        return () if self.over else self.now.waiting

    def winners(self) -> tuple[Player, ...]:
        """Everybody with the most points: a tie shares the win."""
        if not self.over:
            return ()
        return tuple(compress(self.players, won([qwinto.result(sheet) for sheet in self.sheets])))

    def sheet_of(self, player: Player) -> QwintoSheet:
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

    def _play_shared(self, action: Action) -> Self | Refusal:
        """The position after a `write`, `pass` or `next`, or why it is not allowed."""
        if action["do"] == "next":
            return self._next()
        player = turns.actor(self.players, action)
        if isinstance(player, Refusal):
            return player
        if action["do"] == "write":
            return self._write(player, action.get("row"), action.get("field"))
        return self._pass(player)

    # Each refusal below is named in the public interface; the order is from the general one
    # (the game is over) to the special one (this number does not fit there).

    def _write(self, player: Player, row: object, field: object) -> Self | Refusal:
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
        # Checked first: if nobody may write the number, the row does not matter.
        if self._sum >= qwinto.LOWEST and color not in self.called_colors:
            return self._row_not_called()
        return qwinto.refusal(self.sheet_of(player), color, field, self._sum)

    def _pass(self, player: Player) -> Self | Refusal:
        refused = self._cannot_act(player)
        if refused:
            return refused
        sheet = self.sheet_of(player)
        return self._acted(player, sheet.fail() if player == self.active else sheet)

    def _cannot_act(self, player: Player) -> Refusal | None:
        if self.over:
            return turns.game_over()
        if self.called is None:
            return self._nothing_called()
        if player not in self.now.waiting:
            return turns.already_acted(player)
        return None

    def _next(self) -> Self | Refusal:
        if self.over:
            return turns.game_over()
        if not self.now.active_has_acted:
            return turns.active_must_act(self.now)
        return self._closed()

    def _acted(self, player: Player, sheet: QwintoSheet) -> Self:
        place = self.players.index(player)
        sheets = (*self.sheets[:place], sheet, *self.sheets[place + 1 :])
        acted = replace(self, sheets=sheets, now=self.now.with_acted(player))
        return acted._closed() if acted.now.all_have_acted else acted

    def _closed(self) -> Self:
        """The position after the turn; the end is checked only now, so everybody finishes it."""
        return replace(self, over=True) if self._ends else self._following()
