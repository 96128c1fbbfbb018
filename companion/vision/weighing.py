"""Combines the probabilities of single fields with the rules, and decides which fields are unsure.

Of all ways to read a sheet, those that break fewer rules are likelier, but only by bounded odds:
people do break rules, and then the sheet must show its problem rather than a more fitting number.
Nothing here knows a single game; the sheet itself reports what is wrong with it
(`SheetKind.problems`, `SheetKind.slips`).
"""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Final

from companion.core.sheet import EMPTY, AnySheetKind, Mark
from companion.vision.core import Chances, FieldReading
from companion.vision.evidence import DISAGREEING, MOST_OTHERS, SumEvidence, possible, ranked

# How many times likelier a sheet is without a given problem than with it. People break a rule in
# about one of several hundred fields, and reading must not correct that away.
PROBLEM_ODDS: Final = 400.0
# How many times likelier a sheet is without a given slip (see `SheetKind.slips`) than with it
SLIP_ODDS: Final = 30.0
LEAST: Final = 2e-5  # Candidates below this ink probability are pruned before the rules are applied
# A field with a higher ink probability takes part in the search only if a problem concerns it
CLEAR: Final = 1 - 1e-3
WAYS: Final = 48  # The width of the beam: how many ways to read the sheet are kept at a time
# A way that is less likely than the likeliest one by this, as a logarithm, is dropped
NEGLIGIBLE: Final = 10.0
MOST_OPEN: Final = 40  # The most unclear fields that take part in the search, the least clear first
# The probability that a hidden field is empty, so that a person fills it in
OUT_OF_SIGHT: Final = 0.5
# (the expected number of wrong fields on a sheet, the least confidence of a sure field there). A
# field with less confidence is unsure: a person has to check it. Mistakes are correlated, because a
# writer whose fours look like nines writes all of them so: on sheets with many doubts half as many
# again are wrong as expected, on sheets with few a third. The thresholds were chosen on simulated
# photos of writers who are reserved for such choices (`training/writing/digits.py`).
SURE: Final = ((0.3, 0.985), (1.0, 0.99), (2.0, 0.995), (math.inf, 0.998))
# The least confidence of a sure field that moves no total, where the written total is right
PROVED: Final = 0.95
SURE_IN_PROBLEM: Final = 0.9995  # The threshold for a field that a problem of the sheet concerns


@dataclass(frozen=True)
class WeighedSheet:
    """The readings of all fields, given the ink and the rules."""

    fields: Mapping[str, FieldReading]
    # The fields that a person has to check: first those by which the total may be most wrong
    unsure: tuple[str, ...]
    # Id of a blank for a sum → what stands there, right or wrong
    written: Mapping[str, FieldReading] = field(default_factory=dict)
    # The fields that would be read otherwise, had their writer summed up nothing
    by_sums: tuple[str, ...] = ()

    @property
    def marks(self) -> Mapping[str, Mark]:
        return {name: field.value for name, field in self.fields.items()}


def weigh(
    sheet: AnySheetKind,
    board: str,
    ink: Mapping[str, Chances],
    sums: Mapping[str, Chances] | None = None,
    unseen: Collection[str] = (),
) -> WeighedSheet:
    """Decides all fields of a sheet together; each by its ink alone where some are hidden.

    A beam search over the unclear fields. The weight of a way to read the sheet is the probability
    of its ink, divided by the odds of each of its problems and slips, times the factor of what its
    writer summed up. A field's confidence is the share of the total weight of those ways that agree
    on it.

    Args:
        ink: field id → the probabilities from the ink alone, in the sheet's order.
        sums: id of a blank for a sum → the probabilities from the ink alone, where there is ink.
        unseen: the fields that are out of sight.
    """
    rules = _Rules(sheet, board, SumEvidence(possible(sums or {}, sheet.most_sums)))
    if unseen:
        return _weigh_part(rules, ink, unseen)
    options = {name: _options(chances) for name, chances in ink.items()}
    best = {name: ways[0][0] for name, ways in options.items()}
    unclear = {name for name, ways in options.items() if ways[0][1] < CLEAR}
    unclear |= {name for name in rules.concerned(best) if len(options[name]) > 1}
    unclear |= _explaining(rules, options, best)
    order = _order(rules, options, best, unclear)

    ways = [_Way(0.0, rules.weight(best), {})]
    for name in order:
        ways = _extended(rules, best, ways, name, options[name])
    weighed = _decided(rules, ink, options, best, ways)
    if not rules.is_likelier_by_sums(weighed.marks, best):
        return weighed
    plain = weigh(sheet, board, ink).marks
    return replace(
        weighed, by_sums=tuple(name for name in ink if weighed.marks[name] != plain[name])
    )


