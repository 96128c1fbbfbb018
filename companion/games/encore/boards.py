"""The printed boards of Encore!: colours, stars and points, and which boxes touch.

Data and its direct consequences, without dice, players or crosses. Sources: the rule text and,
where that has pictures only, several others that agree; `docs/rules.md` says how sure they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, TypeAlias

from companion.core.colors import COLOR_WORDS

Color: TypeAlias = str
Column: TypeAlias = str  # a letter, A to O

BoxName: TypeAlias = str  # a column's letter and a row's number, "A1" (top left) to "O7"

Boxes: TypeAlias = frozenset[BoxName]

LineId: TypeAlias = str

# In the order of the bonuses on the sheet
COLORS: Final[tuple[Color, ...]] = ("green", "yellow", "blue", "red", "orange")

COLUMNS: Final[tuple[Column, ...]] = tuple("ABCDEFGHIJKLMNO")
START_COLUMN: Final[Column] = "H"
ROWS: Final = range(1, 8)
BOXES: Final[tuple[BoxName, ...]] = tuple(f"{column}{row}" for column in COLUMNS for row in ROWS)

BY_COLUMN: Final[Mapping[Column, Boxes]] = {
    column: frozenset(f"{column}{row}" for row in ROWS) for column in COLUMNS
}

Claim: TypeAlias = Literal["first", "later"]  # the circled one of a line's two values
CLAIMS: Final[tuple[Claim, ...]] = ("first", "later")


@dataclass(frozen=True)
class Line:
    """A column or a colour; it scores when all of its boxes are crossed."""

    kind: str  # "column" or "color"
    name: str
    points: Mapping[Claim, int]  # the points of those who complete it first, and of all others

    @cached_property
    def id(self) -> LineId:
        """The line's name on the sheet: "column.A", "color.green"."""
        return f"{self.kind}.{self.name}"

    @property
    def word(self) -> str:
        return COLOR_WORDS.get(self.name, self.name)


_FIRST: Final = (5, 3, 3, 3, 2, 2, 2, 1, 2, 2, 2, 3, 3, 3, 5)
_LATER: Final = (3, 2, 2, 2, 1, 1, 1, 0, 1, 1, 1, 2, 2, 2, 3)


def _lines() -> Iterator[Line]:
    for column, first, later in zip(COLUMNS, _FIRST, _LATER, strict=True):
        yield Line("column", column, {"first": first, "later": later})
    for color in COLORS:
        yield Line("color", color, {"first": 5, "later": 3})


# In the order of the sheet
LINES: Final[Mapping[LineId, Line]] = {line.id: line for line in _lines()}

STAR_POINTS: Final = -2
JOKER_POINTS: Final = 1  # points of a star that is not crossed, and of an unused joker
JOKERS: Final = 8  # exclamation marks on the sheet; an unused one is worth a point
JOKER_FIELDS: Final = tuple(f"joker.{number}" for number in range(1, JOKERS + 1))

BIGGEST_CROSSING: Final = 5  # "You can never check more than five boxes in one turn."


@dataclass(frozen=True)
class Board:
    name: str
    picture: str  # seven rows, top to bottom, of fifteen colours by their first letter
    starred: str

    @cached_property
    def stars(self) -> Boxes:
        return frozenset(self.starred.split())

    @cached_property
    def colors(self) -> Mapping[BoxName, Color]:
        by_letter = {color[0]: color for color in COLORS}
        colors = {}
        for row, letters in zip(ROWS, self.picture.split(), strict=True):
            for column, letter in zip(COLUMNS, letters, strict=True):
                colors[f"{column}{row}"] = by_letter[letter]
        return colors

    @cached_property
    def by_color(self) -> Mapping[Color, Boxes]:
        """The 21 boxes of each colour."""
        boxes: dict[Color, set[BoxName]] = {color: set() for color in COLORS}
        for box, color in self.colors.items():
            boxes[color].add(box)
        return {color: frozenset(found) for color, found in boxes.items()}

    @cached_property
    def by_line(self) -> Mapping[LineId, Boxes]:
        by_name = {**BY_COLUMN, **self.by_color}
        return {line.id: by_name[line.name] for line in LINES.values()}

    @cached_property
    def _shapes(self) -> Mapping[tuple[Color, int], tuple[Boxes, ...]]:
        shapes = {}
        for color in COLORS:
            for count, clumps in enumerate(_clumps(self.by_color[color]), start=1):
                shapes[color, count] = clumps
        return shapes

    def shapes(self, color: Color, count: int) -> tuple[Boxes, ...]:
        """Every connected group of `count` (1–5) boxes of one colour; crosses do not matter."""
        return self._shapes[color, count]


