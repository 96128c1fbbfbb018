"""A ruled table of numbers, a column a player or a game, and which of its rows are sums."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain, zip_longest
from typing import Final, NamedTuple, Self, TypeAlias

from companion.core.numbers import out_of_range
from companion.core.refusal import Refusal, Unusable
from companion.core.result import Result
from companion.core.values import Columns, Document, Player, is_whole
from companion.core.words import N_

Values: TypeAlias = tuple[tuple[int | None, ...], ...]
Agreement: TypeAlias = Callable[[int, tuple[int, ...]], float]

RANGE: Final = range(-999, 10_000)
MOST_ROWS, MOST_COLUMNS = 60, 20
AGREEING: Final = 0.5  # The share of columns in which a row of sums is right, at least
LEAST_IN_ONE_COLUMN: Final = 10  # The least sum that counts as one in a table of one column


@dataclass(frozen=True)
class SumRow:
    row: int  # from 0
    parts: tuple[int, ...]  # the rows that it sums up


class WrongSum(NamedTuple):
    """A sum on the paper that differs from the sum of its rows."""

    row: int  # from 0
    column: int  # from 0
    written: int
    counted: int


@dataclass(frozen=True)
class ScoreGrid:
    values: Values
    players: tuple[Player, ...] = ()  # those of the first columns, as far as they are known
    # The row with the totals, from 1; 0 if each row is a round; None while nobody has chosen
    total_row: int | None = None
    is_plain: bool = False  # no row is a sum, and each one counts

    @classmethod
    def from_document(cls, document: Mapping[str, object]) -> Self:
        """The table of a public sheet document.

        Raises:
            Unusable: no rows, rows of different lengths, too many of them, or what is neither a
                whole number nor null.
        """
        rows = document.get("values")
        if not isinstance(rows, list) or not rows or not all(isinstance(row, list) for row in rows):
            raise Unusable("'values' must be a list of rows, each a list of numbers.")
        if len(set(map(len, rows))) > 1 or not rows[0]:
            raise Unusable("The rows of a table are of one length.")
        if len(rows) > MOST_ROWS or len(rows[0]) > MOST_COLUMNS:
            raise Unusable(f"A table has up to {MOST_ROWS} rows and {MOST_COLUMNS} columns.")
        for number in chain.from_iterable(rows):
            if number is not None and (not is_whole(number) or abs(number) > 10 * RANGE[-1]):
                raise Unusable("A table holds whole numbers or nulls only.")
        return cls(tuple(map(tuple, rows)))

    @classmethod
    def of_rounds(cls, columns: Columns, total_row: int | None = None) -> Self:
        """A table of only each player's numbers, without rows of sums."""
        rows = tuple(zip_longest(*columns.values())) or ((None,) * len(columns),)
        return cls(rows, tuple(columns), total_row, is_plain=True)

    @property
    def columns(self) -> Values:
        """The numbers of each column, from the top."""
        return tuple(zip(*self.values, strict=True))

    @cached_property
    def sum_rows(self) -> tuple[SumRow, ...]:
        """The rows that are sums of those above, from the top."""
        return () if self.is_plain else find_sum_rows(self.values)

    @property
    def chosen_row(self) -> int | None:
        """As `total_row`; while nobody has chosen, the last row if it is one of sums."""
        last = self.sum_rows[-1].row + 1 if self.sum_rows else 0
        return last if self.total_row is None and last == len(self.values) else self.total_row

    @property
    def likely_rows(self) -> tuple[int, ...]:
        """The rows that may have the totals, from 1: those of sums, and the last one."""
        return tuple(sorted({len(self.values), *(each.row + 1 for each in self.sum_rows)}))

    @property
    def rows_for_totals(self) -> tuple[int, ...]:
        """All rows, from 1, those first that are likely to have the totals."""
        likely = self.likely_rows[::-1]
        others = set(range(1, len(self.values) + 1)) - {*likely}
        return (*likely, *sorted(others))

    @cached_property
    def counted(self) -> tuple[int, ...]:
        """The rows that make the totals, from 0: the parts of the chosen one, or only that one."""
        parts = {each.row: each.parts for each in self.sum_rows}
        if self.is_plain or not self.chosen_row:
            return tuple(row for row in range(len(self.values)) if row not in parts)
        found, open_rows = set(), [self.chosen_row - 1]
        while open_rows:
            row = open_rows.pop()
            open_rows += parts.get(row, ())
            found |= {row} - parts.keys()
        return tuple(sorted(found))

    @cached_property
    def rounds(self) -> Columns:
        """Player → the numbers that count, up to the last column with a number."""
        last = 1
        for number, column in enumerate(self.columns, start=1):
            if column.count(None) < len(column):
                last = number
        rounds = {}
        for place, column in enumerate(self.columns[:last]):
            name = self.players[place] if place < len(self.players) else str(place + 1)
            rounds[name] = tuple(column[row] for row in self.counted)
        return rounds

    @property
    def totals(self) -> tuple[int, ...]:
        """The sum of each column; rows of sums are not added again."""
        return tuple(_sum(column, self.counted) for column in self.columns)

    def written_total(self, place: int) -> int | None:
        """The number in the row with the totals, in a column from 0; None if it is empty."""
        row = (self.chosen_row or 0) - 1
        return self.columns[place][row] if row >= 0 else None

    # Players who share it

    def named(self, names: Sequence[Player]) -> ScoreGrid:
        """The table with these names over its columns, from the left."""
        return replace(self, players=(*names, *self.players[len(names) :]))

    def split(self) -> tuple[tuple[Player, ScoreGrid], ...]:
        """Each player with a table of that column's counted numbers."""
        row = self.chosen_row
        return tuple(
            (name, ScoreGrid.of_rounds({name: self.rounds[name]}, row)) for name in self.rounds
        )

    def followed(self, later: ScoreGrid) -> ScoreGrid:
        """The counted numbers of this table and then of `later`, joined by the players' names."""
        blank = (None,) * len(self.counted)
        both = {}
        for name in (*self.rounds, *later.rounds):
            both[name] = (*self.rounds.get(name, blank), *later.rounds.get(name, ()))
        return ScoreGrid.of_rounds(both, self.chosen_row)

    def wrong_sums(self) -> Iterator[WrongSum]:
        for each in self.sum_rows:
            for column, numbers in enumerate(self.columns):
                written, counted = numbers[each.row], _sum(numbers, each.parts)
                if written is not None and written != counted:
                    yield WrongSum(each.row, column, written, counted)

    def document(self) -> Document:
        return {"sheet": "table", "values": list(map(list, self.values))}

    def score(self) -> Document:
        rows = [each.row + 1 for each in self.sum_rows]
        return {"totals": list(self.totals), "sum_rows": rows}

    def result(self) -> Result:
        """The total of all columns together."""
        return Result(sum(self.totals))

    def problems(self) -> tuple[Refusal, ...]:
        """Numbers that are too large or too small, and sums that are not right."""
        text = N_("Numbers in a table go from %(lowest)s to %(highest)s, so not %(number)s.")
        found: list[Refusal] = []
        for at, number in self.written:
            found += out_of_range(field_name(*at), number, RANGE, text)
        wrong = N_("You wrote %(written)s, but it is %(counted)s.")
        for row, column, written, counted in self.wrong_sums():
            numbers = {"written": written, "counted": counted}
            found.append(Refusal("wrong-sum", wrong, numbers, (field_name(row, column),)))
        return tuple(found)

    @property
    def written(self) -> Iterator[tuple[tuple[int, int], int | None]]:
        """((row, column) from 0, the number there), row by row."""
        for row, numbers in enumerate(self.values):
            for column, number in enumerate(numbers):
                yield (row, column), number


