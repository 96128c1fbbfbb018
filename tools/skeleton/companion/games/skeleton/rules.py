"""The rules: the active player rolls two dice, and everybody writes their sum into a free field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from companion.games.skeleton.sheet import DICE, SkeletonSheet

from companion.core.refusal import Refusal
from companion.core.rolling import PlainDice
from companion.core.turns import PlainRoll
from companion.core.values import Action, Player
from companion.core.words import N_


@dataclass(frozen=True, kw_only=True)
class Skeleton(PlainRoll[SkeletonSheet]):
    ACTIONS: ClassVar = ("roll", "write")
    DICE: ClassVar = PlainDice(DICE)
    HAS_ACTED: ClassVar = N_("%(player)s has written in this turn already.")

    @property
    def _ends(self) -> bool:
        return all(sheet.is_full for sheet in self.sheets)

    def _enter(self, player: Player, action: Action) -> Skeleton | Refusal:
        refused = self._cannot_act(player)
        if refused:
            return refused
        sheet = self.sheet_of(player)
        field = sheet.field_named(action.get("field"))
        if isinstance(field, Refusal):
            return field
        number = sum(self.dice)
        return sheet.refusal(field, number) or self._acted(player, sheet.write(field, number))
