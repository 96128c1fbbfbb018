"""The rules of Kniffel: five dice, up to three rolls, and one field of your own sheet a turn.

Its variants differ only in their sheets; see `variants.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from companion.core.refusal import Refusal, bad_action
from companion.core.rolling import PlainDice
from companion.core.turns import DiceTurn, OwnTurn
from companion.core.values import Action, Player, is_whole
from companion.core.words import N_
from companion.games.kniffel import sheet
from companion.games.kniffel.sheet import KniffelSheet
from companion.games.kniffel.variants import DICE, FieldName, Variant


@dataclass(frozen=True, kw_only=True)
class Kniffel(DiceTurn[KniffelSheet]):
    ACTIONS: ClassVar = ("roll", "write")
    DICE: ClassVar = PlainDice(DICE)
    ROLLS: ClassVar = 3

    @property
    def _ends(self) -> bool:
        return all(sheet.is_full for sheet in self.sheets)

    @property
    def variant(self) -> Variant:
        return self.sheets[0].variant

    def worth(self, field: FieldName) -> int:
        """The points of the dice that lie in a field of the active player's sheet."""
        return sheet.worth(self.sheet_of(self.active), field, self.dice)

    @cached_property
    def open_fields(self) -> tuple[FieldName, ...]:
        """The fields of the active player's sheet in which the dice that lie may be written."""
        fields = self.variant.fields if self.dice else ()
        return tuple(field for field in fields if self.misfit(field) is None)

    @cached_property
    def scoring_fields(self) -> tuple[FieldName, ...]:
        """The open fields in which the dice are worth anything."""
        return tuple(field for field in self.open_fields if self.worth(field))

    def misfit(self, field: FieldName) -> Refusal | None:
        """Why the dice on the table cannot be written in the active player's field, or None."""
        return sheet.refusal(self.sheet_of(self.active), field, self.dice)

    def _too_early(self, player: Player) -> Refusal | None:
        """None before a roll either, since a table may type the points."""
        return OwnTurn._too_early(self, player)

    # Refusals go from the general one (another player's turn) to the special one (does not fit).

    def _enter(self, player: Player, action: Action) -> Kniffel | Refusal:
        own = self.sheet_of(player)
        if refused := self._cannot_act(player):
            return refused
        field = own.field_named(action.get("field"))
        if isinstance(field, Refusal):
            return field
        if not self.dice:
            return self._write_typed(player, own, field, action)
        refused = sheet.refusal(own, field, self.dice)
        if refused:
            return refused
        points = sheet.worth(own, field, self.dice)
        return self._acted(player, own.write(field, points, sheet.brings_extra(own, self.dice)))

    def _write_typed(
        self, player: Player, own: KniffelSheet, field: FieldName, action: Action
    ) -> Kniffel | Refusal:
        """The position after an entry at a table that types points instead of dice."""
        if "points" not in action:
            return Refusal("wrong-moment", "Tap what the dice show, or type the points.")
        points = action["points"]
        if not is_whole(points):
            return bad_action("Points must be a whole number.")
        refused = sheet.typed_refusal(own, field, points)
        if refused:
            return refused
        is_extra = bool(self.variant.extra) and action.get("extra") is True
        if is_extra and not sheet.may_be_extra(own, field, points):
            text = N_("Another %(name)s cannot score %(points)s in this field.")
            values = {"name": self.variant.title, "points": points}
            return Refusal("points-impossible", text, values, (field,))
        return self._acted(player, own.write(field, points, is_extra))
