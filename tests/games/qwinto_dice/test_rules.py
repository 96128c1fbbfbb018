"""The rule text, sentence by sentence, and every refusal. Quotations are the rules'."""

from __future__ import annotations

from itertools import combinations, permutations, product
from typing import Any

import pytest

from companion.core.values import Document
from companion.games.qwinto import sheet as qwinto
from companion.games.qwinto.sheet import COLORS, QwintoSheet
from companion.games.qwinto_dice.rules import QwintoDice
from tests.kit.games import (
    EMPTY,
    NEXT,
    SARAH,
    TIM,
    Action,
    after,
    code,
    document,
    passes,
    roll,
    table,
    write,
)

# "How to play"


def linus_rolled() -> QwintoDice:
    """“In his first attempt, Linus rolls a 2 and a 4. He's not happy with his roll. In his second
    attempt, he rolls a 4 and a 5. He calls out the sum of the dice in a clear voice: “nine!” ”
    """
    first = after(table("Linus", "Tim", "Sarah"), roll("Linus", purple=2, yellow=4))
    assert first.called == 6
    return after(first, roll("Linus", purple=4, yellow=5))


@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_active_player_decides_how_many_and_which_dice_to_roll(count: int) -> None:
    """“Decide how many dice you want to roll, whether 1, 2 or 3. You also get to decide (if you've
    decided to roll only 1 or 2 dice) which colored dice you would like to use.”
    """
    for colors in combinations(COLORS, count):
        rolled = after(table("Tim", "Sarah"), roll("Tim", **dict.fromkeys(colors, 2)))
        assert rolled.called == 2 * count
        assert rolled.called_colors == colors


def test_a_satisfied_player_need_not_roll_again() -> None:
    """“If you're satisfied with your roll, you don't must make a second attempt.”"""
    rolled = after(table("Tim", "Sarah"), roll("Tim", yellow=4))
    assert code(rolled, write("Tim", "yellow", 3)) is None


@pytest.mark.parametrize(
    "second",
    [{"purple": 4}, {"purple": 4, "orange": 5}, {"purple": 4, "yellow": 5, "orange": 1}],
    ids=["one of them", "another one", "one more"],
)
def test_the_second_attempt_rolls_all_the_same_dice(second: dict[str, int]) -> None:
    """“you have to roll all the dice that you rolled on your first attempt”"""
    rolled = after(table("Linus", "Tim"), roll("Linus", purple=2, yellow=4))
    assert code(rolled, roll("Linus", **second)) == "reroll-same-dice"


def test_every_turn_has_its_own_second_attempt() -> None:
    position = after(linus_rolled(), passes("Linus"), passes("Tim"), passes("Sarah"))
    position = after(position, roll("Tim", orange=1), roll("Tim", orange=5))
    assert position.called == 5


def test_all_players_can_write_down_the_sum() -> None:
    """“Linus writes down the 9 in the yellow row. Tim also enters the 9 in the yellow row, but a
    little further to the right. Sarah enters the 9 in the purple row.”
    """
    position = after(
        linus_rolled(),
        write("Linus", "yellow", 4),
        write("Tim", "yellow", 6),
        write("Sarah", "purple", 5),
    )
    assert position.sheet("Linus")["yellow"] == [None, None, None, 9, *[None] * 5]
    assert position.sheet("Tim")["yellow"] == [*[None] * 5, 9, None, None, None]
    assert position.sheet("Sarah")["purple"] == [*[None] * 4, 9, *[None] * 4]
    assert [position.score(player)["total"] for player in position.players] == [1, 1, 1]
    assert (position.turn, position.active) == (2, "Tim")


def test_the_sum_of_9_goes_into_the_purple_or_the_yellow_row_only() -> None:
    """“Since Linus used the yellow and the purple dice, the sum of 9 can be entered into either
    the purple or the yellow row only.”
    """
    rolled = linus_rolled()
    for player in rolled.players:
        assert {row for row, _ in rolled.open_fields(player)} == {"yellow", "purple"}
        assert len(rolled.open_fields(player)) == 18
        assert code(rolled, write(player, "orange", 5)) == "row-not-called"


