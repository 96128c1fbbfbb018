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
from companion.core.values import Action, Options, Player
from companion.core.words import N_, Sentence, Word
from companion.games.kniffel.rules import Kniffel
from companion.games.kniffel.sheet import KniffelSheet, may_be_extra
from companion.games.kniffel.variants import (
    BY_NAME,
    FORCED,
    NO_JOKERS,
    USUAL,
    FieldName,
)

WROTE: Final = N_("%(player)s wrote: %(line)s")
STRUCK: Final = N_("%(player)s struck out: %(line)s")


def _choices(sheet: KniffelSheet, field: FieldName) -> list[tuple[str, Mapping[str, Any]]]:
    """The points to choose from where the dice are not tapped."""
    found: list[tuple[str, Mapping[str, Any]]] = []
    for points in sorted(sheet.variant.possible[field]):
        found.append((str(points), {"points": points}))
        if may_be_extra(sheet, field, points):
            found.append((f"{points} + {sheet.variant.extra}", {"points": points, "extra": True}))
    return found


def _line_title(position: Kniffel | None, field: FieldName) -> Word:
    """The line's title in the variant played, or in one that has it."""
    variants = BY_NAME.values() if position is None else [position.variant]
    return next(row.line[field].title for row in variants if field in row.line)


class KniffelPanel(DicePanel[Kniffel]):
    actions: ClassVar = {"roll": IN_PARTS, "write": ENTERED}
    options: ClassVar = {
        "variant": Option(
            Sentence("Variant"), {name: Sentence(row.choice) for name, row in BY_NAME.items()}
        ),
        "jokers": Option(
            Sentence("More Kniffels"),
            {
                NO_JOKERS: Sentence("count like any other roll"),
                FORCED: Sentence("are jokers, 100 points extra"),
            },
        ),
    }
    retap = Sentence("Tap the line where the dice were entered.")

    def options_with(self, chosen: Options) -> Mapping[str, Option]:
        """Only Kniffel has a choice of jokers; the other variants imply it."""
        if chosen.get("variant", USUAL.name) == USUAL.name:
            return self.options
        return {name: option for name, option in self.options.items() if name != "jokers"}

    def taps(self, position: Kniffel, player: Player) -> Mapping[str, FieldTap]:
        """Every free line shows its points; a line that would be struck out does not glow."""
        if not position.can_act(player):
            return {}
        sheet, scoring, taps = position.sheet_of(player), position.scoring_fields, {}
        for field in filter(sheet.is_open, position.variant.fields):
            write = {"do": "write", "by": player, "field": field}
            if not position.dice:
                taps[field] = FieldTap(write, False, "", choices=_choices(sheet, field))
                continue
            points, is_scoring = position.worth(field), field in scoring
            is_struck = not points and field in position.open_fields
            taps[field] = FieldTap(write, is_scoring, str(points), costs=is_struck)
        return taps

    def writings(self, position: Kniffel, player: Player) -> Sequence[Mapping[str, object]]:
        """Writing or striking out any line that the dice allow."""
        if not position.can_act(player):
            return []
        return [{"do": "write", "by": player, "field": field} for field in position.open_fields]

    def task(self, position: Kniffel, players: Sequence[Player]) -> Sentence:
        if position.scoring_fields:
            return Sentence("tap the line for the dice")
        return Sentence("nothing fits, so tap a line to strike out")

    def near(self, position: Kniffel) -> Sequence[Sentence]:
        last_sheet = position.sheet_of(position.players[-1])
        left = sum(map(last_sheet.is_open, position.variant.fields))
        return [Sentence("The last round")] if left == 1 else []

    def describe(self, position: Kniffel | None, action: Action) -> Sentence:
        player = action.get("by", "")
        if action["do"] == "roll":
            return describe_roll(action, " ".join(map(str, sorted(action["dice"]))))
        field, points = action["field"], action.get("points")
        if position is not None and position.dice:
            points = position.worth(field)
        text = N_("%(player)s wrote %(points)s: %(line)s") if points else STRUCK
        line = _line_title(position, field)
        values = {"player": player, "line": line, "points": points}
        return Sentence(WROTE if points is None else text, values)

    def ended(self, position: Kniffel) -> list[Sentence]:
        """Says that the sheets are full, which ends every game."""
        return [Sentence("Every sheet is full.")]