def _beside(box: BoxName) -> Boxes:
    column, row = box[0], int(box[1:])
    left, right = chr(ord(column) - 1), chr(ord(column) + 1)
    beside = {f"{left}{row}", f"{right}{row}", f"{column}{row - 1}", f"{column}{row + 1}"}
    return frozenset(beside.intersection(BOXES))


# The boxes that share a side with a box: "diagonally do not count as adjacent"
NEIGHBORS: Final[Mapping[BoxName, Boxes]] = {box: _beside(box) for box in BOXES}


def neighbors(boxes: Iterable[BoxName]) -> Boxes:
    """Every box beside one of these; some of these may be among them."""
    return frozenset().union(*map(NEIGHBORS.__getitem__, boxes))


def clump(start: BoxName, among: Boxes) -> Boxes:
    """The boxes of `among` that a chain of touching boxes connects to `start`, itself included."""
    found = new = frozenset([start])
    while new := (neighbors(new) & among) - found:
        found |= new
    return found


def _clumps(boxes: Boxes) -> tuple[tuple[Boxes, ...], ...]:
    """The clumps within `boxes` by size, from 1 to 5: each grows from one that is a box smaller."""
    clumps = {frozenset([box]) for box in boxes}
    by_size = [clumps]
    while len(by_size) < BIGGEST_CROSSING:
        larger = set()
        for smaller in clumps:
            for box in (neighbors(smaller) & boxes) - smaller:
                larger.add(smaller | {box})
        by_size.append(larger)
        clumps = larger
    return tuple(tuple(sorted(clumps, key=sorted)) for clumps in by_size)


# The first one is the sheet of the rule text.
_BOARDS: Final = (
    Board(
        "black",
        """
        gggyyyygbbboyyy
        ogygyyoorbboogg
        bgrggggrrryyogg
        brrgoobbggyyorb
        roooorbbooorrrr
        rbbrrrryyorbbbo
        yybbbbryyygggoo
        """,
        "A3 B6 C2 D6 E2 F4 G3 H1 I6 J2 K6 L1 M7 N4 O6",
    ),
    Board(
        "red",
        """
        ggooorrrybbbbbr
        rooyggbyyygooor
        bbbrggbyrrrogoo
        bbrrrggoorygggg
        brrbbbobboyyyyb
        oyggboogbooyrry
        yyygyyygggorrry
        """,
        "A3 B1 C7 D3 E1 F2 G3 H4 I1 J4 K2 L6 M6 N2 O5",
    ),
    Board(
        "blue",
        """
        rrggyyyggrrrroo
        orrbbgyggrgyroo
        boobgggrogggggy
        bbooogrroooobby
        gbbrrrbbbbobyyg
        ggyyrbbyyybboyb
        yyyyroooryyborr
        """,
        "A2 B3 C6 D2 E7 F2 G1 H5 I7 J2 K5 L2 M4 N3 O5",
    ),
    Board(
        "green",
        """
        ogbbrrrgggyyyrr
        ggggrygrggryyry
        bbogyygbrrrrooy
        booooggbbbboroo
        brorbooobyooryo
        rrrrbbbyyyobggg
        yyyygbyyooggbbb
        """,
        "A1 B5 C5 D3 E7 F7 G3 H2 I5 J5 K1 L6 M4 N5 O5",
    ),
    Board(
        "orange",
        """
        ooyorrrgorggggg
        booogrggyrrgbyy
        ybbggrgyyyrrbyo
        yybyyyybbyyrooo
        rygbbgyobbbbobb
        gggrbbboggoyybb
        grrrooorrooorrr
        """,
        "A1 B4 C1 D5 E2 F5 G1 H4 I2 J1 K6 L2 M7 N6 O3",
    ),
    Board(
        "purple",
        """
        yyooogbbbyyrrgg
        obbbrrrrryybrro
        oobbyrooobbbrbb
        ogyyyyogobbobbr
        gggryoggyooooor
        bgrggogygrryyyr
        rrrgbbyygggggyy
        """,
        "A6 B4 C1 D5 E3 F1 G3 H2 I5 J3 K2 L4 M7 N2 O3",
    ),
    Board(
        "yellow",
        """
        rggyyyyorrgggby
        rgrrryyorrggbbb
        brrbbgggggrbobr
        oooobbbbgyybrrr
        ybboorrrbbbrroo
        yybggooyyobyyyo
        gyyggooyooooygg
        """,
        "A7 B3 C6 D1 E7 F3 G6 H4 I7 J4 K3 L5 M3 N3 O1",
    ),
)

BOARDS: Final[Mapping[str, Board]] = {board.name: board for board in _BOARDS}