def test_players_can_but_do_not_have_to_write() -> None:
    """“Now all players can (but do not have to) write down the sum”"""
    position = after(linus_rolled(), write("Linus", "yellow", 4), passes("Tim"), passes("Sarah"))
    assert position.sheet("Tim") == position.sheet("Sarah") == document()


def test_the_sum_is_written_into_exactly_one_field() -> None:
    """“into exactly one field on their score sheets”"""
    position = after(linus_rolled(), write("Sarah", "purple", 5))
    assert code(position, write("Sarah", "yellow", 2)) == "already-acted"
    assert code(position, passes("Sarah")) == "already-acted"


def test_players_write_in_any_order() -> None:
    position = after(
        linus_rolled(), write("Sarah", "purple", 5), passes("Linus"), write("Tim", "yellow", 6)
    )
    other = after(
        linus_rolled(), write("Tim", "yellow", 6), write("Sarah", "purple", 5), passes("Linus")
    )
    assert position == other


def test_everybody_decides_for_the_own_sheet_alone() -> None:
    """“each player decides himself where to write down the number”: the same field is free on each
    sheet.
    """
    position = linus_rolled()
    for player in position.players:
        position = after(position, write(player, "yellow", 5))
    assert len({str(position.sheet(player)) for player in position.players}) == 1


def test_an_active_player_who_does_not_want_to_write_records_a_failed_attempt() -> None:
    """“If the player rolling the dice cannot or does not want to enter a number, he has to record
    a failed attempt on his score sheet.”
    """
    position = after(linus_rolled(), passes("Linus"))
    assert position.sheet("Linus")["failed"] == 1
    assert position.score("Linus")["total"] == -5


def test_an_active_player_who_has_not_acted_cannot_be_skipped() -> None:
    """The failed attempt has to be recorded, so nobody may close the turn before."""
    position = after(linus_rolled(), passes("Tim"), passes("Sarah"))
    assert code(position, NEXT) == "active-must-act"
    assert position.waiting == ("Linus",)


def test_players_not_rolling_the_dice_never_record_a_failed_attempt() -> None:
    """“Players not rolling the dice never have to record a failed attempt.”"""
    position = after(linus_rolled(), passes("Tim"), passes("Sarah"), write("Linus", "yellow", 4))
    assert [position.sheet(player)["failed"] for player in position.players] == [0, 0, 0]


def test_who_has_not_acted_when_the_turn_is_closed_has_passed() -> None:
    position = after(linus_rolled(), write("Linus", "yellow", 4), NEXT)
    assert position.sheet("Tim") == position.sheet("Sarah") == document()
    assert (position.turn, position.active, position.called) == (2, "Tim", None)


def test_the_fingerprint_changes_with_what_all_players_share_and_not_with_one_sheet() -> None:
    """Or a tap meant for one call would be taken for another one."""
    start = table("Tim", "Sarah", Tim=document(failed=3))
    rolled = after(start, roll("Tim", orange=4))
    again = after(rolled, roll("Tim", orange=4))
    fingerprints = [start.fingerprint, rolled.fingerprint, again.fingerprint]
    wrote = after(again, write("Sarah", "orange", 3))
    assert wrote.fingerprint == again.fingerprint
    fingerprints.append(after(wrote, passes("Tim")).fingerprint)
    fingerprints.append(after(again, write("Tim", "orange", 3), NEXT).fingerprint)
    assert len(set(fingerprints)) == 5


def test_who_may_still_act_is_told_clockwise_from_the_active_player() -> None:
    position = after(linus_rolled(), passes("Linus"), NEXT, roll("Tim", orange=1))
    assert position.waiting == ("Tim", "Sarah", "Linus")
    assert after(position, passes("Sarah")).waiting == ("Tim", "Linus")


# "Entering numbers"


EVERY = list(range(1, 19))


def misfit(sheet: Document, color: str, field: int, number: int) -> str | None:
    """The code against writing a number into a sheet, if any."""
    refusal = qwinto.refusal(QwintoSheet.from_document(sheet), color, field, number)
    return refusal.code if refusal else None


