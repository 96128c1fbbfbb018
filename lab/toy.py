"""A made-up game of one die, which is in no catalogue: how little a game has to define.

Everybody may cross the number that the active player rolls. A full sheet ends the game.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Final, Self

from companion.core.game import GameKind
from companion.core.guide import TURN, Guide
from companion.core.panel import (
    ENTERED,
    IN_PARTS,
    UNDONE_ONLY,
    DicePanel,
    EnteredAction,
    FieldTap,
    SheetPanel,
    picking,
)
from companion.core.refusal import Refusal, Unusable, bad_action
from companion.core.result import Result
from companion.core.rolling import Dice, Die, PlainDice, describe_roll
from companion.core.sheet import Box, Field, Label, Layout, Mark, Paper, SheetKind, Term, header
from companion.core.turns import PlainRoll, RolledTurn
from companion.core.values import Action, Document, Player, is_whole
from companion.core.words import Sentence, Word

FACES: Final = range(1, 7)
TEMPLATES: dict[str, str] = {
    "games/toy/art.svg": "<svg/>",
    "games/toy/panel.html": """
{% from "table/fragments/parts.html" import dice %}
{% macro picker(grid, label, ident, preview="", why="") %}
{% call dice(grid, label, ident, false, preview) %}
  <div class="slots">
  {% for face in range(1, 7) %}
  <button class="die" data-part="die" data-value="{{ face }}">{{ face }}</button>
  {% endfor %}
  </div>
{% endcall %}
{% endmacro %}
{% if facts is defined %}
<p class="called"><strong>{{ facts.die or "?" }}</strong></p>
{% if own.may_enter and not facts.die %}
<div class="pad rolling">{{ picker(facts.roll, "The die", "dice") }}</div>
{% endif %}
{% endif %}
""",
}
"""The game's templates, by the names that the app asks for."""
TEMPLATES |= {name.replace("toy", "toy_lines"): text for name, text in TEMPLATES.items()}
TEMPLATES |= {
    "games/toy_all/art.svg": "<svg/>",
    "games/toy_all/panel.html": """
{% from "page/macros.html" import roller %}
{% from "table/fragments/parts.html" import plain_dice, plain_faces %}
{% macro picker(grid, label, ident, preview="", why="", hidden=false) %}
{{ plain_dice(grid, label, ident, hidden, preview) }}
{% endmacro %}
{% if facts is defined %}
<div class="called">
  {%- if facts.dice %}{{ plain_faces(facts.dice) }}{% else %}<strong>?</strong>{% endif %}</div>
{% if facts.may_roll and own.may_enter and not facts.dice %}
{{ roller(own.next_roll, own.moment) }}
<div class="pad rolling">{{ picker(facts.picker, "The dice", "dice") }}</div>
{% endif %}
{% endif %}
""",
}


@dataclass(frozen=True)
class ToySheet:
    """The numbers crossed."""

    crossed: tuple[int, ...] = ()

    @classmethod
    def from_document(cls, document: Mapping[str, object]) -> Self:
        crossed = document.get("crossed")
        if not isinstance(crossed, list) or not all(number in FACES for number in crossed):
            raise Unusable("'crossed' must be a list of numbers from 1 to 6.")
        return cls(tuple(crossed))

    def document(self) -> Document:
        return {"sheet": "toy", "crossed": list(self.crossed)}

    def score(self) -> Document:
        return {"total": sum(self.crossed)}

    def result(self) -> Result:
        return Result(sum(self.crossed))

    def problems(self) -> tuple[Refusal, ...]:
        return ()


@dataclass(frozen=True, kw_only=True)
class Toy(RolledTurn[ToySheet]):
    """A position of the toy."""

    ACTIONS: ClassVar = ("roll", "cross", "pass", "next")
    die: int = 0

    @property
    def fingerprint(self) -> str:
        return f"{self.turn}.{self.die}{'.over' if self.over else ''}"

    @property
    def _ends(self) -> bool:
        return any(len(sheet.crossed) == len(FACES) for sheet in self.sheets)

    def _following(self) -> Self:
        return replace(self, now=self.now.following(), die=0, rolls=0)

    @property
    def _dice(self) -> Dice:
        die = Die("die", Sentence("the die"), tuple(FACES))
        return Dice((die,), lambda faces: {"do": "roll", "by": self.active, **faces})

    def _enter(self, player: Player, action: Action) -> Self | Refusal:
        refused = self._cannot_act(player) or self.misfit(player)
        crossed = (*self.sheet_of(player).crossed, self.die)
        return refused or self._acted(player, ToySheet(crossed))

    def _rolled(self, action: Action) -> Self | Refusal:
        die = action.get("die")
        if not is_whole(die) or die not in FACES:
            return bad_action("A die shows 1 to 6.")
        return replace(self, die=die)

    def misfit(self, player: Player) -> Refusal | None:
        """Why the die cannot be crossed on the player's sheet."""
        is_crossed = self.die in self.sheet_of(player).crossed
        return Refusal("box-taken", "It is crossed already.") if is_crossed else None


