"""The pages of people: their figures and charts, two against each other, and deleting a person.

`companion.tables.history` counts, and decides what a device may see and change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from flask import Blueprint, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from companion.core.game import Game
from companion.tables.history.feats import Duel, duels
from companion.tables.history.people import Figures, Person
from companion.tables.ledger.names import LONGEST_NAME
from companion.web.page.security import device
from companion.web.record.charts import Chart, chart_of
from companion.web.record.history import history, page_number

pages = Blueprint("people", __name__, url_prefix="/history/people")

DUELS_SHOWN: Final = 20
"""Limit of the others on a person's page; those with the most games in common."""


@dataclass(frozen=True)
class GameView:
    """One game of a person, or of two against each other."""

    game: Game
    figures: tuple[Figures, ...]
    """Of each person."""
    chart: Chart | None
    duel: Duel | None = None


@pages.get("")
def show() -> ResponseReturnValue:
    """The page of all people with whom this device has played, some at a time."""
    return render_template(
        "record/people.html", page=history().people_page(device(), page_number())
    )


@pages.get("/<person_id>")
def person(person_id: str) -> ResponseReturnValue:
    """The page of a person: figures and a chart for each game, and the balance with others."""
    found = history().person(device(), person_id)
    others = history().duels(device(), found)
    return render_template(
        "record/person.html",
        person=found,
        games=_game_views([found]),
        names=[line.name for line in history().people_page(device()).people],
        duels=others[:DUELS_SHOWN],
        more_duels=max(0, len(others) - DUELS_SHOWN),
        longest_name=LONGEST_NAME,
    )


@pages.get("/<person_id>/against/<other_id>")
def against(person_id: str, other_id: str) -> ResponseReturnValue:
    """The page of two people: who has won how often, in each game they played together."""
    pair = history().people(device(), person_id, other_id)
    return render_template(
        "record/against.html", people=pair, duel=_duel(*pair), games=_game_views(pair)
    )


def _game_views(people: Sequence[Person]) -> list[GameView]:
    """The games that all of these people have played, the most played one first."""
    views = []
    by_game = [person.by_game for person in people]
    for game in by_game[0]:
        results = [theirs[game] for theirs in by_game]
        figures = tuple(map(Figures.from_results, results))
        parts = [
            Person(person.id, person.name, tuple(theirs))
            for person, theirs in zip(people, results, strict=True)
        ]
        duel = _duel(*parts) if len(parts) > 1 else None
        views.append(GameView(game, figures, chart_of(results), duel))
    return views


def _duel(one: Person, other: Person) -> Duel:
    [duel] = duels(one.name, [*one.results, *other.results], only=other.name)
    return duel


@pages.get("/<person_id>/delete")
def ask_delete(person_id: str) -> ResponseReturnValue:
    """Says what deleting would do, before it is done."""
    preview = history().deletion_preview(device(), person_id)
    return render_template("record/delete_person.html", preview=preview)


@pages.post("/<person_id>/delete")
def delete(person_id: str) -> ResponseReturnValue:
    """Takes a person's name out of all matches, and leads to the list of people."""
    history().delete_person(device(), person_id)
    return redirect(url_for("people.show"), code=303)