def fitting(sheet: Document, color: str, field: int) -> list[int]:
    return [number for number in EVERY if misfit(sheet, color, field, number) is None]


def written(color: str, *places: tuple[int, int]) -> Document:
    """A sheet with (field, number) in one row."""
    numbers = dict(places)
    return document(**{color: [numbers.get(field) for field in range(1, 10)]})


def test_the_order_in_which_numbers_are_entered_is_up_to_the_player() -> None:
    """“you can first enter a number in the yellow row on the right, then in the middle of the
    purple row, and then on the left side in the purple row; then to the far right of the orange
    row, and then in the yellow row on the left side”
    """
    turns = [("yellow", 9, 6, 5), ("purple", 5, 4, 5), ("purple", 1, 1, 1)]
    turns += [("orange", 9, 6, 6), ("yellow", 1, 1, 2)]
    position = table("Tim", "Sarah")
    for color, field, value, other in turns:
        dice = {color: value, "yellow" if color != "yellow" else "purple": other}
        active = position.active
        position = after(position, roll(active, **dice), write("Tim", color, field))
        position = after(position, {"do": "pass", "by": "Sarah"})
    assert position.sheet("Tim") == document(
        orange=[*[None] * 8, 12],
        yellow=[3, *[None] * 7, 11],
        purple=[2, None, None, None, 9, None, None, None, None],
    )


@pytest.mark.parametrize("color", COLORS)
def test_the_numbers_that_fit_a_field(color: str) -> None:
    """“the numbers must be in ascending order from left to right with the larger numbers to the
    right”, and none twice. “You may have gaps of any size between the entered numbers in a row,
    which you can fill in later (with the right numbers).”
    """
    two, ends = written(color, (3, 5), (7, 12)), written(color, (1, 1), (9, 18))
    for field in range(1, 10):
        assert fitting(document(), color, field) == EVERY
        if field not in (1, 9):
            assert fitting(ends, color, field) == EVERY[1:-1]
        if field not in (3, 7):
            expected = EVERY[:4] if field < 3 else EVERY[5:11] if field < 7 else EVERY[12:]
            assert fitting(two, color, field) == expected
            assert misfit(two, color, field, 5) == misfit(two, color, field, 12)
            assert misfit(two, color, field, 5) == "not-ascending"


COLUMNS = [
    {"orange": 1, "yellow": 2, "purple": 3},
    {"orange": 2, "yellow": 3, "purple": 4},
    {"orange": 5, "yellow": 6, "purple": 7},
    {"orange": 6, "yellow": 7, "purple": 8},
    {"orange": 7, "yellow": 8, "purple": 9},
    {"yellow": 1, "purple": 2},
    {"orange": 3, "yellow": 4},
    {"yellow": 5, "purple": 5},
    {"orange": 4, "purple": 6},
    {"orange": 8, "yellow": 9},
]
"""The fields above each other; purple 1 and orange 9 have a column of their own, and under orange 3
and yellow 4 purple's missing field lies."""


def test_no_number_appears_more_than_once_in_a_column() -> None:
    """“Within a column (i.e. vertically from top to bottom) no number may appear more than once;
    the same goes for a 2-field column and a 3-field column.” Their order does not matter.
    """
    together = {pair for column in COLUMNS for pair in permutations(column.items(), 2)}
    places = list(product(COLORS, range(1, 10)))
    for (color, field), (other, other_field) in product(places, places):
        if color == other:
            continue
        sheet = written(color, (field, 8))
        expected = (
            "repeated-in-column" if ((color, field), (other, other_field)) in together else None
        )
        assert misfit(sheet, other, other_field, 8) == expected
        assert misfit(sheet, other, other_field, 7) is None
        assert misfit(sheet, other, other_field, 9) is None


