"""Decides which marks a sheet has, from the ink in its fields, the rules and its writer's sums.

The likeliest way to read the whole sheet is searched for: how well each mark fits its ink, divided
by the odds of each problem that the sheet would then have. These odds are bounded, because people
do break rules, and then the sheet must show its problem rather than a more fitting number. For
example, a digit between 3 and 9 in a rising row, which by its ink is a 1 (0.6) or a 7 (0.4), is
read as a 7; a clear 1 stays a 1.

Nothing here knows a single game; the sheet itself reports what is wrong with it
(`SheetKind.problems`, `SheetKind.slips`).
"""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Final, TypeAlias

from companion.core.sheet import EMPTY, AnySheetKind, Mark
from companion.vision.core import Chances, FieldReading
from companion.vision.evidence import DISAGREEING, MOST_OTHERS, SumEvidence, possible, ranked

# The marks that a field's ink allows, with their probabilities, the likeliest first; never empty
Candidates: TypeAlias = Sequence[tuple[Mark, float]]

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
    # The fields that would be read differently without their writer's sums
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
    candidates = {name: _candidates(chances) for name, chances in ink.items()}
    by_ink = {name: allowed[0][0] for name, allowed in candidates.items()}
    unclear = {name for name, allowed in candidates.items() if allowed[0][1] < CLEAR}
    unclear |= {name for name in rules.concerned(by_ink) if len(candidates[name]) > 1}
    unclear |= _explaining(rules, candidates, by_ink)

    ways = [_Way(0.0, rules.weight(by_ink), {})]
    for name in _order(rules, candidates, by_ink, unclear):
        ways = _extended(rules, by_ink, ways, name, candidates[name])
    weighed = _decided(rules, ink, candidates, by_ink, ways)
    if not rules.is_likelier_by_sums(weighed.marks, by_ink):
        return weighed
    without_sums = weigh(sheet, board, ink).marks
    by_sums = [name for name in ink if weighed.marks[name] != without_sums[name]]
    # Two numbers that are misread may cancel each other out in a sum.
    asked = by_sums if len(by_sums) > 1 else ()
    unsure = tuple(dict.fromkeys((*weighed.unsure, *asked)))
    return replace(weighed, unsure=unsure, by_sums=tuple(by_sums))


def _weigh_part(rules: _Rules, ink: Mapping[str, Chances], unseen: Collection[str]) -> WeighedSheet:
    """Decides the fields of a sheet that is only partly in sight, each by its ink alone."""
    # Hidden fields may explain an apparent problem, so the rules decide nothing. Nor do the sums:
    # they are reported as they stand there.
    fields = {}
    for name, chances in ink.items():
        (value, chance), *others = _candidates(chances)
        fields[name] = FieldReading(value, chance, tuple(others[:MOST_OTHERS]))
    marks = {name: field.value for name, field in fields.items()}
    concerned = rules.concerned(marks)
    least = _least_sure(field.confidence for name, field in fields.items() if name not in unseen)
    unsure = []
    for name, reading in fields.items():
        if reading.confidence < (SURE_IN_PROBLEM if name in concerned else least):
            unsure.append(name)
    return WeighedSheet(
        fields,
        tuple(sorted(unsure, key=lambda name: fields[name].confidence)),
        rules.sums.written({}, rules.right_sums(marks)),
    )


def _candidates(chances: Chances) -> Candidates:
    by_chance = ranked(chances)
    likely = [(mark, chance) for mark, chance in by_chance[:8] if chance >= LEAST]
    return likely or [(by_chance[0][0], LEAST)]


@dataclass(frozen=True)
class _Rules:
    """Everything but the ink that makes a way to read a sheet more or less likely.

    In all methods, `marks` is such a way: field id → mark.
    """

    sheet: AnySheetKind
    board: str
    sums: SumEvidence

    def weight(self, marks: Mapping[str, Mark]) -> float:
        """The logarithm of the factor of rules and sums, at most 0.

        It is 0 for a sheet without problems and slips, on which all sums agree.
        """
        filled = self.sheet.from_marks(self.board, marks)
        weight = -len(filled.problems()) * math.log(PROBLEM_ODDS)
        weight -= len(self.sheet.slips(marks)) * math.log(SLIP_ODDS)
        if self.sums.ink:
            weight += self.sums.weight(self.sheet.sums(filled))
        return weight

    def sum_weight(self, marks: Mapping[str, Mark]) -> float:
        """The part of `weight` that is due to the sums."""
        return self.sums.weight(self.right_sums(marks))

    def right_sums(self, marks: Mapping[str, Mark]) -> Mapping[str, int]:
        return self.sheet.sums(self.sheet.from_marks(self.board, marks))

    def is_likelier_by_sums(self, marks: Mapping[str, Mark], other: Mapping[str, Mark]) -> bool:
        """Whether the written sums speak for one way to read the sheet and against the other."""
        return self.sum_weight(other) - self.sum_weight(marks) < math.log(DISAGREEING)

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


