"""Weighs what the ink looks like with the rules, and says what is unsure.

Each field comes with the probabilities of what may stand in it. Of all the ways to read a sheet,
those that break fewer rules are more likely, but not by as much as one likes: people do break
rules, and then the sheet has a problem to show, not a prettier number. Knows no single game: a
sheet says itself what is wrong with it (`SheetKind.problems`, `SheetKind.slips`).
"""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from companion.core.sheet import AnySheetKind, Mark
from companion.vision.core import Chances, FieldReading

PROBLEM_ODDS: Final = 400.0
"""How many times likelier a sheet is without a certain problem than with it. About one field in
some hundreds breaks a rule on sheets filled in by people; reading can say no more than they do."""
SLIP_ODDS: Final = 30.0
"""The same for marks that do not go together although no rule is broken."""
GAP: Final = 1e-3
"""How likely a number is that is written with an empty box in its middle, if it looks like one."""
LEAST: Final = 2e-5
"""What the ink alone makes less likely than this is not read into it, whatever the rules say."""
CLEAR: Final = 1 - 1e-3
"""A field whose ink is surer than this is opened only if a problem concerns it."""
WAYS: Final = 48
"""So many ways to read the sheet are kept at a time."""
MOST_OPEN: Final = 40
"""Of the fields that are not clear, so many are weighed, the least clear ones."""
SURE: Final = 0.99
"""A field read with less is for a person to look at. Chosen, like the next, on photos of writers to
choose by (`training.photo`)."""
SURE_IN_HARD_HAND: Final = 0.998
"""The same on a sheet on which more than `HARD_HAND` fields are expected to be wrong: mistakes come
together, for one person writes all of a sheet's fours like nines. 4 instead of 10 of 28,907 fields
were silently wrong with it."""
HARD_HAND: Final = 1.0
SURE_IN_PROBLEM: Final = 0.9995
"""The same for a field that a problem of the sheet concerns."""
MOST_OTHERS: Final = 3
"""So many alternatives are offered."""


def joined(digits: Sequence[Chances]) -> Chances:
    """The number in a field of several boxes, one digit in each, filled from the right.

    A number that starts too far left is read all the same, at a discount; one with a gap at a large
    one, so that it is never sure.
    """
    likely = [
        sorted(chances.items(), key=lambda item: item[1], reverse=True)[:4] for chances in digits
    ]
    together: dict[Mark, float] = {}
    for ways in product(*likely):
        marks = [mark for mark, _ in ways]
        chance = math.prod(part for _, part in ways)
        text = "".join(" " if mark is None else str(mark) for mark in marks)
        if text != text.rstrip() and text.strip():
            chance /= SLIP_ODDS
        if " " in text.strip():
            chance *= GAP
        number = int(text.replace(" ", "")) if text.strip() else None
        together[number] = together.get(number, 0.0) + chance
    return together


@dataclass(frozen=True)
class Weighed:
    """What a sheet says, after the rules were weighed in."""

    fields: Mapping[str, FieldReading]
    unsure: tuple[str, ...]
    """The least sure first."""

    @property
    def marks(self) -> Mapping[str, Mark]:
        return {name: field.value for name, field in self.fields.items()}


def weighed(sheet: AnySheetKind, board: str, ink: Mapping[str, Chances]) -> Weighed:
    """Decides all fields of a sheet together.

    A beam search over the fields that are not clear, the least clear first. A way to read the
    sheet counts as much as its ink's probability, divided by the odds of each problem and slip that
    it has; a field's confidence is the share of the ways that read it so.

    Args:
        ink: the chances of each field, in the sheet's order.
    """
    options = {name: _options(chances) for name, chances in ink.items()}
    best = {name: ways[0][0] for name, ways in options.items()}
    unclear = {name for name, ways in options.items() if ways[0][1] < CLEAR}
    unclear |= {name for name in _concerned(sheet, board, best) if len(options[name]) > 1}
    order = sorted(unclear, key=lambda name: options[name][0][1])[:MOST_OPEN]

    ways = [_Way(0.0, _weight(sheet, board, best), {})]
    for name in order:
        ways = _grown(sheet, board, best, ways, name, options[name])
    return _decided(sheet, board, ink, options, best, ways)


@dataclass(frozen=True)
class _Way:
    """One way to read the sheet; all weights are logarithms."""

    ink: float
    rules: float
    changed: Mapping[str, Mark]

    @property
    def total(self) -> float:
        return self.ink + self.rules