def test_the_missing_field_is_no_field_and_is_not_counted() -> None:
    """“Each colored row has one missing field. Do not enter a number in this field. It stays empty
    and serves no further purpose.” Nine fields remain in a row, and there is no tenth.
    """
    assert qwinto.COLUMNS == {
        "orange": (2, 3, 4, 6, 7, 8, 9, 10, 11),
        "yellow": (1, 2, 3, 4, 5, 7, 8, 9, 10),
        "purple": (0, 1, 2, 3, 5, 6, 7, 8, 9),
    }
    rolled = after(table("Tim", "Sarah"), roll("Tim", orange=1, yellow=1, purple=1))
    for color in COLORS:
        assert code(rolled, write("Tim", color, 9)) is None
        assert code(rolled, write("Tim", color, 10)) == "no-such-field"


def test_what_the_text_says_of_tims_and_sarahs_sheets() -> None:
    """“In each colored row, the numbers get bigger as you move from left to right. Within the
    columns (2-field and 3-field columns) no number appears more than once. Everything is correct.”
    """
    tim, sarah = QwintoSheet.from_document(TIM), QwintoSheet.from_document(SARAH)
    assert tim.problems() == sarah.problems() == ()
    # “In the yellow row, Tim can enter only the number 1 in the field furthest to the left.”
    assert fitting(TIM, "yellow", 1) == [1]
    # “In the purple row, he can no longer enter a number between the 6 and 7.”
    assert fitting(TIM, "purple", 5) == []
    # “Tim has all three fields of two columns filled with numbers and has already recorded the
    # bonus points from the corresponding bonus fields”
    assert tim.score()["bonuses"] == [5, 0, 0, 13, 0]


# "End of game and scoring"


FULL = (1, 2, 3, 4, 5, 6, 7, 8, 9)
OTHER_FULL = (2, 4, 6, 8, 10, 12, 14, 16, 17)
ALMOST = (*FULL[:8], None)
ONE_SHORT = document(yellow=(10, 11, 12, 13, 14, 15, 16, 17, 18), orange=ALMOST)
"""The yellow row is full, and the orange one but for its last field: a 9 or more ends the game."""


def score(sheet: Document) -> Document:
    return QwintoSheet.from_document(sheet).score()


@pytest.mark.parametrize(
    ("sheet", "finished"),
    [
        # “The game is over when a player has two colored rows completely filled out.”
        (document(orange=FULL, yellow=OTHER_FULL), True),
        (document(orange=FULL, purple=OTHER_FULL), True),
        (document(yellow=FULL, purple=OTHER_FULL), True),
        (document(orange=FULL, yellow=ALMOST, purple=ALMOST, failed=3), False),
        (document(purple=FULL), False),
        *((document(orange=FULL, yellow=(*FULL[:gap], None, *FULL[gap + 1 :])), False)
          for gap in range(9)),
        # “The game is also over when someone has recorded their fourth failed attempt.”
        (document(failed=3), False),
        (document(failed=4), True),
    ],
)  # fmt: skip
def test_which_sheets_end_the_game(sheet: Document, finished: bool) -> None:
    assert qwinto.is_finished(QwintoSheet.from_document(sheet)) == finished


@pytest.mark.parametrize("last", [passes("Sarah"), NEXT], ids=["a pass", "next"])
def test_the_game_ends_when_the_turn_that_filled_the_second_row_closes(last: Action) -> None:
    position = table("Tim", "Sarah", Tim=ONE_SHORT)
    position = after(position, roll("Tim", orange=6, yellow=6), write("Tim", "orange", 9))
    assert not position.over
    position = after(position, last)
    assert (position.over, position.turn, position.active) == (True, 1, "Tim")
    assert position.waiting == ()
    assert position.open_fields("Sarah") == ()


def test_everybody_finishes_the_turn_that_ends_the_game() -> None:
    """“a player”: anybody's second full row counts, not the active player's alone."""
    position = table("Tim", "Sarah", "Linus", Tim=ONE_SHORT, Linus=ONE_SHORT)
    position = after(position, roll("Tim", orange=6, yellow=6), write("Linus", "orange", 9))
    assert len(position.open_fields("Sarah")) == 18
    position = after(position, write("Sarah", "yellow", 5), write("Tim", "orange", 9))
    assert position.over
    assert position.winners() == ("Tim", "Linus")
    assert position.score("Sarah")["total"] == 1


