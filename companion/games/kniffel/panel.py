"""The panel of Kniffel: five dice to tap, and what they are worth in each line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from companion.core.panel import (
    ENTERED,
    IN_PARTS,
    DicePanel,
    FieldTap,
    Option,
)
from companion.core.rolling import describe_roll
from companion.core.values import Action, Player
from companion.core.words import N_, Sentence
from companion.games.kniffel.layout import NAMES
from companion.games.kniffel.rules import Kniffel
from companion.games.kniffel.sheet import (
    EXTRA,
    FIELDS,
    FORCED,
    NO_JOKERS,
    POSSIBLE,
    FieldName,
    KniffelSheet,
    may_be_extra,
)

WROTE: Final = N_("%(player)s wrote: %(line)s")
STRUCK: Final = N_("%(player)s struck out: %(line)s")


def _choices(sheet: KniffelSheet, field: FieldName) -> list[tuple[str, Mapping[str, Any]]]:
    """The points to type where the dice are not tapped."""
    found: list[tuple[str, Mapping[str, Any]]] = []
    for points in sorted(POSSIBLE[field]):
        found.append((str(points), {"points": points}))
        if may_be_extra(sheet, field, points):
            found.append((f"{points} + {EXTRA}", {"points": points, "extra": True}))
    return found


class KniffelPanel(DicePanel[Kniffel]):
    actions: ClassVar = {"roll": IN_PARTS, "write": ENTERED}
    options: ClassVar = {
        "jokers": Option(
            Sentence("Further Kniffels"),
            {
                NO_JOKERS: Sentence("count as any other dice"),
                FORCED: Sentence("are jokers, 100 points extra"),
            },
        )
    }
    retap = Sentence("Tap the line in which the dice were written.")

    def taps(self, position: Kniffel, player: Player) -> Mapping[str, FieldTap]:
        """Every free line shows its points; a line that would be struck out does not glow."""
        if not position.can_act(player):
            return {}
        sheet, scoring, taps = position.sheet_of(player), position.scoring_fields, {}
        for field in filter(sheet.is_open, FIELDS):
            write = {"do": "write", "by": player, "field": field}
            if not position.dice:
                taps[field] = FieldTap(write, False, "", choices=_choices(sheet, field))
                continue
            points = position.worth(field)
            is_struck = not points and position.misfit(field) is None
            taps[field] = FieldTap(write, field in scoring, str(points), costs=is_struck)
        return taps

    def writings(self, position: Kniffel, player: Player) -> Sequence[Mapping[str, object]]:
        """Writing or striking out any line that the dice allow."""
        if not position.can_act(player):
            return []
        return [{"do": "write", "by": player, "field": field} for field in position.open_fields]

    def task(self, position: Kniffel, players: Sequence[Player]) -> Sentence:
        if position.scoring_fields:
            return Sentence("tap the line for the dice")
        return Sentence("nothing fits, so tap the line to strike out")

    def near(self, position: Kniffel) -> Sequence[Sentence]:
        last_sheet = position.sheet_of(position.players[-1])
        left = sum(map(last_sheet.is_open, NAMES))
        return [Sentence("The last round")] if left == 1 else []

    def describe(self, position: Kniffel | None, action: Action) -> Sentence:
        player = action.get("by", "")
        if action["do"] == "roll":
            return describe_roll(action, " ".join(map(str, sorted(action["dice"]))))
        field, points = action["field"], action.get("points")
        if position is not None and position.dice:
            points = position.worth(field)
        text = N_("%(player)s wrote %(points)s: %(line)s") if points else STRUCK
        values = {"player": player, "line": Sentence(NAMES[field]), "points": points}
        return Sentence(WROTE if points is None else text, values)

    def ended(self, position: Kniffel) -> list[Sentence]:
        """Full sheets, which end every game."""
        return [Sentence("Every sheet is full.")]
