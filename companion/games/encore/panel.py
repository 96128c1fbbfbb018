"""The panel of Encore!: the boxes that any two dice reach, and the dice if they are entered."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final

from companion.core.colors import COLOR_LETTERS, COLOR_WORDS, color_view
from companion.core.panel import (
    ENTERED,
    GAME_OVER,
    IN_PARTS,
    UNDONE_ONLY,
    CloseButton,
    EnteredAction,
    Left,
    Option,
    SheetPanel,
    entry_of_turn,
    is_rolled_by_app,
    is_yours,
    of_players,
    picking,
    to_end,
)
from companion.core.refusal import Refusal
from companion.core.rolling import describe_roll
from companion.core.sheet import Mark
from companion.core.signs import Sign, dice
from companion.core.values import Action, Player
from companion.core.words import N_, Sentence, Word, joined
from companion.games.encore import sheet as encore_sheet
from companion.games.encore.boards import COLORS, Boxes
from companion.games.encore.dice import (
    COLOR_FACES,
    JOKER,
    NUMBER_FACES,
    DiceChoice,
    is_entered,
    kinds,
)
from companion.games.encore.layout import JOKER_SIGN, SHEET
from companion.games.encore.rules import SOLO_ROLLS, Encore

CHOOSES_FIRST: Final = N_("%(player)s chooses two dice first")
JOKER_WORD: Final = Word("joker")


def _roll_picker(
    position: Encore, shown: tuple[Sequence[Any], Sequence[Any]], replaces: str
) -> Mapping[str, object]:
    colors, numbers = kinds(position.dice)
    slots = (*colors.parts, *numbers.parts)
    picks = colors.picks(shown[0]) | numbers.picks(shown[1])
    action = {"do": "roll", "by": position.active, "colors": "$colors", "numbers": "$numbers"}
    return picking(
        action,
        slots,
        picks,
        kind="roll",
        replaces=replaces,
        slots=slots,
        color_faces=list(map(_color_die, COLOR_FACES)),
        number_faces=list(map(_number_die, NUMBER_FACES)),
    )


def _color_die(face: str) -> dict[str, Any]:
    if face == JOKER:
        return {"value": JOKER, "color": JOKER, "letter": "✕", "word": JOKER_WORD}
    return {"value": face, "color": face, **color_view(face)}


def _number_die(face: int | str) -> dict[str, Any]:
    return {"value": face, "shown": "?" if face == JOKER else str(face)}


def _useful(ways: Mapping[DiceChoice, Sequence[Boxes]]) -> list[DiceChoice]:
    """The choices for a color and a count, without those that a choice with fewer jokers covers."""
    fewest: dict[tuple[str, int], int] = {}  # (color, number of boxes) → jokers
    for choice in sorted(ways, key=lambda choice: choice.jokers):
        for way in ways[choice]:
            fewest.setdefault((choice.color, len(way)), choice.jokers)
    useful = []
    for choice, found in ways.items():
        if any(fewest[choice.color, len(way)] == choice.jokers for way in found):
            useful.append(choice)
    return useful


def _use(choices: Sequence[DiceChoice], part: str, face: object, other: str) -> dict[str, object]:
    partners = [getattr(choice, other) for choice in choices if getattr(choice, part) == face]
    return {"is_dim": not partners, "goes_with": " ".join(map(str, dict.fromkeys(partners)))}


def _color_dice(colors: Sequence[str], choices: Sequence[DiceChoice]) -> list[dict[str, Any]]:
    """The colours among the dice, each once with its count and the numbers that go with it."""
    found = []
    for face, count in Counter(colors).items():
        use = _use(choices, "color_die", face, "number_die")
        found.append({**_color_die(face), **use, "count": count})
    return found


def _number_dice(
    numbers: Sequence[int | str], choices: Sequence[DiceChoice]
) -> list[dict[str, Any]]:
    """The numbers among the dice, each once with its count and the colours that go with it."""
    found = []
    for number, count in Counter(numbers).items():
        use = _use(choices, "number_die", number, "color_die")
        found.append({**_number_die(number), **use, "count": count})
    return found


def _crossings_of(position: Encore, entries: Sequence[EnteredAction]) -> list[Action]:
    """The active player's crossings in this turn."""
    found = []
    for entry in entries:
        action = entry.action
        if entry.turn != position.turn or action["do"] != "cross":
            continue
        if action["by"] == position.active:
            found.append(action)
    return found