def test_the_fourth_failed_attempt_ends_the_game() -> None:
    """“The game is also over when someone has recorded their fourth failed attempt.”"""
    position = table("Tim", "Sarah")
    for turn in range(1, 8):
        who = position.active
        assert (position.turn, position.over) == (turn, False)
        position = after(position, roll(who, orange=1), passes(who))
        assert not position.over
        position = after(position, NEXT)
    assert (position.over, position.turn, position.active) == (True, 7, "Tim")
    assert [position.sheet(player)["failed"] for player in position.players] == [4, 3]
    assert position.winners() == ("Sarah",)


@pytest.mark.parametrize("color", COLORS)
def test_what_a_row_scores(color: str) -> None:
    """“If a colored row contains empty fields, each entered number in this row is scored as a
    single point.” “If a colored row contains no empty fields, the number showing on the far right
    (the largest number) is scored as points.”
    """
    for count in range(9):
        row = (*EMPTY[count:], *range(18 - count, 18))
        assert score(document(**{color: row}))["rows"][color] == count
    assert score(document(**{color: FULL}))["rows"][color] == 9
    assert score(document(**{color: OTHER_FULL}))["rows"][color] == 17


@pytest.mark.parametrize(
    ("place", "column", "pentagon"),
    [
        (0, {"orange": 1, "yellow": 2, "purple": 3}, "purple"),
        (1, {"orange": 2, "yellow": 3, "purple": 4}, "orange"),
        (2, {"orange": 5, "yellow": 6, "purple": 7}, "orange"),
        (3, {"orange": 6, "yellow": 7, "purple": 8}, "yellow"),
        (4, {"orange": 7, "yellow": 8, "purple": 9}, "purple"),
    ],
)
def test_a_full_column_scores_the_number_in_its_bonus_field(
    place: int, column: dict[str, int], pentagon: str
) -> None:
    """“If all three fields in the column are filled with numbers, the number in the bonus field is
    scored as bonus points. If there are empty fields in a column, no bonus points are rewarded for
    this column.”
    """
    numbers = {"orange": 11, "yellow": 12, "purple": 13}
    sheet = document()
    for color, field in column.items():
        sheet[color][field - 1] = numbers[color]
    bonuses = [0, 0, 0, 0, 0]
    bonuses[place] = numbers[pentagon]
    assert score(sheet) == {
        "rows": {"orange": 1, "yellow": 1, "purple": 1},
        "bonuses": bonuses,
        "failed": 0,
        "total": 3 + numbers[pentagon],
    }
    for color, field in column.items():
        lacking = {**sheet, color: [None if at == field - 1 else n
                                    for at, n in enumerate(sheet[color])]}  # fmt: skip
        assert (score(lacking)["bonuses"], score(lacking)["total"]) == ([0] * 5, 2)


def test_a_full_column_of_two_fields_scores_no_bonus() -> None:
    sheet = document(yellow=(3, *EMPTY[1:]), purple=(None, 4, *EMPTY[2:]))
    assert score(sheet)["bonuses"] == [0, 0, 0, 0, 0]


def test_each_failed_attempt_costs_five_points() -> None:
    """“From this sum, subtract points for each failed attempt (-5 each).”"""
    for failed in range(5):
        scored = score(document(failed=failed))
        assert (scored["failed"], scored["total"]) == (-5 * failed, -5 * failed)


def test_sarahs_final_point_total_is_43() -> None:
    """“Sarah has entered 4 numbers in the orange row. This row is worth 4 points. In the yellow
    row, she entered a number in every field. For this row, she gets 16 points [...]. In the purple
    row, she entered 6 numbers. She receives 6 points for this row. [...] 5, 10 and 12 points. Her
    two failed attempts amount to 10 minus points. Therefore, Sarah's final point total is 43
    points.”
    """
    assert score(SARAH) == {
        "rows": {"orange": 4, "yellow": 16, "purple": 6},
        "bonuses": [0, 5, 10, 12, 0],
        "failed": -10,
        "total": 43,
    }


