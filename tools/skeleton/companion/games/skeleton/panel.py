"""The panel: two dice to tap, and the free fields for their sum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from companion.games.skeleton.rules import Skeleton
from companion.games.skeleton.sheet import RANGES

from companion.core.panel import ENTERED, IN_PARTS, DicePanel, FieldTap
from companion.core.rolling import describe_roll
from companion.core.values import Action, Player
from companion.core.words import N_, Sentence


class SkeletonPanel(DicePanel[Skeleton]):
    actions: ClassVar = {"roll": IN_PARTS, "write": ENTERED}

    def taps(self, position: Skeleton, player: Player) -> Mapping[str, FieldTap]:
        """Every free field shows the sum that would stand in it; those that take it glow."""
        if not position.can_act(player):
            return {}
        sheet, number, taps = position.sheet_of(player), sum(position.dice), {}
        for field in filter(sheet.is_open, RANGES):
            write = {"do": "write", "by": player, "field": field}
            taps[field] = FieldTap(write, sheet.refusal(field, number) is None, str(number))
        return taps

    def task(self, position: Skeleton, players: Sequence[Player]) -> Sentence:
        return Sentence("write the %(number)s", {"number": sum(position.dice)})

    def near(self, position: Skeleton) -> Sequence[Sentence]:
        left = len(RANGES) - min(len(sheet.entries) for sheet in position.sheets)
        return [Sentence("Two turns to go")] if left == 2 else []

    def describe(self, position: Skeleton | None, action: Action) -> Sentence:
        if action["do"] == "roll":
            return describe_roll(action, " ".join(map(str, action["dice"])))
        values = {"player": action["by"], "field": action["field"]}
        if position is None or not position.dice:
            return Sentence("%(player)s wrote: field %(field)s", values)
        number = sum(position.dice)
        text = N_("%(player)s wrote %(number)s: field %(field)s")
        return Sentence(text, {**values, "number": number})

    def ended(self, position: Skeleton) -> Sequence[Sentence]:
        return [Sentence("Every sheet is full.")]
