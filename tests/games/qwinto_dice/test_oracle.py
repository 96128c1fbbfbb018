"""The referee that the other tests rely on must itself know the facts, section 1."""

from collections import Counter

from companion.games.qwinto import sheet as qwinto
from tests.kit.games import SARAH
from tests.kit.oracles.qwinto import PENTAGONS, PLACES, Paper, name_of, place_of


def test_the_picture_has_the_fields_of_the_facts() -> None:
    """Columns of each row's fields, and how many fields each column has."""
    assert [column for row, column in PLACES if row == "orange"] == [2, 3, 4, 6, 7, 8, 9, 10, 11]
    assert [column for row, column in PLACES if row == "yellow"] == [1, 2, 3, 4, 5, 7, 8, 9, 10]
    assert [column for row, column in PLACES if row == "purple"] == [0, 1, 2, 3, 5, 6, 7, 8, 9]
    counts = Counter(column for _, column in PLACES)
    assert [counts[column] for column in range(12)] == [1, 2, 3, 3, 2, 2, 2, 3, 3, 3, 2, 1]


def test_the_picture_has_the_pentagons_of_the_facts() -> None:
    pentagons = {column: row for row, column in PENTAGONS}
    assert pentagons == {2: "purple", 3: "orange", 7: "orange", 8: "yellow", 9: "purple"}
    assert pentagons == qwinto.PENTAGONS
    assert sorted(map(name_of, PENTAGONS)) == [
        "orange.2",
        "orange.5",
        "purple.3",
        "purple.9",
        "yellow.7",
    ]


def test_the_rules_number_the_fields_as_the_picture_does() -> None:
    for color, columns in qwinto.COLUMNS.items():
        for field, column in enumerate(columns, start=1):
            assert place_of(color, field) == (color, column)
        assert place_of(color, 0) is None
        assert place_of(color, 10) is None


def test_sarahs_sheet_is_drawn_as_the_official_picture_shows_it() -> None:
    paper = Paper.of(SARAH)
    assert [line.rstrip() for line in paper.drawn().splitlines()[1:]] == [
        "orange            o <5>   o   .   o<10>  13   o  17   o",
        "yellow        2   3   7   8  10   .  11<12>  15  16",
        "purple    2   4 <o>   6   .   7   o   9  11 <o>",
    ]
    assert paper.document() == SARAH
    assert paper.faults() == set()
    assert paper.score()["total"] == 43
