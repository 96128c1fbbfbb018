"""The part of the rules that both Qwinto games share: write or pass, close the turn, win.

It does not know where the number comes from, dice or cards; the sheet's own rules are in
`qwinto/sheet.py`. Sources: the chapters "How to play" of both rule texts.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Self

from companion.core.refusal import Refusal, bad_action
from companion.core.turns import SheetPosition
from companion.core.values import Action, Player, is_whole
from companion.games.qwinto import sheet as qwinto
from companion.games.qwinto.sheet import COLORS, Color, QwintoSheet


@dataclass(frozen=True, kw_only=True)
class QwintoTurn(SheetPosition[QwintoSheet]):
    """A position of either Qwinto; see `core.position.Position`."""

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
    def _row_not_called(self) -> Refusal:
        """Why the called number cannot be written in a row of another color."""

    @property
    def _ends(self) -> bool:
        return any(map(qwinto.is_finished, self.sheets))

    def open_fields(self, player: Player) -> tuple[tuple[Color, int], ...]:
        """Every (row, field 1–9) in which this player may write the called number now."""
        if self.called is None or self._cannot_act(player):
            return ()
        sheet = self.sheet_of(player)
        found: list[tuple[Color, int]] = []
        for color in self.called_colors:
            found += [(color, field) for field in qwinto.open_fields(sheet, color, self.called)]
        return tuple(found)

    def _enter(self, player: Player, action: Action) -> Self | Refusal:
        row, field = action.get("row"), action.get("field")
        if not isinstance(row, str) or row not in COLORS:
            return bad_action("There is no such row on the sheet.")
        if not is_whole(field):
            return bad_action("The field must be a number from 1 to 9.")
        refused = self._cannot_act(player) or self._misfit(player, row, field)
        if refused:
            return refused
        sheet = self.sheet_of(player).write(qwinto.ROWS[row][field - 1], self._sum)
        return self._acted(player, sheet)

    def _misfit(self, player: Player, color: Color, field: int) -> Refusal | None:
        if not 1 <= field <= qwinto.FIELDS:
            return Refusal(
                "no-such-field",
                "A row has the fields 1 to 9, so there is no field %(field)s.",
                {"field": field},
            )
        # Checked first: if nobody may write the number, the row does not matter.
        if self._sum >= qwinto.LOWEST and color not in self.called_colors:
            return self._row_not_called()
        return qwinto.refusal(self.sheet_of(player), color, field, self._sum)

    def _passed(self, player: Player) -> QwintoSheet:
        sheet = self.sheet_of(player)
        return sheet.fail() if player == self.active else sheet
