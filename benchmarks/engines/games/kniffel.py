"""Compares the points of Kniffel's variants with those of engines that others have written.

    pip install yatzy-solver pyhtzee
    python -m benchmarks.engines.games.kniffel

An engine that is not installed is left out. Compared are all lines of every variant for random
dice, a fifth of them five alike, and whole random games with their jokers, bonus and extra points
(of Kniffel, no games: both engines give extra points in all of theirs). What differs is counted by
line, with an example.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final, TypeAlias

from companion.games.kniffel.sheet import KniffelSheet, brings_extra, refusal, worth
from companion.games.kniffel.variants import USUAL, Dice, FieldName, Variant, variant_of

ROLLS: Final = 100_000
MATCHES: Final = 10_000
FIVE_ALIKE: Final = 0.2

Score: TypeAlias = Callable[[FieldName, Dice], int]
UPPER: Final = ("ones", "twos", "threes", "fours", "fives", "sixes")


class Solver:
    """The engine `yatzy-solver`: its names have underscores."""

    package = "yatzy_solver"
    variants: Final[Mapping[str, str]] = {
        "kniffel": "american+no-joker",
        "yahtzee": "american+forced-joker",
        "yahtzee-free": "american",
        "yatzy": "yatzy-scandinavian",
    }

    def __init__(self, name: str) -> None:
        module = import_module(self.package)
        self.rules = module.Variant(self.variants[name])
        self.five = "yatzy" if name == "yatzy" else "five_of_a_kind"
        self.game = module.Game

    def _category(self, field: FieldName) -> str:
        return self.five if field == "kniffel" else field.replace("-", "_")

    def score(self, field: FieldName, dice: Dice) -> int:
        return int(self.rules.score(self._category(field), list(dice)))

    def begin(self) -> Score:
        """Writes in a new game, and says what that brought, with bonus and extra points."""
        game = self.game(self.rules)

        def write(field: FieldName, dice: Dice) -> int:
            return int(game.score(list(dice), self._category(field))["total"])

        return write


class Pyhtzee:
    """The engine `pyhtzee`. It knows no forced joker, and its bonus is left out.

    It gives the bonus by the numbers of the lines instead of their points.
    """

    package = "pyhtzee"
    variants: Final[Mapping[str, str]] = {
        "kniffel": "YAHTZEE",
        "yahtzee-free": "YAHTZEE_FREE_CHOICE_JOKER",
        "yatzy": "YATZY",
    }
    names: Final[Mapping[str, str]] = {"ones": "ACES", "kniffel": "YAHTZEE"}

    def __init__(self, name: str) -> None:
        self.module = import_module(self.package)
        self.classes = import_module(f"{self.package}.classes")
        self.actions = import_module(f"{self.package}.utils").category_to_action_map
        self.rule = self.classes.Rule[self.variants[name]]

    def _category(self, field: FieldName) -> Any:
        return self.classes.Category[self.names.get(field, field.upper().replace("-", "_"))]

    def score(self, field: FieldName, dice: Dice) -> int:
        return int(
            self.module.Pyhtzee(rule=self.rule).scoring_functions[self._category(field)](dice)
        )

    def begin(self) -> Score:
        game = self.module.Pyhtzee(rule=self.rule)

        def write(field: FieldName, dice: Dice) -> int:
            game.dice = list(dice)
            category = self._category(field)
            found = game.get_action_score(self.actions[category])
            found.pop(self.classes.Category.UPPER_SECTION_BONUS, None)
            game.scores |= {category: found[category]}
            return int(sum(found.values()))

        return write


def some_dice(chance: random.Random) -> Dice:
    if chance.random() < FIVE_ALIKE:
        return (chance.randint(1, 6),) * 5
    return tuple(chance.choices(range(1, 7), k=5))


def compare_rolls(variant: Variant, engine: Any, rolls: int) -> Iterator[str]:
    """The lines whose points differ for random dice."""
    chance, differing = random.Random(1), Counter[str]()
    sheet, scored = KniffelSheet(variant), engine.score
    for _ in range(rolls):
        dice = some_dice(chance)
        for field in variant.fields:
            own, other = worth(sheet, field, dice), scored(field, dice)
            if own != other:
                differing[f"{field}, as {dice}: here {own}, there {other}"] += 1
    yield from _told(differing)


def compare_matches(variant: Variant, engine: Any, matches: int) -> Iterator[str]:
    """The entries of random games that bring different points, with bonus and extra points."""
    chance, differing = random.Random(2), Counter[str]()
    counts_bonus = not isinstance(engine, Pyhtzee)
    for _ in range(matches):
        sheet, write = KniffelSheet(variant), engine.begin()
        while not sheet.is_full:
            dice = some_dice(chance)
            field = chance.choice([f for f in variant.fields if refusal(sheet, f, dice) is None])
            after = sheet.write(field, worth(sheet, field, dice), brings_extra(sheet, dice))
            own = after.score()["total"] - sheet.score()["total"]
            if not counts_bonus:
                own -= after.score()["bonus"] - sheet.score()["bonus"]
            try:
                other: object = write(field, dice)
            except ValueError as refused:
                other = str(refused)
            if own != other:
                state = "further" if sheet.at("kniffel") is not None else "first"
                above = "open" if sheet.is_open(UPPER[dice[0] - 1]) else "filled"
                alike = f"{state} five alike, its upper line {above}" if len({*dice}) == 1 else dice
                differing[f"{field}, {alike}"] += 1
                if isinstance(other, str):
                    break
            sheet = after
    yield from _told(differing)


def _told(differing: Counter[str]) -> Iterator[str]:
    yield f"{differing.total()} differ"
    for what, count in differing.most_common(6):
        yield f"  {count:6} {what}"


def main() -> None:
    for kind in (Solver, Pyhtzee):
        if find_spec(kind.package) is None:
            print(f"{kind.package} is not installed")
            continue
        for name in kind.variants:
            variant, engine = variant_of({"variant": name}), kind(name)
            lines = len(variant.fields)
            print(f"{kind.package}, {name}, {ROLLS:,} dice × {lines} lines:", end=" ")
            print("\n".join(compare_rolls(variant, engine, ROLLS)), flush=True)
            if variant is not USUAL:
                print(f"{kind.package}, {name}, {MATCHES:,} games:", end=" ")
                print("\n".join(compare_matches(variant, engine, MATCHES)), flush=True)


if __name__ == "__main__":
    main()
