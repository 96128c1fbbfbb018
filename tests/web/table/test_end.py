"""The end of a game of several players: places, the podium, and the own best."""

from __future__ import annotations

import pytest
from flask import Flask

from companion.core.result import Result
from companion.tables import Tables
from companion.tables.play.lobby import take_seat
from companion.web.table.end import course_of, places_of
from tests.kit.games import SARAH
from tests.kit.history import EMPTY, add
from tests.kit.phones import Phone
from tests.kit.tables import Party
from tests.web.table.test_games import opened, some_game


def test_ties_share_a_step_and_leave_the_next_one_out() -> None:
    totals = {"a": 9, "b": 12, "c": 9, "d": 4, "e": 12, "f": 9}
    results = {name: Result(total) for name, total in totals.items()}
    assert places_of(results, {"b", "e"}) == {"b": 1, "e": 1, "a": 3, "c": 3, "f": 3, "d": 6}
    assert places_of({"a": Result(1), "b": Result(2)}, {"b"}) == {"a": 2, "b": 1}


def test_what_breaks_a_tie_makes_a_step_of_its_own() -> None:
    results = {"a": Result(9, tie=1), "b": Result(9, tie=3), "c": Result(5), "d": Result(4)}
    assert places_of(results, {"b"}) == {"b": 1, "a": 2, "c": 3, "d": 4}


def test_the_end_has_a_podium_and_whoever_is_below(over: Party) -> None:
    page = over.viewer.page(over.path)
    assert page.faults() == []
    classes = [one.attrs.get("class") or "" for one in page.all("div")]
    steps = [one for one in classes if one.startswith("podium-step ")]
    assert steps == ["podium-step place-1", "podium-step place-3"]
    assert page.source.count('class="crown"') == 2
    texts = [" ".join(one.text.split()) for one in page.all("li") if "Place" in one.text]
    assert texts[0].startswith("Place 1: Sarah") and texts[2].startswith("Place 3: Tim")


def test_the_player_of_a_phone_is_told_the_own_best(over: Party, tables: Tables) -> None:
    host = over.host
    path = f"/history/of/{over.id}/1/feats"
    assert host.page(over.path).one(id="feats-1").attrs["hx-get"] == path

    def told_after(**sheet: object) -> str:
        """What is told after another game of Sarah's, who has 3 points in this one."""
        sheets = [("SARAH", {**EMPTY, **sheet}), ("Ada", EMPTY)]
        add(tables, host.device, "qwinto-dice", sheets)
        return host.page(path).source

    tables.change(over.id, host.device, take_seat, 2)
    assert "best" not in host.page(path).source, "her first game"
    assert "Your best so far was −10 – 3 is a new best!" in told_after()
    same = told_after(failed=0, orange=[2, 3, 4, *[None] * 6])
    assert "As many as your best so far: 3." in same
    assert "Your best so far: 43." in told_after(**SARAH)
    tables.change(over.id, host.device, take_seat, 1)
    assert "best" not in host.page(path).source, "a phone of two players"


def test_parts_without_points_are_one_line(over: Party) -> None:
    """Everybody's nine parts of a total are there, those of zero by their names alone."""
    page = over.host.page(over.path)
    zeros = [
        one.text.split(": ")[1].split(", ") for one in page.all("li") if "No points" in one.text
    ]
    buttons = [one.text for one in page.having("data-lights")]
    assert len(buttons) + sum(map(len, zeros)) == 3 * 9
    assert not [text for text in buttons if text.endswith(" 0")]


def test_each_player_s_points_are_drawn_turn_by_turn(app: Flask, phone: Phone) -> None:
    """The lines begin at 0 and end at the totals, in one scale for all."""
    path = opened(phone, "qwixx", some_game("qwixx", seed=3, steps=3000))
    table = app.extensions["tables"].read(path.split("/")[2], phone.device)
    course = course_of(table)
    assert course is not None
    position = table.position
    totals = [position.score(name)["total"] for name in position.players]
    per_point = (course.zero - 10) / course.most
    for total, line in zip(totals, course.lines, strict=True):
        assert line.points[0] == f"30.0 {course.zero}"
        assert line.points[-1].startswith("314.0 ")
        assert len(line.points) == position.turn + 1
        assert line.end == pytest.approx(course.zero - total * per_point, abs=0.2)
    assert len(phone.page(path).all("circle", r="4")) == len(totals)


def test_a_game_of_few_turns_has_no_line(app: Flask, phone: Phone) -> None:
    path = opened(phone, "qwixx", some_game("qwixx", seed=3, steps=1))
    assert course_of(app.extensions["tables"].read(path.split("/")[2], phone.device)) is None