def _weigh_part(rules: _Rules, ink: Mapping[str, Chances], unseen: Collection[str]) -> WeighedSheet:
    """Decides the fields of a sheet that is only partly in sight, each by its ink alone."""
    # Hidden fields may explain an apparent problem, so the rules decide nothing. Nor do the sums:
    # they are reported as they stand there.
    fields = {}
    for name, chances in ink.items():
        (value, chance), *others = _options(chances)
        fields[name] = FieldReading(value, chance, tuple(others[:MOST_OTHERS]))
    marks = {name: field.value for name, field in fields.items()}
    concerned = rules.concerned(marks)
    sure = _least_sure(field.confidence for name, field in fields.items() if name not in unseen)
    unsure = [
        name
        for name, field in fields.items()
        if field.confidence < (SURE_IN_PROBLEM if name in concerned else sure)
    ]
    return WeighedSheet(
        fields,
        tuple(sorted(unsure, key=lambda name: fields[name].confidence)),
        rules.sums.written({}, rules.right_sums(marks)),
    )


def _least_sure(sureness: Iterable[float]) -> float:
    """The least confidence of a sure field on a sheet, see `SURE`."""
    wrong = sum(1 - sure for sure in sureness)
    return next(least for most, least in SURE if wrong <= most)


@dataclass(frozen=True)
class _Way:
    """A way to read the sheet. All weights are logarithms."""

    ink: float
    rules: float
    changed: Mapping[str, Mark]  # field id → mark, for the fields that have been decided so far

    @property
    def total(self) -> float:
        """The logarithm of the way's likelihood, up to a constant."""
        return self.ink + self.rules


@dataclass(frozen=True)
class _Rules:
    """Everything but the ink that makes a way to read a sheet more or less likely."""

    sheet: AnySheetKind
    board: str
    sums: SumEvidence

    def weight(self, marks: Mapping[str, Mark]) -> float:
        """The logarithm of the factor of rules and sums, at most 0.

        It is 0 for a sheet without problems and slips, on which all sums agree.
        """
        made = self.sheet.from_marks(self.board, marks)
        problems, slips = len(made.problems()), len(self.sheet.slips(marks))
        weight = -problems * math.log(PROBLEM_ODDS) - slips * math.log(SLIP_ODDS)
        return weight + self.sums.weight(self.sheet.sums(made)) if self.sums.ink else weight

    def right_sums(self, marks: Mapping[str, Mark]) -> Mapping[str, int]:
        return self.sheet.sums(self.sheet.from_marks(self.board, marks))

    def is_likelier_by_sums(self, marks: Mapping[str, Mark], other: Mapping[str, Mark]) -> bool:
        """Whether the written sums speak for one way to read the sheet and against the other."""
        right, wrong = (self.sums.weight(self.right_sums(way)) for way in (marks, other))
        return wrong - right < math.log(DISAGREEING)

    def concerned(self, marks: Mapping[str, Mark]) -> set[str]:
        """The fields that a problem or slip concerns."""
        concerned: set[str] = set()
        for problem in self.sheet.from_marks(self.board, marks).problems():
            concerned.update(problem.fields)
        concerned.update(*self.sheet.slips(marks))
        return concerned & marks.keys()

    def total(self, marks: Mapping[str, Mark]) -> int:
        return self.sheet.marked(self.board, marks).result.total

    def is_proved(self, marks: Mapping[str, Mark]) -> bool:
        """Whether the written total is surely the counted one, and no sum disagrees."""
        right = self.right_sums(marks)
        return self.sums.proves_total(right) and self.sums.weight(right) > math.log(DISAGREEING)


def _explaining(
    rules: _Rules, options: Mapping[str, Sequence[tuple[Mark, float]]], best: Mapping[str, Mark]
) -> set[str]:
    """The fields that, read otherwise, could explain why a sum does not agree."""
    # However clear its ink, a field is not clear if the sum that its writer made speaks against it
    before = rules.weight(best)
    if not rules.sums.ink or before > math.log(DISAGREEING):
        return set()
    explaining = set()
    for name, ways in options.items():
        for mark, chance in ways[1:]:
            by_ink = math.log(chance / ways[0][1])
            if by_ink + rules.weight({**best, name: mark}) - before > math.log(1 - CLEAR):
                explaining.add(name)
    return explaining


