"""The printed boards of Encore!: colours, stars and points, and which boxes touch.

Data and its direct consequences, without dice, players or crosses. Sources: the rule text and,
where that has pictures only, several others that agree; `docs/rules.md` says how sure they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, TypeAlias

from companion.core.colors import COLOR_WORDS

Color: TypeAlias = str
Column: TypeAlias = str  # a letter, A to O

BoxName: TypeAlias = str  # a column's letter and a row's number, "A1" (top left) to "O7"

Boxes: TypeAlias = frozenset[BoxName]

LineId: TypeAlias = str

COLORS: Final[tuple[Color, ...]] = ("green", "yellow", "blue", "red", "orange")
"""The five colours in the order of the bonuses on the sheet."""

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
    """A column or a colour, which scores when all of its boxes are crossed."""

    kind: str  # "column" or "color"
    name: str
    points: Mapping[Claim, int]  # the points of those who complete it first, and of all others

    @cached_property
    def id(self) -> LineId:
        """Its name on the sheet: "column.A", "color.green"."""
        return f"{self.kind}.{self.name}"

    @property
    def word(self) -> str:
        """Its name for people."""
        return COLOR_WORDS.get(self.name, self.name)


_FIRST: Final = (5, 3, 3, 3, 2, 2, 2, 1, 2, 2, 2, 3, 3, 3, 5)
_LATER: Final = (3, 2, 2, 2, 1, 1, 1, 0, 1, 1, 1, 2, 2, 2, 3)
LINES: Final[Mapping[LineId, Line]] = {
    line.id: line
    for line in (
        *(
            Line("column", column, {"first": first, "later": later})
            for column, first, later in zip(COLUMNS, _FIRST, _LATER, strict=True)
        ),
        *(Line("color", color, {"first": 5, "later": 3}) for color in COLORS),
    )
}
"""Every column and colour, in the sheet's order."""

STAR_POINTS: Final = -2
JOKER_POINTS: Final = 1  # The points of a star that is not crossed, and of a joker that is left
JOKERS: Final = 8  # Exclamation marks on the sheet; one that is left is worth a point

BIGGEST_CROSSING: Final = 5  # "You can never check more than five boxes in one turn."


@dataclass(frozen=True)
class Board:
    """One printed sheet."""

    name: str
    picture: str  # seven rows, top to bottom, of fifteen colours by their first letter
    starred: str

    @cached_property
    def stars(self) -> Boxes:
        """The boxes with a star."""
        return frozenset(self.starred.split())

    @cached_property
    def colors(self) -> Mapping[BoxName, Color]:
        """The colour of each box."""
        by_letter = {color[0]: color for color in COLORS}
        return {
            f"{column}{row}": by_letter[letter]
            for row, line in zip(ROWS, self.picture.split(), strict=True)
            for column, letter in zip(COLUMNS, line, strict=True)
        }

    @cached_property
    def by_color(self) -> Mapping[Color, Boxes]:
        """The 21 boxes of each colour."""
        return {
            color: frozenset(box for box in BOXES if self.colors[box] == color) for color in COLORS
        }

    @cached_property
    def by_line(self) -> Mapping[LineId, Boxes]:
        """The boxes of each column and colour."""
        by_name = {**BY_COLUMN, **self.by_color}
        return {line.id: by_name[line.name] for line in LINES.values()}

    @cached_property
    def _shapes(self) -> Mapping[tuple[Color, int], tuple[Boxes, ...]]:
        return {
            (color, count): shapes
            for color in COLORS
            for count, shapes in enumerate(_clumps(self.by_color[color]), start=1)
        }

    def shapes(self, color: Color, count: int) -> tuple[Boxes, ...]:
        """Every clump of `count` (1–5) boxes of one colour, whatever has been crossed already."""
        return self._shapes[color, count]


def _beside(box: BoxName) -> Boxes:
    place, row = COLUMNS.index(box[0]), int(box[1:])
    sides = [COLUMNS[other] for other in (place - 1, place + 1) if 0 <= other < len(COLUMNS)]
    ends = [other for other in (row - 1, row + 1) if other in ROWS]
    return frozenset([f"{side}{row}" for side in sides] + [f"{box[0]}{end}" for end in ends])


NEIGHBORS: Final[Mapping[BoxName, Boxes]] = {box: _beside(box) for box in BOXES}
"""The boxes that touch a box with a whole side: "diagonally do not count as adjacent"."""


def neighbors(boxes: Iterable[BoxName]) -> Boxes:
    """Every box that touches one of these; some of these may be among them."""
    return frozenset().union(*map(NEIGHBORS.__getitem__, boxes))


def clump(start: BoxName, among: Boxes) -> Boxes:
    """The boxes of `among` that a chain of touching boxes connects to `start`, itself included."""
    found = new = frozenset([start])
    while new := (neighbors(new) & among) - found:
        found |= new
    return found


def _clumps(boxes: Boxes) -> tuple[tuple[Boxes, ...], ...]:
    """The clumps within `boxes` by size, from 1 to 5: each grows from one that is a box smaller."""
    sizes = [{frozenset([box]) for box in boxes}]
    while len(sizes) < BIGGEST_CROSSING:
        sizes.append(
            {shape | {box} for shape in sizes[-1] for box in (neighbors(shape) & boxes) - shape}
        )
    return tuple(tuple(sorted(shapes, key=sorted)) for shapes in sizes)


BOARDS: Final[Mapping[str, Board]] = {
    board.name: board
    for board in (
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
}
"""Every sheet by its name; the first one is the sheet of the rule text."""