# The search. In these functions, `by_ink` has the likeliest mark of each field by its ink alone.


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


def _explaining(
    rules: _Rules, candidates: Mapping[str, Candidates], by_ink: Mapping[str, Mark]
) -> set[str]:
    """The fields that, read otherwise, could explain why a sum does not agree."""
    # However clear its ink, a field is not clear if the sum that its writer made speaks against it
    before = rules.weight(by_ink)
    if not rules.sums.ink or before > math.log(DISAGREEING):
        return set()
    explaining = set()
    for name, (likeliest, *others) in candidates.items():
        for mark, chance in others:
            weight = math.log(chance / likeliest[1]) + rules.weight({**by_ink, name: mark})
            if weight - before > math.log(1 - CLEAR):
                explaining.add(name)
    return explaining


def _order(
    rules: _Rules,
    candidates: Mapping[str, Candidates],
    by_ink: Mapping[str, Mark],
    unclear: Iterable[str],
) -> list[str]:
    """The order in which the unclear fields are decided."""
    # Those that move the same sums come one after the other, and those that move none come last, so
    # that ways which differ in nothing that a sum could show do not crowd out others; among them,
    # the least clear first
    order = sorted(unclear, key=lambda name: candidates[name][0][1])[:MOST_OPEN]
    if not rules.sums.ink:
        return order
    before = rules.right_sums(by_ink)
    moved = {}
    for name in order:
        other = next((mark for mark, _ in candidates[name] if mark != by_ink[name]), by_ink[name])
        after = rules.right_sums({**by_ink, name: other})
        moved[name] = sorted(
            blank for blank in rules.sums.ink if before.get(blank, 0) != after.get(blank, 0)
        )
    return sorted(order, key=lambda name: (not moved[name], moved[name]))


def _extended(
    rules: _Rules,
    by_ink: Mapping[str, Mark],
    ways: Sequence[_Way],
    name: str,
    candidates: Candidates,
) -> list[_Way]:
    """The `WAYS` likeliest ways after one more field is decided, the likeliest first."""
    # (an upper bound of its total, its ink, the way that it extends, the field's mark) of each. The
    # rules only lower a weight, so the bound spares most calls of the rules.
    extensions = []
    for way, (mark, chance) in product(ways, candidates):
        ink = way.ink + math.log(chance)
        bound = ink + (way.rules if mark == by_ink[name] else 0.0)
        extensions.append((bound, ink, way, mark))
    extensions.sort(key=lambda extension: extension[0], reverse=True)
    kept: list[_Way] = []
    for bound, ink, way, mark in extensions:
        if kept and bound <= (kept[-1].total if len(kept) == WAYS else kept[0].total - NEGLIGIBLE):
            break
        changed = {**way.changed, name: mark}
        # The rules are the same as long as no mark changes.
        weight = way.rules if mark == by_ink[name] else rules.weight({**by_ink, **changed})
        insort(kept, _Way(ink, weight, changed), key=lambda known: -known.total)
        del kept[WAYS:]
    return kept


# How sure each field is. In these functions, `marks` is the likeliest way: field id → mark.


def _decided(
    rules: _Rules,
    ink: Mapping[str, Chances],
    candidates: Mapping[str, Candidates],
    by_ink: Mapping[str, Mark],
    ways: Sequence[_Way],
) -> WeighedSheet:
    """The likeliest way, with the confidence of each of its fields."""
    shares = tuple(zip(ways, _shares([way.total for way in ways]), strict=True))
    marks = {**by_ink, **ways[0].changed}
    fields: dict[str, FieldReading] = {}
    for name, value in marks.items():
        chances = dict(candidates[name])
        if name in ways[0].changed:
            # Ink that means no mark (scribbles) limits the confidence, whatever the rules make
            # likely.
            readable = _readable(rules, marks, name, ink[name], candidates[name])
            chances = _chances(rules, marks, name, candidates[name], shares, readable)
        others = tuple((mark, chance) for mark, chance in ranked(chances) if mark != value)
        fields[name] = FieldReading(value, chances[value], others[:MOST_OTHERS])
    sureness = {name: field.confidence for name, field in fields.items()}
    for name in _doubted(rules, marks, candidates):
        sureness[name] = min(sureness[name], ink[name].get(marks[name], LEAST))
    unsure = _unsure(rules, marks, fields, sureness)
    return WeighedSheet(fields, unsure, _written(rules, by_ink, marks, shares))


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
    candidates: Candidates,
) -> float:
    """The probability that a field's ink means a mark at all."""
    # If it meant none, its writer would have counted another sum. So a sum that agrees with the
    # mark makes it likelier that there is one; but it does not prove that a covered field is empty.
    readable = min(sum(chances.values()), 1.0)
    is_covered = marks[name] in EMPTY.values() and round(readable, 3) <= OUT_OF_SIGHT
    if not rules.sums.ink or readable > CLEAR or is_covered:
        return readable
    agreeing = rules.sum_weight(marks)
    others = [mark for mark, _ in candidates if mark != marks[name]][:MOST_OTHERS] or [None]
    weights = [rules.sum_weight({**marks, name: mark}) for mark in others]
    odds = sum(math.exp(min(weight - agreeing, 0.0)) for weight in weights) / len(weights)
    return readable / (readable + (1 - readable) * odds)