def _picked_choices(
    position: Encore, player: Player, picked: Mapping[str, str]
) -> Iterator[DiceChoice]:
    """The choices of dice that a player may have in mind who has picked these boxes and dice."""
    colors, numbers = position.dice_left(player)
    color = next((die for die in colors if die != JOKER), COLORS[0])
    if boxes := picked.get("fields", "").split():
        color = position.sheet_of(player).board.colors.get(boxes[0], color)
    color_dice = [picked["color_die"]] if "color_die" in picked else [color, JOKER]
    for color_die in color_dice:
        for number_die in dict.fromkeys(numbers):
            if picked.get("number_die", str(number_die)) == str(number_die):
                yield DiceChoice(color_die, number_die, color if color_die == JOKER else color_die)


NEAR: Final = 3  # Limit of the distance to the end, in boxes, from which the page announces it
_WITH_JOKERS: Final = ("", N_("%(what)s, with a joker"), N_("%(what)s, with two jokers"))


class EncorePanel(SheetPanel[Encore]):
    """The table page of Encore!; boxes are tapped in sets (see `player_facts`)."""

    actions: ClassVar = {"roll": IN_PARTS, "cross": ENTERED, "pass": ENTERED, "next": UNDONE_ONLY}
    full_roll_name = Sentence("Enter all dice")
    nothing_fits = N_("%(what)s – no box fits: %(players)s")
    options: ClassVar = {
        "board": Option(
            Sentence("Board"),
            SHEET.boards,
            {board: SHEET.paper(board).layout for board in SHEET.boards},
        )
    }

    def facts(self, position: Encore, entries: Sequence[EnteredAction]) -> Mapping[str, object]:
        """The values for `templates/games/encore/panel.html`; see `Panel.facts`."""
        roll = entry_of_turn(position.turn, entries, "roll")
        taken = position.taken if position.active_comes_first else None
        colors, numbers = position.color_dice, position.number_dice
        if not position.is_entered:
            # If nobody entered the dice, only those that the active player used are known.
            used = _crossings_of(position, entries)
            colors = tuple(action["color_die"] for action in used)
            numbers = tuple(action["number_die"] for action in used)
        return {
            "is_rolled": bool(position.color_dice),
            "is_entered": position.is_entered,
            "is_by_app": is_rolled_by_app(position.turn, entries),
            "may_roll": not position.over and not position.now.acted,
            "color_dice": list(map(_color_die, colors)),
            "number_dice": list(map(_number_die, numbers)),
            "taken": taken,
            "roll": _roll_picker(position, ((), ()), ""),
            "reroll": _roll_picker(position, (colors, numbers), roll),
        }

    def implied(self, position: Encore, player: Player, all_dice: bool) -> Action | None:
        """The roll that a first act implies when nobody entered the dice.

        Where all choose at once, anybody's act implies it.
        """
        is_first = player == position.active or not position.active_comes_first
        if not is_first or all_dice or position.over or position.color_dice:
            return None
        return {"do": "roll", "by": position.active, "told": False}

    def quick_hint(self, position: Encore, here: Sequence[Player]) -> Sentence | None:
        """Says whether the others wait or may act at once when nobody enters the dice."""
        if is_yours(position.active, here):
            return Sentence("Your turn: roll, then cross boxes or pass")
        if position.active in here:
            return None
        values = {"player": position.active}
        if position.active_comes_first or not here:
            return Sentence(CHOOSES_FIRST, values)
        return Sentence("%(player)s rolls: cross boxes or pass", values)

    def picker(self, position: Encore, entry: EnteredAction) -> Mapping[str, object] | None:
        """The controls for correcting an entry: a roll, or the dice and boxes of a crossing."""
        if entry.action["do"] == "roll":
            entered = entry.action if is_entered(entry.action) else {}
            dice = entered.get("colors", ()), entered.get("numbers", ())
            return _roll_picker(position, dice, "")
        if entry.action["do"] in ("cross", "pass"):
            return self.player_facts(position, str(entry.action["by"]))
        return None

    def on_table(self, action: Action) -> tuple[Sign, ...]:
        if action["do"] != "roll" or not is_entered(action):
            return ()
        colors = [(color, COLOR_LETTERS.get(color, "✕")) for color in action["colors"]]
        numbers = [("white", _number_die(face)["shown"]) for face in action["numbers"]]
        return dice(colors + numbers)

    def player_facts(self, position: Encore, player: Player) -> Mapping[str, object] | None:
        """The sets of boxes that this player can cross, each by two dice, and the dice to tap."""
        if not position.color_dice or position.cross_refusal(player):
            return None
        ways: dict[DiceChoice, Sequence[Boxes]] = {}
        sets = []
        for choice in position.choices(player):
            ways[choice] = position.crossings(player, choice)
            sets.append({"when": choice._asdict(), "sets": list(map(sorted, ways[choice]))})
        if position.is_entered:
            colors, numbers = position.dice_left(player)
            choices = _useful(ways)
        else:
            colors, numbers = (JOKER,), (JOKER,)
            choices = list(ways)
        action = {
            "do": "cross",
            "by": player,
            "color_die": "$color_die",
            "number_die": "$number_die",
            "color": "$color",
            "boxes": "$boxes",
        }
        return picking(
            action,
            ["boxes"],
            {},
            kind="cross",
            # Boxes imply a color and a number, but only their player can want a joker for them.
            said=json.dumps({"color_die": JOKER, "number_die": JOKER}),
            color_dice=_color_dice(colors, choices),
            number_dice=_number_dice(numbers, choices),
            is_entered=position.is_entered,
            needs_joker=all(choice.jokers for choice in ways),
            sets=sets,
        )

    def writings(self, position: Encore, player: Player) -> Iterator[Mapping[str, Any]]:
        """Every crossing with every choice of dice."""
        for choice in position.choices(player):
            for way in position.crossings(player, choice):
                boxes = {"boxes": sorted(way)}
                yield {"do": "cross", "by": player, **choice._asdict(), **boxes}

    def why(self, position: Encore, player: Player, picked: Mapping[str, str]) -> Refusal | None:
        """Why neither the chosen dice nor any two others can cross the boxes tapped so far."""
        boxes = frozenset(picked.get("fields", "").split())

        def usual_first(choice: DiceChoice) -> tuple[object, ...]:
            return choice.jokers, max(choice.counts) < len(boxes), choice.counts

        refusals: list[Refusal] = []
        choices = sorted(_picked_choices(position, player, picked), key=usual_first)
        for choice in choices:
            if refusal := position.dead_end(player, choice, boxes):
                refusals.append(refusal)
        if not refusals:
            return None
        if len(refusals) == len(choices):
            return refusals[0]
        return Refusal(
            "die-not-available", "Tap the joker first: these dice do not work without it."
        )

    def marks(self, position: Encore, player: Player) -> Mapping[str, Mark]:
        """The values that this player crosses out because others were first to circle them."""
        return dict.fromkeys(position.crossed_out(player), "crossed")

    def hint(self, position: Encore, here: Sequence[Player] = ()) -> Sentence:
        """The roll, then the active player's choice, or everybody's in the first three turns."""
        if position.over:
            return GAME_OVER
        if position.is_solo and not position.color_dice:
            values = {"number": position.turn, "rolls": SOLO_ROLLS}
            return Sentence("Roll %(number)s of %(rolls)s: roll the dice", values)
        is_first = position.active_comes_first and not position.now.active_has_acted
        if is_first and not position.is_solo and self.may_write(position, position.active):
            if is_yours(position.active, here):
                return Sentence("Your turn: cross boxes first, or pass")
            return Sentence(CHOOSES_FIRST, {"player": position.active})
        return super().hint(position, here)

    def task(self, position: Encore, players: Sequence[Player]) -> Sentence:
        """The same for everybody: cross boxes where any fit, or pass."""
        choices: list[DiceChoice] = []
        for player in players:
            choices += position.choices(player)
        if not choices:
            return Sentence("no box fits")
        if all(choice.jokers for choice in choices):
            return Sentence("only with a joker, or pass")
        return Sentence("cross boxes or pass")

    def may_write(self, position: Encore, player: Player) -> bool:
        """Whether two of the dice cross any boxes."""
        return bool(position.choices(player))

    def closing(self, position: Encore) -> CloseButton:
        """Asks first only where the dice were entered: otherwise those left can rarely cross."""
        if position.is_entered:
            return super().closing(position)
        # Only with entered dice does the panel know who can do nothing but pass.
        return CloseButton(Sentence("That's everybody"), asks=False)

    def is_idle(self, position: Encore, player: Player) -> bool:
        """Whether the player may choose dice, and no box fits any of them."""
        return not (position.cross_refusal(player) or self.may_write(position, player))

    def near(self, position: Encore) -> Sequence[Sentence]:
        """The boxes to the end, and the columns completed in the turn before."""
        texts = N_("%(player)s: 1 box from the end"), N_("%(player)s: %(count)s boxes from the end")
        counts = []
        for player in () if position.is_solo else position.players:
            count = encore_sheet.boxes_to_end(position.sheet_of(player))
            if count <= NEAR:
                counts.append((count, player))
        near = [to_end(player, count, *texts) for count, player in sorted(counts)]
        full = N_("Column %(column)s is full: %(player)s")
        for player, column in position.completed:
            near.append(Sentence(full, {"player": player, "column": column}))
        return near

    def left(self, position: Encore, player: Player) -> tuple[Left, ...]:
        """The open boxes of each color, the jokers, the points of open stars; see `Panel.left`."""
        sheet = position.sheet_of(player)
        crossed = frozenset(sheet.crossed)
        colors = []
        for color in COLORS:
            count = len(sheet.board.by_color[color] - crossed)
            name = Sentence("%(color)s boxes", {"color": COLOR_WORDS[color]})
            colors.append(Left(Sentence(COLOR_LETTERS[color]), name, count, color))
        return (
            *colors,
            Left(joined(JOKER_SIGN), Sentence("Jokers"), sheet.jokers_left),
            Left(joined("★"), Sentence("Stars not crossed"), sheet.score()["stars"]),
        )

    def ended(self, position: Encore) -> list[Sentence]:
        """Names the players with two complete colours; in a solo game, what has run out."""
        if position.is_solo and position.turn >= SOLO_ROLLS:
            return [Sentence("All %(rolls)s rolls have been played.", {"rolls": SOLO_ROLLS})]
        if position.is_solo:
            return [Sentence("Every box is crossed.")]
        text = N_("Two colors are complete: %(players)s")
        return of_players(position, text, encore_sheet.is_finished)

    def describe(self, position: Encore | None, action: Action) -> Sentence:
        """A `roll`, `cross`, `pass` or `next` in words."""
        player = action.get("by", "")
        if action["do"] == "roll" and not is_entered(action):
            return Sentence("%(player)s rolled the dice", {"player": player})
        if action["do"] == "roll":
            colors = [_color_die(die)["word"] for die in action["colors"]]
            numbers = [_number_die(die)["shown"] for die in action["numbers"]]
            dice = joined((joined(colors), joined(numbers)), "; ")
            return describe_roll(action, dice)
        if action["do"] == "cross":
            values = {
                "player": player,
                "color": COLOR_WORDS.get(action["color"], action["color"]),
                "boxes": ", ".join(action["boxes"]),
            }
            what = Sentence("%(player)s crossed %(color)s: %(boxes)s", values)
            jokers = (action["color_die"], action["number_die"]).count(JOKER)
            return Sentence(_WITH_JOKERS[jokers], {"what": what}) if jokers else what
        return super().describe(position, action)
