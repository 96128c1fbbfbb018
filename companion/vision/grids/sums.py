"""A table's other numbers as evidence for one: its sums, and of which kinds most of them are."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache, reduce
from itertools import chain
from typing import Final, TypeAlias

from companion.core.sheet import Mark
from companion.games.score_grid import LEAST_IN_ONE_COLUMN, SumRow, sum_rows
from companion.vision.core import Chances
from companion.vision.evidence import AGREEING, ALTERNATIVES, ranked

Numbers: TypeAlias = Mapping[int, float]  # Number, 0 for nothing → probability

# The logarithm of the odds above which a row is a row of sums: one column that agrees is enough in
# the last row; in any other it may be chance
LAST, ANY = 2.5, 4.5
FEW: Final = 4  # The most numbers that are tried for a cell
MOST: Final = 300  # The most sums of a column that are followed
# How often a kind of number is expected that no other cell of a table has; the exponent of how
# often it occurs there
SELDOM, LIKENESS = 1.0, 0.5


def find_sums(columns: Sequence[Sequence[Chances]]) -> tuple[SumRow, ...]:
    """The rows that are sums, by all numbers that their cells may hold; () for an empty cell."""
    last = len(columns[0]) - 1

    @cache
    def added(column: int, parts: tuple[int, ...]) -> Numbers:
        """The sums of some rows."""
        if not parts:
            return {0: 1.0}
        before, chances = added(column, parts[:-1]), columns[column][parts[-1]]
        return _added(before, _signed(chances, False)) if chances else before

    def agreement(row: int, parts: tuple[int, ...]) -> float:
        odds = 0.0
        is_sure = False
        for number, column in enumerate(columns):
            added_up = sum(bool(column[part]) for part in parts)
            if not column[row] or not added_up:
                continue
            likeliest = max(column[row], key=lambda mark: column[row][mark])
            # Two equal numbers are not a sum; large ones are seldom equal by chance.
            is_sure |= added_up > 1 or abs(int(likeliest or 0)) >= LEAST_IN_ONE_COLUMN
            sums = added(number, parts)
            adds_up = sum(
                chance * sums.get(written, 0.0) * min(ALTERNATIVES, 1.0 + abs(written))
                for written, chance in _signed(column[row], False).items()
            )
            odds += math.log(AGREEING * adds_up + 1 - AGREEING)
        return odds if is_sure and odds > (LAST if row == last else ANY) else 0.0

    return sum_rows(last + 1, agreement)


def of_usual_kinds(
    columns: Sequence[Sequence[Chances]], sum_rows: Sequence[SumRow]
) -> list[list[Chances]]:
    """The probabilities of a table's cells, given of which kinds its other numbers are.

    A kind is a sign, a number of digits and a first digit: of points up to 40, few are below 10.
    Rows of sums have other kinds and stay as they are.
    """
    sums = {each.row for each in sum_rows}
    kinds = [
        [{} if row in sums else _kinds(chances) for row, chances in enumerate(column)]
        for column in columns
    ]
    usual: dict[str, float] = defaultdict(float)
    for kind, chance in chain.from_iterable(cell.items() for column in kinds for cell in column):
        usual[kind] += chance
    found = []
    for column, of_column in zip(columns, kinds, strict=True):
        weighed = []
        for chances, own in zip(column, of_column, strict=True):
            parts = {
                mark: chance * (usual[_kind(mark)] - own[_kind(mark)] + SELDOM) ** LIKENESS
                for mark, chance in chances.items()
                if own
            }
            factor = sum(chances.values()) / max(sum(parts.values()), 1e-9)
            weighed.append({mark: part * factor for mark, part in parts.items()} or chances)
        found.append(weighed)
    return found


def _kinds(chances: Chances) -> Mapping[str, float]:
    """The probabilities of the kinds of numbers."""
    kinds: dict[str, float] = defaultdict(float)
    for mark, chance in chances.items():
        kinds[_kind(mark)] += chance
    return kinds


def _kind(mark: Mark) -> str:
    """Such as "-4." for -47."""
    sign, text = "-" * (int(mark or 0) < 0), str(abs(int(mark or 0)))
    return sign + text[0] + "." * (len(text) - 1)


def settled(column: Sequence[Chances], sum_rows: Sequence[SumRow]) -> list[Chances]:
    """The probabilities of a column's cells, given what its sums say; () for an empty cell."""
    found: list[Chances] = [*column]
    for each in sum_rows:
        rows = [row for row in (*each.parts, each.row) if found[row]]
        if each.row not in rows or len(rows) < 2:
            continue
        signed = [_signed(found[row], row == each.row) for row in rows]
        above = _running(signed)
        below = _running(signed[::-1])[::-1]
        read = [sum(part.values()) for part in signed]
        for place, row in enumerate(rows):
            left, right = above[place], below[place + 1]
            # Where another cell may hold what is not read there, it may be what the sum lacks.
            unread = 1 - math.prod(read[:place] + read[place + 1 :])
            weighed = {}
            for mark, chance in found[row].items():
                number = int(mark or 0) * (-1 if row == each.row else 1)
                ways = (part * right.get(-number - before, 0.0) for before, part in left.items())
                adds_up = sum(ways)
                odds = AGREEING * (adds_up * ALTERNATIVES + unread) + (1 - AGREEING)
                weighed[mark] = chance * odds
            rest = max(1 - sum(found[row].values()), 0.0)
            whole = sum(weighed.values()) + rest
            found[row] = {mark: part / whole for mark, part in weighed.items()} if whole else {}
    return found


def _signed(chances: Chances, is_sum: bool) -> Numbers:
    """The likeliest numbers of a cell as they are added; a sum is taken away."""
    numbers: dict[int, float] = {}
    for mark, chance in ranked(chances)[:FEW]:
        number = int(mark or 0) * (-1 if is_sum else 1)
        numbers[number] = numbers.get(number, 0.0) + chance
    return numbers


def _running(parts: Sequence[Numbers]) -> list[Numbers]:
    """The sums of none, one, two … of the parts, with their probabilities."""
    return reduce(lambda sums, part: [*sums, _added(sums[-1], part)], parts, [{0: 1.0}])


def _added(sums: Numbers, part: Numbers) -> Numbers:
    """Some sums and a further part, the likeliest ones."""
    added: dict[int, float] = {}
    for so_far, chance in sums.items():
        for number, other in part.items():
            added[so_far + number] = added.get(so_far + number, 0.0) + chance * other
    return dict(sorted(added.items(), key=lambda item: -item[1])[:MOST])