def field_name(row: int, column: int) -> str:
    """The public name of a field, whose row and column count from 0."""
    return f"row.{row + 1}.column.{column + 1}"


def _sum(numbers: Sequence[int | None], rows: Sequence[int]) -> int:
    return sum(filter(None, (numbers[row] for row in rows)))


def find_sum_rows(values: Values) -> tuple[SumRow, ...]:
    """The rows that are sums: of the rows since the last one, of all above, or of the sums above.

    A row is one if it is right in most columns. Somebody may have miscounted in the others.
    """
    return sum_rows(len(values), partial(_agreeing, tuple(zip(*values, strict=True))))


def sum_rows(count: int, agreement: Agreement) -> tuple[SumRow, ...]:
    """Those of `count` rows that are sums; `agreement` is 0 where a row is not one of others."""
    found: list[SumRow] = []
    for row in range(1, count):
        sums = [each.row for each in found]
        plain = [other for other in range(row) if other not in sums]
        since = [other for other in plain if not sums or other > sums[-1]]
        ways = [tuple(since), tuple(plain), tuple(sums), *((each,) for each in sums)]
        if sums:
            ways.append((sums[-1], *since))
        agreements = {way: agreement(row, way) for way in ways if way}
        best = max(agreements, key=lambda way: agreements[way], default=())
        if agreements.get(best):
            found.append(SumRow(row, best))
    return tuple(found)


def _agreeing(columns: Values, row: int, parts: tuple[int, ...]) -> int:
    """The number of columns in which a row is the sum of others; 0 if that may be chance."""
    compared = right = 0
    is_sure = False
    for numbers in columns:
        written, added = numbers[row], [numbers[part] for part in parts if numbers[part]]
        if written is None or not added:
            continue
        compared += 1
        if written == sum(filter(None, added)):
            right += 1
            # Equal small numbers may be chance; large ones seldom are.
            is_large = abs(written) >= LEAST_IN_ONE_COLUMN
            is_sure = is_sure or (is_large and (len(added) > 1 or len(parts) == 1))
    needed = max(AGREEING * compared, min(compared - 1, 2))
    return right if is_sure and right >= needed else 0