def _chances(
    rules: _Rules,
    marks: Mapping[str, Mark],
    name: str,
    candidates: Candidates,
    shares: Iterable[tuple[_Way, float]],
    readable: float,
) -> dict[Mark, float]:
    """The probabilities of an unclear field's marks.

    Args:
        shares: the ways that were found, with their probabilities.
        readable: the probability that the ink means a mark.
    """
    chances: dict[Mark, float] = {}
    for way, share in shares:
        mark = way.changed[name]
        chances[mark] = chances.get(mark, 0.0) + share * readable
    if chances[marks[name]] < SURE[0][1]:
        return chances
    # On a sheet with many unclear fields the beam keeps no way in which a clearer field is read
    # differently, so that this field would seem certain. So all other fields are held, too.
    weights = [
        math.log(chance) + rules.weight({**marks, name: mark}) for mark, chance in candidates
    ]
    alone = {}
    for (mark, _), share in zip(candidates, _shares(weights), strict=True):
        alone[mark] = share * readable
    return alone if alone[marks[name]] < chances[marks[name]] else chances


def _written(
    rules: _Rules,
    by_ink: Mapping[str, Mark],
    marks: Mapping[str, Mark],
    shares: Iterable[tuple[_Way, float]],
) -> Mapping[str, FieldReading]:
    """The writing in the blanks for sums; `shares` as for `_chances`."""
    if not rules.sums.ink:
        return {}
    right: dict[str, dict[int, float]] = {}
    for way, share in shares:
        for name, number in rules.right_sums({**by_ink, **way.changed}).items():
            numbers = right.setdefault(name, {})
            numbers[abs(number)] = numbers.get(abs(number), 0.0) + share
    return rules.sums.written(right, rules.right_sums(marks))


# The fields that a person has to check


def _least_sure(sureness: Iterable[float]) -> float:
    """The least confidence of a sure field on a sheet, by that of all its fields; see `SURE`."""
    wrong = sum(1 - sure for sure in sureness)
    return next(least for most, least in SURE if wrong <= most)


def _doubted(
    rules: _Rules, marks: Mapping[str, Mark], candidates: Mapping[str, Candidates]
) -> set[str]:
    """The fields that count for a sum which does not agree with the sheet."""
    # Either its writer miscounted, or several fields are misread, and no way that the beam kept has
    # all of them right. Rules and sums then make a misread field surer than its ink does.
    right = rules.right_sums(marks)
    blanks = rules.sums.disagreeing(right)
    if not blanks:
        return set()

    def moves_one(name: str, mark: Mark) -> bool:
        other = rules.right_sums({**marks, name: mark})
        return any(other.get(blank, 0) != right.get(blank, 0) for blank in blanks)

    doubted = set()
    for name, allowed in candidates.items():
        if any(mark != marks[name] and moves_one(name, mark) for mark, _ in allowed):
            doubted.add(name)
    return doubted


def _unsure(
    rules: _Rules,
    marks: Mapping[str, Mark],
    fields: Mapping[str, FieldReading],
    sureness: Mapping[str, float],
) -> tuple[str, ...]:
    """The fields that a person has to check, in the order of `WeighedSheet.unsure`.

    Args:
        sureness: a field's confidence, or less where a sum speaks against its value.
    """
    concerned = rules.concerned(marks)
    least = _least_sure(sureness.values())
    is_proved = rules.is_proved(marks)
    asked = []
    for name, reading in fields.items():
        if sureness[name] >= (SURE_IN_PROBLEM if name in concerned else least):
            continue
        chance, points = _stake(rules, marks, name, reading)
        is_harmless = is_proved and chance <= 1 - least and reading.confidence >= PROVED
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
    chances = [*(chance for _, chance in reading.others), 0.0]
    total = rules.total(marks)
    points = [abs(rules.total(way) - total) for way in ways]
    worst = points.index(max(points))
    unexplained = max(1 - reading.confidence - sum(chances), 0.0)
    against = rules.sum_weight(ways[worst]) - rules.sum_weight(marks)
    chances[worst] += unexplained * math.exp(min(against, 0.0))
    is_wrong = sum(chance for chance, by in zip(chances, points, strict=True) if by)
    return is_wrong, sum(chance * by for chance, by in zip(chances, points, strict=True))
