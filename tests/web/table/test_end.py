"""The end of a game of several players: places, the podium, and the own best."""

from __future__ import annotations

from dataclasses import dataclass

from companion.core.result import Result
from companion.tables import Tables
from companion.tables.play.lobby import take_seat
from companion.web.table.end import places_of, podium_steps
from tests.kit.games import SARAH
from tests.kit.history import EMPTY, add
from tests.kit.parties import Party


@dataclass(frozen=True)
class Stander:
    name: str
    place: int


def standing(results: dict[str, Result], winners: set[str]) -> list[tuple[int, str]]:
    """The steps from the first on, each with the names of those who stand there."""
    places = places_of(results, winners)
    standers = [Stander(name, place) for name, place in places.items()]
    return [
        (step.place, "".join(one.name for one in step.players)) for step in podium_steps(standers)
    ]


def test_ties_share_a_step_and_leave_the_next_one_out() -> None:
    totals = {"a": 9, "b": 12, "c": 9, "d": 4, "e": 12, "f": 9}
    results = {name: Result(total) for name, total in totals.items()}
    assert places_of(results, {"b", "e"}) == {"b": 1, "e": 1, "a": 3, "c": 3, "f": 3, "d": 6}
    assert standing(results, {"b", "e"}) == [(1, "be"), (3, "acf")]
    assert standing({"a": Result(1), "b": Result(2)}, {"b"}) == [(1, "b"), (2, "a")]
    assert standing({"a": Result(1)}, {"a"}) == []


def test_what_breaks_a_tie_makes_a_step_of_its_own() -> None:
    results = {"a": Result(9, tie=1), "b": Result(9, tie=3), "c": Result(5), "d": Result(4)}
    assert standing(results, {"b"}) == [(1, "b"), (2, "a"), (3, "c")]


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
