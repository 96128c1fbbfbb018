"""The panel of Qwixx: six dice to tap, the sums of the present step, the numbers that glow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import ClassVar, Final

from companion.core.colors import COLOR_WORDS, color_view
from companion.core.panel import (
    BARRED,
    ENTERED,
    IN_PARTS,
    UNDONE_ONLY,
    CloseButton,
    EnteredAction,
    FieldId,
    FieldTap,
    SheetPanel,
    colored_picker,
    entry_of_turn,
    is_rolled_by_app,
    is_yours,
    of_players,
    some_names,
    to_end,
)
from companion.core.rolling import describe_roll
from companion.core.sheet import Mark
from companion.core.signs import Sign, dice
from companion.core.values import Action, Player
from companion.core.words import N_, Sentence, joined
from companion.games.qwixx import sheet as qwixx
from companion.games.qwixx.dice import WHITE, entered_dice
from companion.games.qwixx.rules import CLOSED_ROWS_TO_END, Qwixx
from companion.games.qwixx.sheet import COLORS, Color

TAPS_KEPT: Final = 512  # sets of open fields in the cache of taps; about 15 kB each


def _roll_picker(
    position: Qwixx, colors: Iterable[Color], picks: Mapping[str, object], replaces: str
) -> Mapping[str, object]:
    """The grid for `templates/games/qwixx/panel.html`: the white dice, and those of `colors`."""
    dice = dict.fromkeys(WHITE.parts, "white")
    action = {"do": "roll", "by": position.active, "white": "$white"}
    for color in colors:
        dice[f"dice.{color}"] = color
        action["dice"] = "$dice"
    return colored_picker(action, dice, picks, replaces)


def _picks(white: Sequence[int], colored: Mapping[Color, int]) -> dict[str, object]:
    """The dice of a roll as parts of the grid."""
    picks: dict[str, object] = {**WHITE.picks(white)}
    for color, value in colored.items():
        picks[f"dice.{color}"] = value
    return picks


def _dice(white: Sequence[int], colored: Mapping[str, int]) -> Sentence:
    """The dice as "white 3 + 4 = 7, red 1, green 5"."""
    dice = [joined((COLOR_WORDS["white"], f"{' + '.join(map(str, white))} = {sum(white)}"), " ")]
    for color in COLORS:
        if color in colored:
            dice.append(joined((COLOR_WORDS[color], str(colored[color])), " "))
    return joined(dice)


@lru_cache(maxsize=TAPS_KEPT)
def _taps(player: Player, allowed: tuple[tuple[Color, int], ...]) -> Mapping[str, FieldTap]:
    taps = {}
    for row, numbers in qwixx.NUMBERS.items():
        for number in numbers:
            action = {"do": "cross", "by": player, "row": row, "number": number}
            taps[f"{row}.{number}"] = FieldTap(action, (row, number) in allowed, "")
    return taps


class QwixxPanel(SheetPanel[Qwixx]):
    actions: ClassVar = {"roll": IN_PARTS, "cross": ENTERED, "pass": ENTERED, "next": UNDONE_ONLY}
    full_roll_name = Sentence("Enter all dice")
    retap = Sentence("Tap the number that was crossed.")
    fail_button = Sentence("Failed roll −5")
    fail_text = N_("%(player)s: failed roll, −5")
    close_step = Sentence("on to the colored dice")
    closed = Sentence("The white dice were ended early")

    def facts(self, position: Qwixx, entries: Sequence[EnteredAction]) -> Mapping[str, object]:
        """The values for `templates/games/qwixx/panel.html`."""
        colored = dict(position.colored)
        roll = entry_of_turn(position.turn, entries, "roll")
        usable = {row for row, _ in position.open_crosses(position.active)}
        dice = []
        for color, value in position.colored:
            is_dim = position.in_color_step and color not in usable
            die = {"value": value, "sums": position.sums(color), "is_dim": is_dim}
            dice.append({**color_view(color), **die})
        return {
            "is_rolled": bool(position.white),
            "is_by_app": is_rolled_by_app(position.turn, entries),
            "may_roll": not (position.over or position.in_color_step or position.now.acted),
            "in_color_step": position.in_color_step,
            "white": position.white,
            "white_sum": sum(position.white),
            "colored": dice,
            "is_all_entered": len(colored) == len(position.open_rows),
            "closed_rows": list(map(color_view, position.closed)),
            "roll": _roll_picker(position, position.open_rows, {}, ""),
            "white_roll": _roll_picker(position, (), {}, ""),
            "reroll": _roll_picker(position, colored, _picks(position.white, colored), roll),
        }

    def quick_hint(self, position: Qwixx, here: Sequence[Player]) -> Sentence | None:
        if not is_yours(position.active, here):
            return None
        return Sentence("Your turn: roll, then tap the two white dice")

    def picker(self, position: Qwixx, entry: EnteredAction) -> Mapping[str, object] | None:
        """The dice to tap when a roll is corrected; `position` is the one before it."""
        if entry.action["do"] != "roll":
            return None
        entered = entered_dice(entry.action)
        colored = {color: entered[color] for color in position.open_rows if color in entered}
        return _roll_picker(position, colored, _picks(entry.action["white"], colored), "")

    def on_table(self, action: Action) -> tuple[Sign, ...]:
        """The white dice, then those colored ones that were entered."""
        if action["do"] != "roll":
            return ()
        entered = entered_dice(action)
        signs = [("white", value) for value in action["white"]]
        for color in COLORS:
            if color in entered:
                signs.append((color, entered[color]))
        return dice(signs)

    def taps(self, position: Qwixx, player: Player) -> Mapping[str, FieldTap]:
        """Every number while the player may cross; an illegal one answers with the reason."""
        if not position.can_act(player):
            return {}
        taps = _taps(player, position.open_crosses(player))
        return {**taps, **self.failing(position, player)}

    def marks(self, position: Qwixx, player: Player) -> Mapping[FieldId, Mark]:
        """The fields of the closed rows, and the numbers that the player can no longer cross."""
        sheet = position.sheet_of(player)
        barred: dict[FieldId, Mark] = {}
        for color in COLORS:
            places: Sequence[object] = qwixx.lost_numbers(sheet, color)
            if color in position.closed:
                places = (*qwixx.NUMBERS[color], "lock")
            barred |= dict.fromkeys((f"{color}.{place}" for place in places), BARRED)
        return barred

    def closing(self, position: Qwixx) -> CloseButton:
        if position.in_color_step:
            return super().closing(position)
        return CloseButton(Sentence("On to the colored dice"))

    def is_idle(self, position: Qwixx, player: Player) -> bool:
        """Whether the white sum does not fit a player whose turn it is not."""
        has_turn = player == position.active or not position.white
        return not (has_turn or self.may_write(position, player))

    def fails(self, position: Qwixx, player: Player) -> bool:
        """Whether the active player has crossed nothing in the whole turn."""
        return position.passing_fails

    def hint(self, position: Qwixx, here: Sequence[Player] = ()) -> Sentence:
        """The active player's roll, or who may cross."""
        has_acted = not position.over and position.now.active_has_acted
        if has_acted and is_yours(position.active, here):
            others = {"players": some_names(position.awaited)}
            return Sentence("Waiting for %(players)s. You may tap a colored number already", others)
        return super().hint(position, here)

    def task(self, position: Qwixx, players: Sequence[Player]) -> Sentence:
        fits = any(self.may_write(position, player) for player in players)
        if fits and position.passing_fails:
            return Sentence("tap a glowing field, or take the failed roll")
        if fits:
            return Sentence("tap a glowing field or pass")
        if position.passing_fails:
            return Sentence("no field fits, so it is a failed roll")
        if position.active in players:
            return Sentence("no field fits, so pass")
        return Sentence("no field fits")

    def may_write(self, position: Qwixx, player: Player) -> bool:
        return bool(position.open_crosses(player))

    def near(self, position: Qwixx) -> Sequence[Sentence]:
        lines = []
        if len(position.locked) == CLOSED_ROWS_TO_END - 1:
            lines.append(Sentence("1 row from the end"))
        text = N_("%(player)s: 1 failed roll from the end")
        for player in position.players:
            if position.sheet_of(player).failed == qwixx.FAILED_ROLLS - 1:
                lines.append(to_end(player, 1, text, text))
        return lines

    def describe(self, position: Qwixx | None, action: Action) -> Sentence:
        """A `roll`, `cross`, `pass` or `next` in words."""
        player = action.get("by", "")
        if action["do"] == "roll":
            dice = _dice(action["white"], entered_dice(action))
            return describe_roll(action, dice)
        if action["do"] == "cross":
            row, number = action["row"], action["number"]
            text = (
                N_("%(player)s crossed the %(number)s in %(color)s, and the lock")
                if number == qwixx.LAST[row]
                else N_("%(player)s crossed the %(number)s in %(color)s")
            )
            values = {"player": player, "number": number, "color": COLOR_WORDS[row]}
            return Sentence(text, values)
        return super().describe(position, action)

    def ended(self, position: Qwixx) -> list[Sentence]:
        """Names the closed rows, and the players with four failed rolls."""
        rows = joined(COLOR_WORDS[color] for color in position.closed)
        is_closed = len(position.closed) >= CLOSED_ROWS_TO_END
        closed = [Sentence("Closed rows: %(rows)s", {"rows": rows})] if is_closed else []
        return closed + of_players(position, N_("Four failed rolls: %(players)s"), qwixx.has_failed)
