"""The rule text's chapter "How to play", sentence by sentence. Quotations are the rules'."""

from itertools import combinations

import pytest

from companion.games.qwinto.sheet import COLORS
from companion.games.qwinto_dice.rules import QwintoDice
from tests.kit.games import NEXT, after, code, document, passes, roll, table, write


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
