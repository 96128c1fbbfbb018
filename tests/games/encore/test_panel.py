"""Encore!'s panel: which dice are of use and with which others, hints, and the end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from companion.games.encore import GAME
from companion.games.encore.boards import COLORS
from companion.games.encore.crossing import crossings
from companion.games.encore.dice import COUNTS
from companion.games.encore.rules import OPEN_TURNS, Encore
from lab.play import NEXT, after, entry, said
from tests.games.encore.test_rules import BLACK, cross, crossed, game, roll

PANEL = GAME.panel


def dim(position: Encore, player: str = "Ada") -> dict[str, list[Any]]:
    """The faces of the dim dice, by kind."""
    facts: Any = PANEL.player_facts(position, player)
    kinds = ("color_dice", "number_dice")
    return {kind: [die["value"] for die in facts[kind] if die["is_dim"]] for kind in kinds}


def goes_with(position: Encore, face: object) -> str:
    facts: Any = PANEL.player_facts(position, "Ada")
    dice = [*facts["color_dice"], *facts["number_dice"]]
    return str(next(die["goes_with"] for die in dice if die["value"] == face))


def test_dice_without_a_crossing_are_dim() -> None:
    """On the empty black sheet no clump of five green, red or blue boxes has one in column H."""
    position = after(game("Ada", "Ben"), roll("Ada", "green red blue", "1 5 5"))
    assert dim(position) == {"color_dice": [], "number_dice": [5]}
    assert goes_with(position, "green") == "1"
    full = crossed(position, "Ada", " ".join(f"H{row}" for row in range(1, 8)), jokers_used=8)
    position = replace(full, color_dice=("joker", "red", "blue"), number_dice=("joker", 1, 2))
    assert "joker" in dim(position)["color_dice"]
    assert "joker" in dim(position)["number_dice"]


def test_a_joker_is_dim_where_plain_dice_do_the_same() -> None:
    rolled = after(game("Ada", "Ben"), roll("Ada", "joker red blue", "joker 1 2"))
    assert dim(rolled)["color_dice"] == []
    boxes = set(BLACK.colors) - {"H3"}
    plain = crossed(replace(rolled, color_dice=("joker", "red", "red")), "Ada", " ".join(boxes))
    assert dim(plain) == {"color_dice": ["joker"], "number_dice": ["joker", 2]}


def test_dice_that_nobody_entered_reach_every_box_that_any_pair_does() -> None:
    """The page asks only for jokers; without one left, none of them is of use."""
    quick = after(game("Ada", "Ben"), {"do": "roll", "by": "Ada", "told": False})
    facts: Any = PANEL.player_facts(quick, "Ada")
    dice = [facts[kind] for kind in ("color_dice", "number_dice")]
    assert [[die["value"] for die in shown] for shown in dice] == [["joker"], ["joker"]]
    plain = {
        frozenset(way)
        for one in facts["sets"]
        if "joker" not in one["when"].values()
        for way in one["sets"]
    }
    assert plain == {
        way for color in COLORS for way in crossings(quick.sheet_of("Ada"), color, COUNTS)
    }
    assert dim(quick) == {"color_dice": [], "number_dice": []}
    spent = crossed(quick, "Ada", jokers_used=8)
    assert dim(spent) == {"color_dice": ["joker"], "number_dice": ["joker"]}


def test_the_first_crossing_implies_the_roll() -> None:
    before = game("Ada", "Ben")
    fourth = replace(before, now=replace(before.now, number=OPEN_TURNS + 1))
    implied = PANEL.implied(before, "Ada", all_dice=False)
    assert implied == {"do": "roll", "by": "Ada", "told": False}
    assert PANEL.implied(before, "Ben", all_dice=False) == implied, "all choose at once"
    assert PANEL.implied(fourth, "Ada", all_dice=False) == implied
    assert PANEL.implied(fourth, "Ben", all_dice=False) is None
    assert PANEL.implied(before, "Ada", all_dice=True) is None
    for later in (after(before, implied), replace(before, over=True)):
        assert PANEL.implied(later, "Ada", all_dice=False) is None


def test_before_a_roll_that_nobody_enters_the_others_know_when_they_may_cross() -> None:
    for turn, words in ((1, "Ada rolls: cross boxes or pass"), (4, "Ada chooses two dice first")):
        hint = PANEL.quick_hint(game("Ada", "Ben", turn=turn), ["Ben"])
        assert hint is not None
        assert said(hint) == words


BEGUN = game("Ada", "Ben")
USELESS = after(BEGUN, roll("Ada", "green red blue", "5 5 5"))
"""On the empty black sheet no clump of five green, red or blue boxes has one in column H."""
FOURTH = replace(USELESS, now=replace(USELESS.now, number=OPEN_TURNS + 1))
WITH_JOKER = after(BEGUN, roll("Ada", "green red joker", "5 5 5"))


@pytest.mark.parametrize(
    ("position", "here", "words"),
    [
        (USELESS, "Ada", "Your turn: no box fits"),
        (USELESS, "Ben", "Nothing for you: no box fits"),
        (FOURTH, "Ada", "Your turn: no box fits"),
        (WITH_JOKER, "Ada", "Your turn: only with a joker, or pass"),
        (game("Ada"), "Ada", "Roll 1 of 30: roll the dice"),
    ],
)
def test_the_hint(position: Encore, here: str, words: str) -> None:
    assert said(PANEL.hint(position, [here])).startswith(words)


@pytest.mark.parametrize(
    ("position", "idle"),
    [
        (BEGUN, []),
        (USELESS, ["Ada", "Ben"]),
        (replace(USELESS, number_dice=(1, 5, 5)), []),
        (FOURTH, ["Ada"]),
        (after(FOURTH, {"do": "pass", "by": "Ada"}), ["Ben"]),
    ],
)
def test_a_player_for_whom_no_box_fits_need_not_pass(position: Encore, idle: list[str]) -> None:
    """From the fourth turn on the others wait for the active player."""
    assert [player for player in position.players if PANEL.is_idle(position, player)] == idle
    assert PANEL.only_passing(position) == (list(position.awaited) == idle)


def test_a_closed_step_names_the_players_for_whom_no_box_fits() -> None:
    assert said(PANEL.describe(USELESS, NEXT)).endswith("no box fits: Ada, Ben")


def test_a_player_for_whom_no_box_fits_has_no_step_to_do() -> None:
    assert GAME.guide.step(USELESS, ["Ada"]) is None


def test_the_controls_ask_for_a_joker_that_is_needed() -> None:
    facts: Any = PANEL.player_facts(WITH_JOKER, "Ada")
    assert facts["needs_joker"]


def test_the_dice_that_the_active_player_took_are_shown_even_after_a_quick_roll() -> None:
    quick = {"do": "roll", "by": "Ada", "told": False}
    position = after(game("Ada", "Ben"), quick)
    crossing = dict(next(iter(PANEL.writings(position, "Ada"))))
    for acts in ([quick], [quick, {**crossing, "by": "Ben"}]):
        assert not PANEL.facts(position, [entry(act) for act in acts])["color_dice"]
    facts: Any = PANEL.facts(after(position, crossing), [entry(quick), entry(crossing)])
    dice = [facts[kind][0]["value"] for kind in ("color_dice", "number_dice")]
    assert dice == [crossing["color_die"], crossing["number_die"]]


def why(position: Encore, boxes: str, **picked: str) -> str | None:
    refused = PANEL.why(position, "Ada", {"fields": boxes, **picked})
    return said(refused) if refused else None


def test_a_box_out_of_reach_says_why() -> None:
    position = after(game("Ada", "Ben"), roll("Ada", "blue red joker", "2 joker joker"))
    assert "column H" in str(why(position, "A3"))
    assert why(position, "H2") == "Tap the joker first: these dice do not work without it."
    assert "only red boxes" in str(why(position, "H4", color_die="red"))
    assert why(position, "H2", color_die="joker") is None
    plain = replace(position, color_dice=("blue", "red", "red"))
    assert why(plain, "H2") == "The dice on the table do not show this."
    spent = crossed(plain, "Ada", jokers_used=8)
    assert "exclamation mark" in str(why(spent, "", number_die="joker"))


def test_a_column_that_closed_is_shown_for_a_turn() -> None:
    position = crossed(game("Ada", "Ben"), "Ada", "E1 E2 E3 E4 E5 E6")
    position = after(position, roll("Ada", "blue red red", "1 4 4"), cross("Ada", "blue 1", "E7"))
    assert PANEL.news(position) == []
    position = after(position, NEXT)
    assert [said(one) for one in PANEL.news(position)] == ["Column E is full: Ada"]


def test_the_boxes_left_are_counted_and_the_end_is_announced() -> None:
    boxes = BLACK.by_color["blue"] | BLACK.by_color["red"]
    position = crossed(game("Ada", "Ben"), "Ada", " ".join(sorted(boxes)[2:]), jokers_used=3)
    counts = {one.color or said(one.sign): one.count for one in PANEL.left(position, "Ada")}
    assert counts["blue"] + counts["red"] == 2
    assert (counts["green"], counts["!"]) == (21, 5)
    assert counts["★"] == position.score("Ada")["stars"] < 0
    assert PANEL.points(position, "Ada") == position.score("Ada")["total"] - 5 - counts["★"] >= 0
    assert [said(one) for one in PANEL.news(position)] == ["Ada: 2 boxes from the end"]
    done = crossed(position, "Ada", " ".join(sorted(boxes)))
    assert [one.text for one in PANEL.news(done)] == ["Last turn!"]
