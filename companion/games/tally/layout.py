"""The tally on paper and on a screen: a column a player, a line a round, a box a digit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import product, starmap
from typing import Final

from companion.core.sheet import (
    HEADER,
    PAD_WIDTH,
    Blank,
    Box,
    Field,
    Label,
    Layout,
    Mark,
    Millimetres,
    Paper,
    Sharing,
    SheetKind,
    Term,
    header,
)
from companion.core.values import Player, is_whole
from companion.core.words import Sentence, minus
from companion.games.tally import sheet as tally
from companion.games.tally.sheet import Tally, field_name

DIGITS: Final = 3
MARGIN: Final[Millimetres] = 2.0
NUMBERING: Final[Millimetres] = 10.0
HEADING: Final[Millimetres] = 8.0  # The height of the players' names
DIGIT_WIDTH: Final[Millimetres] = 7.0
# The gap between two digits' boxes, so that the photo reader sees each one by itself
DIGIT_GAP: Final[Millimetres] = 0.6
DIGIT_HEIGHT: Final[Millimetres] = 9.5
ACROSS: Final[Millimetres] = 25.5  # The distance from one player to the next
DOWN: Final[Millimetres] = 11.5  # The distance from one round to the next
NUMBER_WIDTH: Final[Millimetres] = DIGITS * DIGIT_WIDTH + (DIGITS - 1) * DIGIT_GAP
# The place of the examples' heading on the printed pad; they show one digit or sign a box
EXAMPLE: Final = Box(3, 23.4, 12.6, 2.8)
PRINTED_PLAYERS: Final = 6
PRINTED_ROUNDS: Final = 8  # Rounds on a printed pad; a longer game needs another pad


def _field(player: Player, number: int, place: int) -> Field:
    x = MARGIN + NUMBERING + place * ACROSS + (ACROSS - NUMBER_WIDTH) / 2
    y = MARGIN + HEADING + (number - 1) * DOWN + (DOWN - DIGIT_HEIGHT) / 2
    cells = []
    for digit in range(DIGITS):
        left = x + digit * (DIGIT_WIDTH + DIGIT_GAP)
        cells.append(Box(left, y, DIGIT_WIDTH, DIGIT_HEIGHT))
    return Field(
        id=field_name(number, place),
        kind="digits",
        box=Box(x, y, NUMBER_WIDTH, DIGIT_HEIGHT),
        shape="square",
        color="plain",
        name=Sentence("Round %(round)s, %(player)s", {"round": number, "player": player}),
        cells=tuple(cells),
        numbers=tally.POINTS,
        touch_margin=DOWN - DIGIT_HEIGHT,
    )


def _heading(place: int, player: Player) -> Label:
    box = Box(MARGIN + NUMBERING + place * ACROSS, MARGIN, ACROSS, HEADING)
    return Label(box, Sentence("%(player)s", {"player": player}))


def _numbering(number: int) -> Label:
    box = Box(MARGIN, MARGIN + HEADING + (number - 1) * DOWN, NUMBERING, DOWN)
    return Label(box, Sentence("%(round)s", {"round": number}), "plain", size=4.2)


@lru_cache(maxsize=64)  # limited, because people may type any names
def _layout(players: tuple[Player, ...], rounds: int) -> Layout:
    fields = []
    for number in range(1, rounds + 1):
        for place, player in enumerate(players):
            fields.append(_field(player, number, place))
    return Layout(
        width=2 * MARGIN + NUMBERING + len(players) * ACROSS,
        height=2 * MARGIN + HEADING + rounds * DOWN,
        bands=(),
        fields=tuple(fields),
        labels=(
            *starmap(_heading, enumerate(players)),
            *map(_numbering, range(1, rounds + 1)),
        ),
    )


def _example(number: int, written: int, x: Millimetres) -> Iterator[Field]:
    """The signs of a number, each in a small box, to the left of a round of the printed pad."""
    step, height = EXAMPLE.width / DIGITS, 5.4
    y = MARGIN + HEADING + (number - 0.5) * DOWN - height / 2
    for place, digit in enumerate(f"{minus(written):>{DIGITS}}"):
        box, name = Box(x + place * step, y, step - DIGIT_GAP, height), Sentence("Example")
        yield Field("", "digits", box, "square", "plain", name, cells=(box,), print=digit.strip())


@cache
def _paper() -> Paper:
    sheet = _layout(("",) * PRINTED_PLAYERS, PRINTED_ROUNDS)
    left, top = (PAD_WIDTH - sheet.width) / 2, HEADER + 1
    first = left + MARGIN + NUMBERING
    y = top + sheet.height
    names, sums = [], []
    for place in range(PRINTED_PLAYERS):
        x = first + place * ACROSS
        above = Box(x + 1, top + MARGIN, ACROSS - 2, HEADING - 1)
        below = Box(x + 2.5, y + 0.8, ACROSS - 5, 9.8)
        names.append(Blank(f"name.{place + 1}", above, None, "line"))
        sums.append(Blank(f"sum.player.{place + 1}", below, None, strong=True))
    return Paper(
        title=Sentence("Tally"),
        subtitle=None,
        width=PAD_WIDTH,
        height=y + 13.5,
        layout=sheet,
        at=(left, top),
        blanks=(*header(Sentence("Game"), "game"), *names, *sums),
        names=tuple(blank.id for blank in names),
        notes=(
            Label(Box(15, y + 0.8, first - 14, 9.8), Sentence("Total"), "strong"),
            Label(EXAMPLE, Sentence("Example"), size=2.6),
        ),
        examples=(*_example(1, 12, EXAMPLE.x - left), *_example(2, -5, EXAMPLE.x - left)),
        code=Box(2.2, 64, 14, 14),
    )


@lru_cache(maxsize=512)  # a reader weighs thousands of ways to read one sheet
def _numbers(field: str) -> tuple[int, int]:
    """The round's and the player's number of a field's name."""
    _, number, _, place = field.split(".")
    return int(number), int(place)