def _grown(
    sheet: AnySheetKind,
    board: str,
    best: Mapping[str, Mark],
    ways: Sequence[_Way],
    name: str,
    options: Sequence[tuple[Mark, float]],
) -> list[_Way]:
    """The likeliest `WAYS` in which one more field is read, the likeliest first."""
    # Rules never make a way likelier than its ink, so most of them need not be asked.
    possible = [
        (way.ink + math.log(chance) + (way.rules if mark == best[name] else 0.0), way, mark, chance)
        for way in ways
        for mark, chance in options
    ]
    possible.sort(key=lambda one: one[0], reverse=True)
    kept: list[_Way] = []
    for most, way, mark, chance in possible:
        if len(kept) == WAYS and most <= kept[-1].total:
            break
        changed = {**way.changed, name: mark}
        # What the rules say changes only with the marks.
        rules = way.rules if mark == best[name] else _weight(sheet, board, {**best, **changed})
        insort(kept, _Way(way.ink + math.log(chance), rules, changed), key=lambda one: -one.total)
        del kept[WAYS:]
    return kept


def _options(chances: Chances) -> list[tuple[Mark, float]]:
    """What the ink allows, the likeliest first; never empty."""
    ranked = sorted(chances.items(), key=lambda item: item[1], reverse=True)
    return [(mark, chance) for mark, chance in ranked if chance >= LEAST][:8] or [
        (ranked[0][0], LEAST)
    ]


def _weight(sheet: AnySheetKind, board: str, marks: Mapping[str, Mark]) -> float:
    problems = len(sheet.problems(sheet.from_marks(board, marks)))
    return -problems * math.log(PROBLEM_ODDS) - len(sheet.slips(marks)) * math.log(SLIP_ODDS)


def _concerned(sheet: AnySheetKind, board: str, marks: Mapping[str, Mark]) -> Iterable[str]:
    """The fields that a problem or slip has to do with."""
    problems = sheet.problems(sheet.from_marks(board, marks))
    return {
        name
        for fields in (*(problem.fields for problem in problems), *sheet.slips(marks))
        for name in fields
        if name in marks
    }


def _alone(
    sheet: AnySheetKind,
    board: str,
    marks: Mapping[str, Mark],
    name: str,
    options: Sequence[tuple[Mark, float]],
) -> dict[Mark, float]:
    """What a field may hold if all the others are read rightly.

    On a sheet with many unclear fields the beam keeps no way in which a clearer one is read
    otherwise, and that would look as if there were none.
    """
    weights = {
        mark: math.log(chance) + _weight(sheet, board, {**marks, name: mark})
        for mark, chance in options
    }
    top = max(weights.values())
    parts = {mark: math.exp(weight - top) for mark, weight in weights.items()}
    whole = sum(parts.values())
    return {mark: part / whole for mark, part in parts.items()}


def _decided(
    sheet: AnySheetKind,
    board: str,
    ink: Mapping[str, Chances],
    options: Mapping[str, list[tuple[Mark, float]]],
    best: Mapping[str, Mark],
    ways: Sequence[_Way],
) -> Weighed:
    """The likeliest way, and how sure each field of it is."""
    top = max(way.total for way in ways)
    shares = [math.exp(way.total - top) for way in ways]
    whole = sum(shares)
    likeliest = {**best, **ways[0].changed}
    fields: dict[str, FieldReading] = {}
    for name in ink:
        # What the ink leaves unsaid (scribbles) stays unsaid, whatever the rules make likely.
        said = min(sum(ink[name].values()), 1.0)
        if name in ways[0].changed:
            chances: dict[Mark, float] = {}
            for way, share in zip(ways, shares, strict=True):
                mark = way.changed[name]
                chances[mark] = chances.get(mark, 0.0) + share / whole * said
            if chances[likeliest[name]] >= SURE:
                alone = _alone(sheet, board, likeliest, name, options[name])
                if alone[likeliest[name]] * said < chances[likeliest[name]]:
                    chances = {mark: chance * said for mark, chance in alone.items()}
        else:
            chances = dict(options[name])
        value = likeliest[name]
        others = sorted(
            ((mark, chance) for mark, chance in chances.items() if mark != value),
            key=lambda item: item[1],
            reverse=True,
        )
        fields[name] = FieldReading(value, chances[value], tuple(others[:MOST_OTHERS]))
    marks = {name: field.value for name, field in fields.items()}
    concerned = _concerned(sheet, board, marks)
    wrong = sum(1 - field.confidence for field in fields.values())
    sure = SURE if wrong <= HARD_HAND else SURE_IN_HARD_HAND
    unsure = [
        name
        for name, field in fields.items()
        if field.confidence < (SURE_IN_PROBLEM if name in concerned else sure)
    ]
    return Weighed(fields, tuple(sorted(unsure, key=lambda name: fields[name].confidence)))
