"""Ink and rules together: the rules decide between close readings and never against clear ink."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from itertools import product

import pytest

from companion.core.sheet import EMPTY, AnySheetKind, Mark
from companion.games.catalog import SHEETS
from companion.vision.core import Chances
from companion.vision.evidence import AGREEING, ALTERNATIVES, SumEvidence
from companion.vision.weighing import OUT_OF_SIGHT, PROBLEM_ODDS, SLIP_ODDS, SURE, weigh

QWINTO, ENCORE, TALLY = (SHEETS[name] for name in ("qwinto", "encore", "tally"))


def sums(**seen: Chances) -> dict[str, Chances]:
    """The ink in blanks for sums, such as `total` or `player_1`."""
    return {f"sum.{name.replace('_', '.')}": chances for name, chances in seen.items()}


def ink(sheet: str, written: Mapping[str, Chances]) -> dict[str, Chances]:
    """An otherwise clearly empty pad."""
    board = SHEETS[sheet].usual_board
    return {
        field.id: written.get(field.id, {EMPTY[field.kind]: 1.0})
        for field in SHEETS[sheet].paper(board).fields
    }


def test_the_rules_decide_between_close_readings() -> None:
    """A one with a flag or a seven with a bar: between 3 and 9 it can only be the seven."""
    written: dict[str, Chances] = {
        "orange.3": {3: 0.9999},
        "orange.4": {1: 0.6, 7: 0.4},
        "orange.5": {9: 0.9999},
        "failed.1": {True: 0.9999},
    }
    read = weigh(QWINTO, "", ink("qwinto", written))
    assert {name: mark for name, mark in read.marks.items() if mark} == {
        "orange.3": 3,
        "orange.4": 7,
        "orange.5": 9,
        "failed.1": True,
    }
    assert read.fields["orange.4"].confidence > 0.98
    assert read.fields["orange.4"].others[0][0] == 1


@pytest.mark.parametrize("sure", [0.99999, 1.0])
def test_a_broken_rule_in_clear_ink_is_read_as_written(sure: float) -> None:
    written: dict[str, Chances] = {"orange.3": {9: sure, 3: 1 - sure}, "orange.4": {7: sure}}
    read = weigh(QWINTO, "", ink("qwinto", written))
    assert (read.marks["orange.3"], read.marks["orange.4"]) == (9, 7)
    assert QWINTO.marked("", read.marks).problems


@pytest.mark.parametrize(
    ("written", "likeliest"),
    [
        ({"orange.3": {9: 0.995, 3: 0.005}, "orange.4": {7: 0.99999}}, 3),
        ({"orange.3": {5: 0.3, 6: 0.1, None: 0.01}}, 5),
        ({"orange.3": {15: 1 / SLIP_ODDS}}, 15),
    ],
    ids=["pushed far by the rules", "ink that says nothing", "a gap between its digits"],
)
def test_doubtful_fields_are_unsure(written: dict[str, Chances], likeliest: int) -> None:
    read = weigh(QWINTO, "", ink("qwinto", written))
    assert "orange.3" in read.unsure
    assert read.marks["orange.3"] == likeliest


@pytest.mark.parametrize("seen", [{}, {"total": {2: 0.99}}], ids=["no sum", "a right total"])
@pytest.mark.parametrize("hidden", [set(), {"yellow.1"}], ids=["in view", "partly hidden"])
def test_marks_that_break_a_rule_are_asked_for_sooner(
    hidden: set[str], seen: dict[str, Chances]
) -> None:
    """They are asked for even where the written total shows that they do not change it."""
    written: dict[str, Chances] = {"orange.3": {9: 0.999}, "orange.4": {7: 0.9999}}
    rest: dict[str, Chances] = {name: {None: OUT_OF_SIGHT} for name in hidden}
    asked = weigh(QWINTO, "", ink("qwinto", written | rest), sums(**seen), hidden).unsure
    assert asked == (*sorted(hidden), "orange.3")
    fits: dict[str, Chances] = {"orange.3": {5: 0.999}, "orange.4": {7: 0.9999}}
    assert weigh(QWINTO, "", ink("qwinto", fits), sums(**seen)).unsure == ()


def test_no_sum_shows_that_a_covered_field_is_empty() -> None:
    """The sum agrees with an empty field, but something may be written under what covers it."""
    row: dict[str, Chances] = {"orange.1": {5: 0.9999}, "orange.2": {None: 0.499, 6: 0.001}}
    read = weigh(QWINTO, "", ink("qwinto", row), sums(total={1: 0.99}))
    assert read.unsure == ("orange.2",)


def test_a_hand_that_is_hard_to_read_is_looked_at_more_closely() -> None:
    """Mistakes come together: a person who writes one four like a nine writes all of them so."""
    likely: dict[str, Chances] = {"orange.1": {1: 0.99, 2: 0.01}}
    unclear: dict[str, Chances] = {
        f"yellow.{number}": {number + 3: 0.6, number + 4: 0.4} for number in (1, 4, 7, 9)
    }
    assert "orange.1" not in weigh(QWINTO, "", ink("qwinto", likely)).unsure
    assert "orange.1" in weigh(QWINTO, "", ink("qwinto", likely | unclear)).unsure


@pytest.mark.parametrize("unclear", [0, 4, 6, 12])
def test_doubt_stays_however_much_else_is_unclear(unclear: int) -> None:
    """The search keeps too few ways to read a sheet to hold every doubt."""
    written: dict[str, Chances] = {
        f"round.{1 + place // 2}.player.{1 + place % 2}": {11: 0.52, 17: 0.48}
        for place in range(unclear)
    }
    read = weigh(TALLY, "", ink("tally", {**written, "round.8.player.1": {41: 0.9, 91: 0.1}}))
    assert "round.8.player.1" in read.unsure
    assert read.fields["round.8.player.1"].confidence < 0.95
    assert read.fields["round.8.player.1"].others[0][0] == 91


@pytest.mark.parametrize(
    ("kind", "written"),
    [
        # The least sure one first.
        (QWINTO, {"purple.1": {1: 0.6, 7: 0.4}, "orange.1": {1: 0.9, 7: 0.1}}),
        # A wrong tens digit moves a total by 50, a doubtful units digit by 6.
        (
            TALLY,
            {
                "round.2.player.1": {26: 0.9, 76: 0.1},
                "round.1.player.1": {21: 0.55, 27: 0.45},
            },
        ),
        # In a row that is not full a number counts one point, whichever it is.
        (QWINTO, {"failed.1": {True: 0.98, False: 0.02}, "orange.2": {4: 0.6, 9: 0.4}}),
    ],
    ids=["least sure", "costs most", "moves no total"],
)
def test_fields_are_asked_in_this_order(kind: AnySheetKind, written: dict[str, Chances]) -> None:
    assert weigh(kind, "", ink(kind.name, written)).unsure == tuple(written)


@pytest.mark.parametrize(
    ("four", "seen", "unsure"),
    [
        (0.97, sums(), True),
        (0.97, sums(orange={3: 0.99}), True),
        (0.97, sums(total={3: 0.99}), False),
        (0.97, sums(total={3: 0.6, 8: 0.4}), True),
        (0.97, sums(total={8: 0.99}), True),
        (0.97, sums(total={3: 0.99}, orange={5: 0.99}), True),
        # A close decision is asked for all the same.
        (0.8, sums(total={3: 0.99}), True),
    ],
)
def test_a_right_total_saves_questions_that_do_not_change_it(
    four: float, seen: dict[str, Chances], unsure: bool
) -> None:
    row: dict[str, Chances] = {
        "orange.1": {1: 0.9999},
        "orange.2": {4: four, 9: 1 - four},
        "orange.3": {12: 0.9999},
    }
    read = weigh(QWINTO, "", ink("qwinto", row), seen)
    assert read.marks["orange.2"] == 4
    assert read.unsure == (("orange.2",) if unsure else ())


# Sums that the writer wrote down

FOUR: Chances = {4: 0.6, 9: 0.4}
COLUMN: dict[str, Chances] = {
    "round.1.player.1": {12: 0.9999},
    "round.2.player.1": FOUR,
    "round.3.player.1": {7: 0.9999},
}
OTHERS: dict[str, Chances] = {
    f"round.{row}.player.2": {number: 0.9999} for row, number in ((1, 30), (2, 1), (3, 2))
}


@pytest.mark.parametrize(
    ("seen", "number", "unsure"),
    [
        (sums(), 4, True),
        (sums(player_1={23: 0.99}), 4, False),
        (sums(player_1={28: 0.99}), 9, False),
        (sums(player_1={51: 0.99}), 4, True),
        (sums(player_2={33: 0.99}), 4, True),
        (sums(player_1={None: 0.0, 23: 0.004}), 4, True),
    ],
    ids=["none", "right", "of another number", "fits nothing", "of another column", "no number"],
)
def test_a_sum_decides_a_doubtful_number_of_its_column(
    seen: dict[str, Chances], number: int, unsure: bool
) -> None:
    read = weigh(TALLY, "", ink("tally", COLUMN | OTHERS), seen)
    assert read.marks["round.2.player.1"] == number
    assert read.by_sums == (("round.2.player.1",) if number == 9 else ())
    assert read.unsure == (("round.2.player.1",) if unsure else ())


@pytest.mark.parametrize(
    ("doubtful", "total", "unsure"),
    [
        # A sum proves that the ink is a number, or speaks for another number than the ink does.
        ({4: 0.9}, None, True),
        ({4: 0.9}, 23, False),
        ({4: 0.9}, 57, True),
        # A seven that looks like a one: the ink is clear, and wrong.
        ({1: 0.998, 7: 0.002}, None, False),
        ({1: 0.998, 7: 0.002}, 26, True),
    ],
)
def test_a_sum_speaks_for_a_number_or_against_it(
    doubtful: Chances, total: int | None, unsure: bool
) -> None:
    column = COLUMN | {"round.2.player.1": doubtful}
    read = weigh(TALLY, "", ink("tally", column), sums(player_1={total: 0.99}) if total else {})
    assert read.unsure == (("round.2.player.1",) if unsure else ())


@pytest.mark.parametrize("total", [20, 21, 26, 30, 99])
def test_a_slip_of_the_writer_leaves_clear_numbers_sure(total: int) -> None:
    column: dict[str, Chances] = COLUMN | {
        "round.2.player.1": {1: 0.99999, 2: 0.000002, 7: 0.000005}
    }
    read = weigh(TALLY, "", ink("tally", column), sums(player_1={total: 0.99}))
    assert read.unsure == ()
    assert read.marks["round.2.player.1"] == 1
    assert read.written["sum.player.1"].value == total
    assert read.written["sum.player.1"].confidence > 0.9


def test_a_sum_decides_two_fields_together_despite_other_doubts() -> None:
    """A full column and its claim: each one alone would break a rule."""
    written: dict[str, Chances] = {
        **{f"H{row}": {True: 0.9999} for row in range(1, 7)},
        "H7": {False: 0.9, True: 0.1},
        "column.H.first": {"circled": 0.8, "open": 0.2},
        **{f"column.{column}.later": {"open": 0.7, "crossed": 0.3} for column in "ABCDEFGI"},
    }
    read = weigh(ENCORE, "black", ink("encore", written), sums(columns={1: 0.99}))
    assert read.marks["H7"] is True
    assert read.marks["column.H.first"] == "circled"
    assert read.by_sums == ("H7", "column.H.first")
    assert {*read.by_sums} <= {*read.unsure}


def test_two_numbers_that_only_sums_decide_are_unsure() -> None:
    """Both may be sixes: 0 and 12 are together as many points."""
    column = ink("kniffel", {"ones": {3: 0.9999}, "chance": {20: 0.9999}}) | {
        "twos": {10: 0.98, 0: 0.018, 6: 0.0002},
        "sixes": {0: 0.25, 12: 0.1, 6: 0.006},
    }
    seen = {"sum.upper": {15: 0.99}, "sum.upper-total": {15: 0.99}, "sum.total": {35: 0.99}}
    read = weigh(SHEETS["kniffel"], "kniffel", column, seen)
    assert (read.marks["twos"], read.marks["sixes"]) == (0, 12)
    assert {*read.by_sums} == {*read.unsure} == {"twos", "sixes"}


def test_a_slip_that_was_carried_to_the_total_counts_once() -> None:
    """Two sums speak against the ink, but one of them was made from the other."""
    written = ink("qwinto", {"orange.1": {1: 0.9999}, "orange.2": {2: 0.9999, None: 0.00005}})
    row, both = (
        1 - weigh(QWINTO, "", written, seen).fields["orange.2"].confidence
        for seen in (sums(orange={1: 0.99}), sums(orange={1: 0.99}, total={1: 0.99}))
    )
    assert row < both < 4 * row


def test_two_parts_that_are_off_by_as_much_are_two_mistakes() -> None:
    """Neither sum was made from the other, so it is unlikely that both are off by four."""
    rows = SumEvidence(sums(orange={6: 0.99}, yellow={5: 0.99}))
    one, both = ({"sum.orange": 2, "sum.yellow": yellow} for yellow in (5, 1))
    assert rows.weight(both) < 1.8 * rows.weight(one) < 0
    assert rows.disagreeing(both) == {"sum.orange", "sum.yellow"}


def test_a_field_is_checked_by_its_ink_alone_where_its_sum_speaks_against_it() -> None:
    """Several fields may be misread, which no rule can show."""
    row: dict[str, Chances] = {
        "orange.1": {5: 0.9999},
        "orange.2": {None: 0.9, 4: 0.1},
        "orange.3": {6: 0.9999},
    }
    assert weigh(QWINTO, "", ink("qwinto", row)).unsure == ()
    assert weigh(QWINTO, "", ink("qwinto", row), sums(yellow={7: 0.99})).unsure == ()
    read = weigh(QWINTO, "", ink("qwinto", row), sums(orange={7: 0.99}))
    assert read.marks["orange.2"] is None
    assert read.unsure == ("orange.2",)


@pytest.mark.parametrize(
    ("seen", "value"),
    [
        ({57: 0.9, 52: 0.05}, 57),
        ({57: 0.5, 52: 0.45}, 52),
        ({None: 0.97, 1: 0.02}, None),
    ],
    ids=["stays though it is wrong", "doubtful: the right one", "empty or struck out"],
)
def test_a_sum_is_what_its_writer_wrote(seen: Chances, value: int | None) -> None:
    written = ink("tally", {"round.1.player.1": {52: 0.9999}})
    read = weigh(TALLY, "", written, sums(player_1=seen))
    assert {name: field.value for name, field in read.written.items()} == (
        {"sum.player.1": value} if value else {}
    )
    assert read.marks["round.1.player.1"] == 52
    assert read.unsure == ()


@pytest.mark.parametrize(
    ("seen", "value"), [({78: 0.6, 18: 0.35}, 18), ({78: 0.97, 18: 0.0005, None: 0.02}, None)]
)
def test_a_sum_that_no_rule_allows_is_not_read(seen: Chances, value: int | None) -> None:
    """Other numbers are then likelier, but not certain."""
    written = sums(orange=seen)
    read = weigh(QWINTO, "", ink("qwinto", {"orange.9": {18: 0.9999}}), written).written
    assert (read["sum.orange"].value if read else None) == value
    assert not read or read["sum.orange"].confidence > 0.8


def test_the_right_total_settles_a_doubtful_part() -> None:
    row: dict[str, Chances] = {"orange.1": {2: 0.9999}}
    parts = {"orange": {7: 0.9, 1: 0.08}}
    read = weigh(QWINTO, "", ink("qwinto", row), sums(**parts)).written
    assert read["sum.orange"].value == 7
    for total, number in ((1, 1), (7, 7)):
        seen = sums(**parts, total={total: 0.99})
        assert weigh(QWINTO, "", ink("qwinto", row), seen).written["sum.orange"].value == number


@pytest.mark.parametrize("hidden", [set(), {"orange.1"}], ids=["in view", "partly hidden"])
def test_a_negative_total_is_read_with_its_sign(hidden: set[str]) -> None:
    written = ink("qwinto", {"failed.1": {True: 0.9999}, "orange.1": {None: 0.5 if hidden else 1}})
    seen = sums(failed={5: 0.99}, total={5: 0.98, 6: 0.01})
    read = weigh(QWINTO, "", written, seen, hidden)
    assert {name: field.value for name, field in read.written.items()} == {
        "sum.failed": 5,
        "sum.total": -5,
    }
    assert read.written["sum.total"].others[0][0] == -6
    assert read.written["sum.total"].confidence >= 0.979
    assert {*read.unsure} == hidden
    read = weigh(QWINTO, "", written, sums(total={8: 0.99}), hidden)
    assert read.written["sum.total"].value == 8, "no sign where it is not the counted one"


# Compared with a sum over all ways to read a sheet


def all_ways(
    sheet: str, written: Mapping[str, Chances], seen: Mapping[str, Chances]
) -> dict[str, dict[object, float]]:
    """Field → mark → its probability, from every combination of all candidates."""
    kind = SHEETS[sheet]
    names = list(written)
    together: dict[str, dict[object, float]] = {name: {} for name in names}
    whole = 0.0
    for ways in product(*(written[name].items() for name in names)):
        marks = {name: mark for name, (mark, _) in zip(names, ways, strict=True)}
        made = kind.from_marks("", marks)
        share = math.prod(chance for _, chance in ways)
        share *= PROBLEM_ODDS ** -len(made.problems()) * SLIP_ODDS ** -len(kind.slips(marks))
        for name, chances in seen.items():
            agrees = AGREEING * ALTERNATIVES * chances.get(kind.sums(made).get(name, 0), 0.0)
            number = sum(chances.values())
            share *= agrees + (1 - AGREEING) * number + (1 - number)
        whole += share
        for name in names:
            shares = together[name]
            shares[marks[name]] = shares.get(marks[name], 0.0) + share
    return {
        name: {mark: share / whole for mark, share in shares.items()}
        for name, shares in together.items()
    }


def random_ink(chance: random.Random, marks: list[Mark]) -> Chances:
    shares = [chance.random() ** 4 + 1e-4 for _ in marks]
    return {mark: share / sum(shares) for mark, share in zip(marks, shares, strict=True)}


@pytest.mark.parametrize("seed", range(12))
def test_small_sheets_are_weighed_exactly(seed: int) -> None:
    chance = random.Random(seed)
    if seed % 2:
        sheet = "tally"
        written = {
            f"round.{number}.player.1": random_ink(chance, [*chance.sample(range(30), 3)])
            for number in (1, 2, 3)
        }
        seen = sums(player_1={chance.randrange(20, 60): 0.9})
    else:
        sheet = "qwinto"
        written = {
            name: random_ink(chance, [None, *chance.sample(range(1, 19), 2)])
            for name in ("orange.1", "orange.2", "yellow.2", "purple.3")
        }
        seen = sums(total={chance.randrange(1, 5): 0.7}) if chance.random() < 0.7 else {}
    read = weigh(SHEETS[sheet], "", ink(sheet, written), seen)
    exact = all_ways(sheet, written, seen)
    for name, shares in exact.items():
        value = read.fields[name].value
        assert value == max(shares, key=lambda mark: shares[mark]) or shares[value] > 0.3
        if read.fields[name].confidence >= SURE[0][1]:
            # No field is surer than it is if all others are read as in the likeliest way.
            assert shares[value] >= read.fields[name].confidence - 1e-3
        else:
            assert read.fields[name].confidence == pytest.approx(shares[value], abs=2e-3)