def empty(players: Sequence[Player]) -> Tally:
    """A tally of these players with the rounds of a printed pad."""
    return Tally(tuple(players), ((None,) * len(players),) * PRINTED_ROUNDS)


class TallyKind(SheetKind[Tally]):
    """The tally, which players share."""

    name = "tally"
    number = 2
    written = Tally
    sharing = Sharing(
        named=Tally.named,
        split=Tally.split,
        followed=Tally.followed,
        empty=empty,
        of_columns=tally.of_columns,
        columns=lambda sheet: sheet.columns,
        place=lambda field: _numbers(field)[1] - 1,
        line=lambda field: Sentence("Round %(number)s", {"number": _numbers(field)[0]}),
        line_title=Sentence("Round"),
        title=Sentence("Rounds"),
    )

    def paper(self, board: str) -> Paper:
        """The printed pad; on this sheet the players share one."""
        return _paper()

    def layout(self, sheet: Tally) -> Layout:
        """The geometry: a column for each player, a line for each round."""
        return _layout(sheet.players, len(sheet.rounds))

    def marks(self, sheet: Tally) -> Mapping[str, Mark]:
        """Every field's number; None where nothing has been written yet."""
        return {name: entry for name, _, entry in sheet.written}

    def from_marks(self, board: str, marks: Mapping[str, Mark]) -> Tally:
        """The tally with these marks.

        Marks have no names, so the players are called "1", "2" and so on. Players and rounds end
        with the last number.
        """
        written: dict[tuple[int, int], int] = {}
        players, last_round = 1, 0
        for field, mark in marks.items():
            if is_whole(mark):
                number, place = _numbers(field)
                written[number, place] = mark
                players, last_round = max(players, place), max(last_round, number)
        places = range(1, players + 1)
        rounds = []
        for number in range(1, last_round + 1):
            rounds.append(tuple(written.get((number, place)) for place in places))
        return Tally(tuple(map(str, places)), tuple(rounds))

    def slips(self, marks: Mapping[str, Mark]) -> tuple[tuple[str, ...], ...]:
        """The open fields of rounds in which other players have a number.

        Only players with a number in another round count.
        """
        written = {_numbers(field) for field, mark in marks.items() if mark is not None}
        rounds, players = set(), set()
        for number, place in written:
            rounds.add(number)
            players.add(place)
        open_fields = sorted(set(product(rounds, players)) - written)
        return tuple((field_name(number, place - 1),) for number, place in open_fields)

    def terms(self, sheet: Tally) -> tuple[Term, ...]:
        fields: dict[int, list[str]] = defaultdict(list)
        for field, place, entry in sheet.written:
            if entry is not None:
                fields[place].append(field)
        terms = []
        for place, (player, total) in enumerate(zip(sheet.players, sheet.totals, strict=True)):
            name = Sentence("%(player)s", {"player": player})
            terms.append(Term(name, total, tuple(fields[place])))
        return tuple(terms)


SHEET: Final = TallyKind()
