"""The panel of Kniffel: five dice to tap, and what they are worth in each line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from companion.core.panel import (
    ENTERED,
    IN_PARTS,
    EnteredAction,
    FieldTap,
    Option,
    PassButton,
    SheetPanel,
    dice_picker,
    entry_of_turn,
    roll_hint,
)
from companion.core.rolling import describe_roll
from companion.core.values import Action, Player
from companion.core.words import N_, Sentence
from companion.games.kniffel.layout import NAMES
from companion.games.kniffel.rules import FIVE, ROLLS, Kniffel
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


def _picker(position: Kniffel, dice: Sequence[int] = (), replaces: str = "") -> dict[str, object]:
    action = {"do": "roll", "by": position.active, "dice": "$dice"}
    return dice_picker(action, FIVE, dice, replaces)


def _choices(sheet: KniffelSheet, field: FieldName) -> list[tuple[str, Mapping[str, Any]]]:
    """The points to type where the dice are not tapped."""
    found: list[tuple[str, Mapping[str, Any]]] = []
    for points in sorted(POSSIBLE[field]):
        found.append((str(points), {"points": points}))
        if may_be_extra(sheet, field, points):
            found.append((f"{points} + {EXTRA}", {"points": points, "extra": True}))
    return found


class KniffelPanel(SheetPanel[Kniffel]):
    """The table page of Kniffel."""

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

    def facts(self, position: Kniffel, entries: Sequence[EnteredAction]) -> Mapping[str, object]:
        """The values for `templates/games/kniffel/panel.html`."""
        replaces = entry_of_turn(position.turn, entries, "roll")
        return {
            "dice": position.dice,
            "rolls_left": ROLLS - position.rolls,
            "may_roll": not position.over,
            "roll": _picker(position),
            "reroll": _picker(position, position.dice, replaces),
        }

    def picker(self, position: Kniffel, entry: EnteredAction) -> Mapping[str, object] | None:
        """The dice to tap when a roll is corrected; `position` is the one before it."""
        if entry.action["do"] != "roll":
            return None
        return _picker(position, entry.action["dice"])

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

    def passing(self, position: Kniffel, player: Player) -> PassButton | None:
        """None: a line has to be filled."""
        return None

    def hint(self, position: Kniffel, here: Sequence[Player] = ()) -> Sentence:
        """The active player's roll, or the line to fill."""
        if not position.dice and not position.over:
            return roll_hint(position.active, here)
        return super().hint(position, here)

    def task(self, position: Kniffel, players: Sequence[Player]) -> Sentence:
        """The line to fill or to strike out."""
        if position.scoring_fields:
            return Sentence("tap the line for the dice")
        return Sentence("nothing fits, so tap the line to strike out")

    def near(self, position: Kniffel) -> Sequence[Sentence]:
        """The last round."""
        left = sum(position.sheet_of(position.players[-1]).is_open(field) for field in NAMES)
        return [Sentence("The last round")] if left == 1 else []

    def describe(self, position: Kniffel | None, action: Action) -> Sentence:
        """A `roll` or `write` in words."""
        player = action.get("by", "")
        if action["do"] == "roll":
            return describe_roll(action, " ".join(map(str, sorted(action["dice"]))))
        line = Sentence(NAMES[action["field"]])
        points = action.get("points")
        if position is not None and position.dice:
            points = position.worth(action["field"])
        if points is None:
            return Sentence("%(player)s wrote: %(line)s", {"player": player, "line": line})
        values = {"player": player, "line": line, "points": points}
        text = N_("%(player)s wrote %(points)s: %(line)s")
        return Sentence(text if points else N_("%(player)s struck out: %(line)s"), values)

    def ended(self, position: Kniffel) -> list[Sentence]:
        """Full sheets, which end every game."""
        return [Sentence("Every sheet is full.")]