def _order(
    rules: _Rules,
    options: Mapping[str, Sequence[tuple[Mark, float]]],
    best: Mapping[str, Mark],
    unclear: Iterable[str],
) -> list[str]:
    """The order in which the unclear fields are decided."""
    # Those that make the same sums come one after the other, and those that make none come last, so
    # that ways which differ in nothing that a sum could show do not crowd out others; among them,
    # the least clear first
    order = sorted(unclear, key=lambda name: options[name][0][1])[:MOST_OPEN]
    if not rules.sums.ink:
        return order
    before = rules.right_sums(best)
    made = {}
    for name in order:
        other = next((mark for mark, _ in options[name] if mark != best[name]), best[name])
        after = rules.right_sums({**best, name: other})
        made[name] = sorted(
            blank for blank in rules.sums.ink if before.get(blank, 0) != after.get(blank, 0)
        )
    return sorted(order, key=lambda name: (not made[name], made[name]))


def _extended(
    rules: _Rules,
    best: Mapping[str, Mark],
    ways: Sequence[_Way],
    name: str,
    options: Sequence[tuple[Mark, float]],
) -> list[_Way]:
    """The `WAYS` likeliest ways after one more field is decided, the likeliest first."""
    # The rules only lower a weight, so this upper bound spares most calls of the rules.
    possible = []
    for way, (mark, chance) in product(ways, options):
        most = way.ink + math.log(chance) + (way.rules if mark == best[name] else 0.0)
        possible.append((most, way, mark, chance))
    possible.sort(key=lambda candidate: candidate[0], reverse=True)
    kept: list[_Way] = []
    for most, way, mark, chance in possible:
        if kept and most <= (kept[-1].total if len(kept) == WAYS else kept[0].total - NEGLIGIBLE):
            break
        changed = {**way.changed, name: mark}
        # The rules are the same as long as no mark changes.
        weight = way.rules if mark == best[name] else rules.weight({**best, **changed})
        extended = _Way(way.ink + math.log(chance), weight, changed)
        insort(kept, extended, key=lambda known: -known.total)
        del kept[WAYS:]
    return kept


def _options(chances: Chances) -> list[tuple[Mark, float]]:
    """The candidates that the ink allows, the likeliest first; never empty."""
    by_chance = ranked(chances)
    likely = [(mark, chance) for mark, chance in by_chance[:8] if chance >= LEAST]
    return likely or [(by_chance[0][0], LEAST)]


def _given_others(
    rules: _Rules,
    marks: Mapping[str, Mark],
    name: str,
    options: Sequence[tuple[Mark, float]],
) -> dict[Mark, float]:
    """The probabilities of a field's candidates if all other fields are as in `marks`."""
    # On a sheet with many unclear fields the beam keeps no way in which a clearer field is read
    # differently, so that this field would seem certain
    weights = [math.log(chance) + rules.weight({**marks, name: mark}) for mark, chance in options]
    return dict(zip((mark for mark, _ in options), _shares(weights), strict=True))


def _shares(weights: Sequence[float]) -> list[float]:
    """The probabilities of ways, or of marks, by the logarithms of their weights."""
    top = max(weights)
    parts = [math.exp(weight - top) for weight in weights]
    whole = sum(parts)
    return [part / whole for part in parts]


def _readable(
    rules: _Rules,
    marks: Mapping[str, Mark],
    name: str,
    chances: Chances,
    options: Sequence[tuple[Mark, float]],
) -> float:
    """The probability that a field's ink means a mark at all."""
    # If it meant none, its writer would have summed up something else. So a sum that agrees with
    # what was read there makes that likelier, too; but not that nothing was written under
    # something.
    readable = min(sum(chances.values()), 1.0)
    is_covered = marks[name] in EMPTY.values() and round(readable, 3) <= OUT_OF_SIGHT
    if not rules.sums.ink or readable > CLEAR or is_covered:
        return readable
    agreeing = rules.sums.weight(rules.right_sums(marks))
    others = [mark for mark, _ in options if mark != marks[name]][:MOST_OTHERS] or [None]
    weights = [rules.sums.weight(rules.right_sums({**marks, name: mark})) for mark in others]
    odds = sum(math.exp(min(weight - agreeing, 0.0)) for weight in weights) / len(weights)
    return readable / (readable + (1 - readable) * odds)