@pytest.mark.parametrize(
    ("linus", "winners"),
    [
        (document(), ("Sarah",)),
        ({**SARAH, "orange": [4, *SARAH["orange"][1:]]}, ("Linus",)),
        (SARAH, ("Sarah", "Linus")),
    ],
    ids=["fewer", "a single point more", "a tie"],
)
def test_the_player_with_the_most_points_wins(linus: Document, winners: tuple[str, ...]) -> None:
    """“The player with the most points wins.” Ending the game is no merit; a tie is shared."""
    position = table("Tim", "Sarah", "Linus", Tim=document(failed=4), Sarah=SARAH, Linus=linus)
    position = after(position, roll("Tim", orange=1), write("Tim", "orange", 1), NEXT)
    assert [position.score(player)["total"] for player in ("Tim", "Sarah")] == [-19, 43]
    assert position.winners() == winners


# Every refusal code of the public interface: when it comes, and when it does not


START = table("Tim", "Sarah", "Linus")
ROLLED = after(START, roll("Tim", purple=4, yellow=5))
"""Tim has called a 9 for purple or yellow."""
AGAIN = roll("Tim", purple=1, yellow=1)


def holding(**rows: Any) -> QwintoDice:
    """Tim has this sheet, and has called a 9 for purple or yellow."""
    sheet: Document = document(**rows)
    return after(table("Tim", "Sarah", Tim=sheet), roll("Tim", purple=4, yellow=5))


def refused(expected: str | None, position: QwintoDice, *actions: Action) -> list[tuple[Any, ...]]:
    return [(expected, position, action) for action in actions]


@pytest.mark.parametrize(
    ("expected", "position", "action"),
    [
        # roll
        *refused("bad-action", START, roll("Tim")),
        *refused("bad-dice", START, roll("Tim", orange=7), roll("Tim", orange=3, yellow=7)),
        *refused("not-your-turn", ROLLED, roll("Sarah", orange=1)),
        # “Nothing else closes it: the next player's `roll` in an open turn is refused.”
        *refused("not-your-turn", after(ROLLED, passes("Tim")), roll("Sarah", orange=1)),
        *refused(None, ROLLED, AGAIN, roll("Tim", yellow=1, purple=1)),
        *refused("no-rolls-left", after(ROLLED, AGAIN), AGAIN),
        *refused("no-rolls-left", after(ROLLED, write("Sarah", "yellow", 1)), AGAIN),
        *refused("no-rolls-left", after(ROLLED, passes("Linus")), AGAIN),
        *refused(None, table("Zo\u00eb", "Tim"), roll("Zoe\u0308", orange=1)),
        # write and pass
        *refused("wrong-moment", START, write("Tim", "yellow", 1), passes("Tim"), passes("Linus")),
        *refused("wrong-moment", after(ROLLED, passes("Tim"), NEXT), write("Linus", "yellow", 5)),
        *refused("no-such-field", ROLLED, write("Tim", "yellow", 10)),
        *refused("field-taken", holding(yellow=[*[None] * 4, 7, *[None] * 4]),
                 write("Tim", "yellow", 5)),
        *refused(None, holding(yellow=[*[None] * 4, 7, *[None] * 4]), write("Sarah", "yellow", 5)),
        *(("not-ascending", holding(yellow=[None, n, *[None] * 7]), write("Tim", "yellow", 9))
          for n in (9, 10)),
        *refused("repeated-in-column", holding(orange=[9, *[None] * 8]),
                 write("Tim", "yellow", 2), write("Tim", "purple", 3)),
        *refused(None, holding(orange=[9, *[None] * 8]), write("Tim", "yellow", 3)),
    ],
)  # fmt: skip
def test_refusals(expected: str | None, position: QwintoDice, action: Action) -> None:
    assert code(position, action) == expected


def test_a_refusal_says_in_words_what_is_wrong() -> None:
    refusal = holding(yellow=[None, 12, *[None] * 7]).refusal("Tim", "yellow", 5)
    assert refusal is not None
    assert "9" in refusal.message
    assert "12" in refusal.message
    assert "%(" not in refusal.message
