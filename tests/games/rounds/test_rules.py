"""Rounds: what ends a game, who wins, what a record may say, and counts of legal games."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core.refusal import Unusable
from companion.games import record
from companion.games.others import kept_game
from companion.games.rounds import GAME
from lab.oracles.rounds import Referee
from lab.play import after, by_referee, by_rules, code, counts

ADA, BEN = "Ada", "Ben"
END = {"do": "end"}


def points(by: str, number: object) -> dict[str, Any]:
    return {"do": "points", "by": by, "points": number}


def played(options: dict[str, Any], *rounds: tuple[int, int]) -> Any:
    position = GAME.start((ADA, BEN), options)
    for ada, ben in rounds:
        position = after(position, points(BEN, ben), points(ADA, ada))
    return position


@pytest.mark.parametrize(
    ("options", "rounds", "turn", "is_over"),
    [
        ({}, [(12, 40)], 2, False),
        ({"to": 50}, [(12, 40), (0, 9)], 3, False),
        ({"to": 50}, [(12, 40), (0, 10)], 2, True),
        ({"to": 50, "lowest": True}, [(50, -3)], 1, True),
        ({"rounds": 2}, [(1, 1), (1, 2)], 2, True),
    ],
)
def test_a_round_closes_when_everybody_has_points_and_only_then_may_the_game_end(
    options: dict[str, Any], rounds: list[tuple[int, int]], turn: int, is_over: bool
) -> None:
    position = played(options, *rounds)
    assert (position.turn, position.over) == (turn, is_over)


@pytest.mark.parametrize(
    ("lowest", "rounds", "winners"),
    [
        (False, [(3, 4)], (BEN,)),
        (True, [(3, 4)], (ADA,)),
        (True, [(-3, 4), (8, 1)], (ADA, BEN)),
    ],
)
def test_the_most_or_the_fewest_points_win(
    lowest: bool, rounds: list[tuple[int, int]], winners: tuple[str, ...]
) -> None:
    position = after(played({"lowest": lowest}, *rounds), END)
    assert position.winners() == winners


def test_the_players_may_say_who_won_a_tie() -> None:
    tied = after(played({"lowest": True}, (-3, 4), (8, 1)), END)
    named = after(tied, {"do": "won", "by": BEN})
    assert (named.winners(), named.score(BEN)) == ((BEN,), tied.score(BEN))
    assert code(named, {"do": "won", "by": ADA}) == "game-over"
    behind = after(played({}, (3, 4)), END)
    assert code(behind, {"do": "won", "by": ADA}) == "game-over"
    assert code(played({}, (3, 3)), {"do": "won", "by": ADA}) == "wrong-moment"


def test_a_game_ends_by_hand_between_two_rounds() -> None:
    start = GAME.start((ADA, BEN), {})
    assert code(start, END) == "wrong-moment"
    assert code(after(start, points(ADA, 1)), END) == "wrong-moment"
    assert after(start, points(ADA, 1), points(BEN, 0), END).over


@pytest.mark.parametrize("raw", [{"to": -1}, {"to": True}, {"to": "100"}, {"lowest": 1}, {"x": 1}])
def test_other_options_are_unusable(raw: dict[str, Any]) -> None:
    with pytest.raises(Unusable):
        record.checked_options(GAME, raw)


def test_a_record_names_a_title_only_where_there_is_one() -> None:
    assert record.checked_options(GAME, {}) == {"lowest": False, "to": 0}
    assert record.checked_options(GAME, {"to": 7, "title": "", "rounds": 0})["to"] == 7
    titled = record.checked_options(GAME, {"title": "Skyjo", "lowest": True})
    assert titled == {"lowest": True, "to": 0, "title": "Skyjo"}
    with pytest.raises(Unusable):
        record.checked_options(GAME, {"title": " Skyjo"})


def test_a_game_with_a_title_is_kept_as_the_game_of_that_title() -> None:
    assert kept_game(GAME, {"lowest": False, "to": 0}) is GAME
    kept = kept_game(GAME, {"lowest": True, "to": 100, "title": "Skyjo"})
    assert (kept.name, kept.lowest_wins) == ("other/lowest/Skyjo", True)


def test_the_rules_allow_as_many_games_as_the_referee() -> None:
    tries = [
        END,
        *(points(name, number) for name in (ADA, BEN) for number in (0, 30, 99_999, 100_000)),
    ]
    options = {"to": 40, "rounds": 2}
    first, referee = GAME.start((ADA, BEN), options), Referee([ADA, BEN], already=options)
    found = counts(first, by_rules(tries), 4)
    assert found == counts(referee, by_referee(tries), 4)
    assert found == [6, 18, 56, 144]


def set_to(**settings: object) -> dict[str, Any]:
    return {"do": "set", **settings}


def join(player: str, points: object = 0) -> dict[str, Any]:
    return {"do": "join", "player": player, "points": points}


def leave(player: str) -> dict[str, Any]:
    return {"do": "leave", "player": player}


def test_another_end_ends_the_game_or_lets_it_go_on() -> None:
    at_100 = played({"to": 100}, (60, 10), (45, 20))
    assert (at_100.over, at_100.turn) == (True, 2)
    on = after(at_100, set_to(to=200))
    assert (on.over, on.turn, on.active, on.awaited) == (False, 3, ADA, (ADA, BEN))
    assert after(on, set_to(to=100)).over, "between two rounds it ends at once"
    begun = after(on, points(ADA, 1), set_to(to=100))
    assert not begun.over, "a round that has begun is played first"
    assert after(begun, points(BEN, 1)).over
    by_hand = after(played({}, (1, 2)), END, set_to(to=500))
    assert by_hand.over, "no other end reopens what the players ended"
    assert not after(GAME.start((ADA, BEN), {}), set_to(rounds=1)).over, "before the first round"


def test_one_round_is_not_counted_in_the_plural() -> None:
    (said,) = GAME.panel.ended(played({"rounds": 1}, (60, 10)))
    assert said.text == "One round was played."


def test_who_wins_changes_after_the_end_too() -> None:
    tied = after(played({}, (3, 3), (1, 1)), END, {"do": "won", "by": ADA})
    assert tied.winners() == (ADA,)
    lowest = after(tied, set_to(lowest=True))
    assert (lowest.over, lowest.winners()) == (True, (ADA, BEN)), "the tie has to be decided again"
    assert code(lowest, set_to(lowest=True)) == "already-acted"
    options = GAME.options_at(lowest, {"lowest": False, "to": 0, "title": "Skyjo"})
    assert kept_game(GAME, options).name == "other/lowest/Skyjo"


def test_a_person_joins_and_leaves_between_two_rounds() -> None:
    start = played({}, (10, 21))
    assert code(after(start, points(ADA, 1)), join("Cleo")) == "wrong-moment"
    three = after(start, join("Cleo", "mean"))
    assert [three.score(name)["total"] for name in three.players] == [10, 21, 16]
    without = after(three, leave(BEN), points(ADA, 5), points("Cleo", 5))
    assert (without.turn, without.awaited) == (3, (ADA, "Cleo")), "Cleo started in place of Ben"
    over = after(without, END)
    assert over.score(BEN)["total"] == 21
    assert over.winners() == ("Cleo",), "whoever has left does not win"
    back = after(without, join(BEN))
    assert back.score(BEN)["total"] == 21
    assert back.sheet(BEN)["rounds"] == [[21], [None]]
    assert after(without, join(BEN, "mean")).score(BEN)["total"] == 18, "that of 15 and 21"
    assert code(after(without, leave(ADA)), leave("Cleo")) == "wrong-moment"


def test_a_line_of_the_chart_begins_with_its_player_s_first_number() -> None:
    two = played({}, (10, 21), (5, 5))
    assert GAME.panel.course(two) == {ADA: [0, 10, 15], BEN: [0, 21, 26]}
    now = after(two, join("Cleo", "mean"), points(ADA, 1))
    assert GAME.panel.course(now) == {
        ADA: [0, 10, 15, 16],
        BEN: [0, 21, 26, 26],
        "Cleo": [None, None, 21, 21],
    }
    from_zero = after(two, join("Cleo"), points(ADA, 1), points(BEN, 2), points("Cleo", 3))
    assert GAME.panel.course(from_zero)["Cleo"] == [None, None, None, 3]
    left = after(two, leave(BEN), points(ADA, 1))
    assert GAME.panel.course(left) == {ADA: [0, 10, 15, 16], BEN: [0, 21, 26, 26]}


def test_at_most_twelve_people_play() -> None:
    names = tuple(f"P{number}" for number in range(12))
    twelve = GAME.start(names, {})
    assert code(twelve, join("Zoe")) == "wrong-moment"
    assert not code(after(twelve, leave("P0")), join("P0"))


@pytest.mark.parametrize(("lowest", "places"), [(False, (2, 1)), (True, (1, 2))])
def test_the_places_follow_from_who_wins(lowest: bool, places: tuple[int, int]) -> None:
    position = played({"lowest": lowest}, (3, 4))
    assert tuple(position.places.values()) == places