def _decided(
    rules: _Rules,
    ink: Mapping[str, Chances],
    options: Mapping[str, list[tuple[Mark, float]]],
    best: Mapping[str, Mark],
    ways: Sequence[_Way],
) -> WeighedSheet:
    """The likeliest way, with the confidence of each of its fields."""
    shares = _shares([way.total for way in ways])
    likeliest = {**best, **ways[0].changed}
    fields: dict[str, FieldReading] = {}
    for name in ink:
        # Ink that means no mark (scribbles) limits the confidence, whatever the rules make likely.
        readable = _readable(rules, likeliest, name, ink[name], options[name])
        if name in ways[0].changed:
            chances: dict[Mark, float] = {}
            for way, share in zip(ways, shares, strict=True):
                mark = way.changed[name]
                chances[mark] = chances.get(mark, 0.0) + share * readable
            if chances[likeliest[name]] >= SURE[0][1]:
                given_others = _given_others(rules, likeliest, name, options[name])
                if given_others[likeliest[name]] * readable < chances[likeliest[name]]:
                    chances = {mark: chance * readable for mark, chance in given_others.items()}
        else:
            chances = dict(options[name])
        value = likeliest[name]
        others = tuple((mark, chance) for mark, chance in ranked(chances) if mark != value)
        fields[name] = FieldReading(value, chances[value], others[:MOST_OTHERS])
    marks = {name: field.value for name, field in fields.items()}
    doubted = _doubted(rules, marks, options)
    sureness = {name: field.confidence for name, field in fields.items()}
    for name in doubted:
        sureness[name] = min(sureness[name], ink[name].get(fields[name].value, LEAST))
    unsure = _unsure(rules, marks, fields, sureness)
    together = tuple(zip(ways, shares, strict=True))
    return WeighedSheet(fields, unsure, _written(rules, best, marks, together))


def _doubted(
    rules: _Rules, marks: Mapping[str, Mark], options: Mapping[str, Sequence[tuple[Mark, float]]]
) -> set[str]:
    """The fields that count for a sum which does not agree with the sheet."""
    # Either its writer miscounted, or several of them are misread, and no way that the beam kept
    # has all of them right. Rules and sums then make a misread field surer than its ink is.
    right = rules.right_sums(marks)
    blanks = rules.sums.disagreeing(right)

    def moves_one(name: str, mark: Mark) -> bool:
        other = rules.right_sums({**marks, name: mark})
        return any(other.get(blank, 0) != right.get(blank, 0) for blank in blanks)

    return {
        name
        for name, ways in options.items()
        if blanks and any(mark != marks[name] and moves_one(name, mark) for mark, _ in ways)
    }


def _unsure(
    rules: _Rules,
    marks: Mapping[str, Mark],
    fields: Mapping[str, FieldReading],
    sureness: Mapping[str, float],
) -> tuple[str, ...]:
    """The fields that a person has to check, in the order of `WeighedSheet.unsure`.

    `sureness` is less than a value's confidence where a sum speaks against it.
    """
    concerned = rules.concerned(marks)
    sure = _least_sure(sureness.values())
    is_proved = rules.is_proved(marks)
    asked = []
    for name, reading in fields.items():
        if sureness[name] < (SURE_IN_PROBLEM if name in concerned else sure):
            chance, points = _stake(rules, marks, name, reading)
            is_harmless = is_proved and chance <= 1 - sure and reading.confidence >= PROVED
            if name in concerned or not is_harmless:
                # Rounded, so that confidence decides among fields that cost next to nothing.
                asked.append((-round(points, 2), reading.confidence, name))
    return tuple(name for _, _, name in sorted(asked))


def _stake(
    rules: _Rules, marks: Mapping[str, Mark], name: str, reading: FieldReading
) -> tuple[float, float]:
    """(the probability that the total is wrong because of a field, by how many points on average).

    Ink that means none of the likely marks counts as the mark, or the lack of one, that moves the
    total most, as far as no written sum speaks against it.
    """
    ways = [{**marks, name: mark} for mark, _ in reading.others]
    ways.append({other: mark for other, mark in marks.items() if other != name})
    total = rules.total(marks)
    moved = [abs(rules.total(way) - total) for way in ways]
    worst = moved.index(max(moved))
    right, wrong = (rules.sums.weight(rules.right_sums(way)) for way in (marks, ways[worst]))
    chances = [chance for _, chance in reading.others]
    chances.append(0.0)
    rest = max(1 - reading.confidence - sum(chances), 0.0)
    chances[worst] += rest * math.exp(min(wrong - right, 0.0))
    moving = [chance for chance, points in zip(chances, moved, strict=True) if points]
    return sum(moving), sum(chance * by for chance, by in zip(chances, moved, strict=True))


def _written(
    rules: _Rules,
    best: Mapping[str, Mark],
    marks: Mapping[str, Mark],
    ways: Sequence[tuple[_Way, float]],
) -> Mapping[str, FieldReading]:
    """The writing in the blanks for sums; `ways` with their probabilities."""
    if not rules.sums.ink:
        return {}
    right: dict[str, dict[int, float]] = {}
    for way, share in ways:
        for name, number in rules.right_sums({**best, **way.changed}).items():
            numbers = right.setdefault(name, {})
            numbers[abs(number)] = numbers.get(abs(number), 0.0) + share
    return rules.sums.written(right, rules.right_sums(marks))