class ToyKind(SheetKind[ToySheet]):
    """Two rows of three fields: a sheet that is nearly as wide as high, however it lies."""

    name = "toy"
    number = 6
    written = ToySheet

    @cached_property
    def _paper(self) -> Paper:
        boxes = (Box(2 + at % 3 * 21, 6 + at // 3 * 24, 18, 18) for at in range(len(FACES)))
        fields = tuple(
            Field(str(number), "cross", box, "square", "plain", Sentence(f"Field {number}"))
            for number, box in zip(FACES, boxes, strict=True)
        )
        layout = Layout(64, 55, (), fields)
        blanks = header(Sentence("Name"))
        return Paper(Sentence("Toy"), None, 190, 80, layout, (18, 13), blanks, ("name",))

    def paper(self, board: str) -> Paper:
        return self._paper

    def marks(self, sheet: ToySheet) -> Mapping[str, Mark]:
        return {str(number): True for number in sheet.crossed}

    def from_marks(self, board: str, marks: Mapping[str, Mark]) -> ToySheet:
        return ToySheet(tuple(number for number in FACES if marks.get(str(number))))

    def terms(self, sheet: ToySheet) -> tuple[Term, ...]:
        return (Term(Sentence("Crosses"), sum(sheet.crossed), tuple(map(str, sheet.crossed))),)

    def sums(self, sheet: ToySheet) -> Mapping[str, int]:
        return {}


class ToyPanel(SheetPanel[Toy]):
    """One die to tap, and the field of its number."""

    actions: ClassVar = {"roll": IN_PARTS, "cross": ENTERED, "pass": ENTERED, "next": UNDONE_ONLY}

    def facts(self, position: Toy, entries: Sequence[EnteredAction]) -> Mapping[str, object]:
        return {"roll": self._roll(position), "die": position.die}

    def picker(self, position: Toy, entry: EnteredAction) -> Mapping[str, object] | None:
        return self._roll(position) if entry.action["do"] == "roll" else None

    def _roll(self, position: Toy) -> Mapping[str, object]:
        return picking({"do": "roll", "by": position.active, "die": "$die"}, ("die",), {})

    def taps(self, position: Toy, player: Player) -> Mapping[str, FieldTap]:
        if not position.can_act(player):
            return {}
        tap = FieldTap({"do": "cross", "by": player}, position.misfit(player) is None, "")
        return {str(position.die): tap}

    def task(self, position: Toy, players: Sequence[Player]) -> Sentence:
        return Sentence("cross the number or pass")

    def describe(self, position: Toy | None, action: Action) -> Sentence:
        if action["do"] == "roll":
            return describe_roll(action, Sentence("%(by)s rolled a %(die)s", action))
        if action["do"] == "cross":
            return Sentence("%(by)s crossed the number", action)
        return super().describe(position, action)

    def ended(self, position: Toy) -> Sequence[Sentence]:
        return [Sentence("A sheet is full.")]


class ToyGuide(Guide[Toy]):
    """The toy explained."""

    chapters = ((TURN, (Sentence("Cross the number that was rolled."),)),)


class ToyGame(GameKind[Toy]):
    """The description of the toy."""

    name = "toy"
    title = Word("Toy")
    min_players = 1
    max_players = 6
    position = Toy
    sheet = ToyKind()
    panel = ToyPanel()
    guide = ToyGuide()


class LinesKind(ToyKind):
    """Thirteen wide lines below each other: a sheet that stands, of which six may be crossed."""

    name = "toy-lines"
    number = 5

    @cached_property
    def _paper(self) -> Paper:
        lines = [(number, Box(32, 4 + 10 * (number - 1), 56, 8)) for number in range(1, 14)]
        fields = tuple(
            Field(str(number), "cross", box, "square", "plain", Sentence(f"Line {number}"))
            for number, box in lines
        )
        labels = tuple(
            Label(Box(2, box.y, 28, 8), Sentence(f"Line {number}"), align="start")
            for number, box in lines
        )
        layout = Layout(90, 138, (), fields, labels)
        blanks = header(Sentence("Name"))
        return Paper(Sentence("Lines"), None, 190, 170, layout, (10, 13), blanks, ("name",))


class LinesGame(ToyGame):
    """The toy on a sheet that stands."""

    name = "toy-lines"
    title = Word("Toy of lines")
    sheet = LinesKind()


@dataclass(frozen=True, kw_only=True)
class ToyOfAll(PlainRoll[ToySheet]):
    """Anybody rolls three dice, and everybody crosses one number: nobody may pass."""

    ACTIONS: ClassVar = ("roll", "cross")
    UNSIGNED: ClassVar = ("roll",)
    HAS_ACTED: ClassVar = "%(player)s has crossed a number in this turn already."
    DICE: ClassVar = PlainDice(3)

    @property
    def _ends(self) -> bool:
        return any(len(sheet.crossed) == len(FACES) for sheet in self.sheets)

    def fitting(self, player: Player) -> Sequence[int]:
        """The rolled numbers that are open on the player's sheet; all open ones without any."""
        left = [number for number in FACES if number not in self.sheet_of(player).crossed]
        return [number for number in left if number in self.dice] or left

    def _enter(self, player: Player, action: Action) -> Self | Refusal:
        if refused := self._cannot_act(player):
            return refused
        number = action.get("number")
        if not is_whole(number) or number not in FACES:
            return bad_action("A number is from 1 to 6.")
        if number not in self.fitting(player):
            return Refusal("box-taken", "It was not rolled, or is crossed already.")
        return self._acted(player, ToySheet((*self.sheet_of(player).crossed, number)))


class ToyOfAllPanel(DicePanel[ToyOfAll]):
    """Three dice to tap, and the fields of their numbers."""

    actions: ClassVar = {"roll": IN_PARTS, "cross": ENTERED}

    def taps(self, position: ToyOfAll, player: Player) -> Mapping[str, FieldTap]:
        if not position.can_act(player):
            return {}
        fitting, taps = position.fitting(player), {}
        for number in FACES:
            cross = {"do": "cross", "by": player, "number": number}
            taps[str(number)] = FieldTap(cross, number in fitting, "")
        return taps

    def task(self, position: ToyOfAll, players: Sequence[Player]) -> Sentence:
        return Sentence("cross a number")

    def describe(self, position: ToyOfAll | None, action: Action) -> Sentence:
        if action["do"] == "roll":
            return describe_roll(action, " ".join(map(str, action["dice"])))
        return Sentence("%(by)s crossed %(number)s", action)

    def ended(self, position: ToyOfAll) -> Sequence[Sentence]:
        return [Sentence("A sheet is full.")]


class ToyOfAllGuide(Guide[ToyOfAll]):
    """The toy of all explained."""

    chapters = ((TURN, (Sentence("Cross a number that was rolled."),)),)


class ToyOfAllGame(GameKind[ToyOfAll]):
    """The description of the toy of all."""

    name = "toy-all"
    title = Word("Toy of all")
    min_players = 1
    max_players = 6
    position = ToyOfAll
    sheet = ToyGame.sheet
    panel = ToyOfAllPanel()
    guide = ToyOfAllGuide()
    close = None


GAME: Final = ToyGame()
OF_ALL: Final = ToyOfAllGame()
GAMES: Final = {game.name: game for game in (GAME, LinesGame(), OF_ALL)}
OUT_OF_RANGE = {"die": {"bad-action"}, "dice": {"bad-dice"}, "number": {"bad-action"}}


def candidates(position: Toy | ToyOfAll, chance: random.Random) -> Iterator[dict[str, Any]]:
    """Actions that may be legal, for random games."""
    if isinstance(position, ToyOfAll):
        yield position.roll([chance.choice(FACES) for _ in range(position.DICE.count)])
        for player in position.awaited:
            for number in chance.sample(FACES, len(FACES)):
                yield {"do": "cross", "by": player, "number": number}
        return
    yield {"do": "roll", "by": position.active, "die": chance.choice(FACES)}
    for player in position.awaited:
        yield {"do": "cross", "by": player}
        yield {"do": "pass", "by": player}
