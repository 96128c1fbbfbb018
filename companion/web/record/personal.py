"""The pages of people: their figures and charts, and deleting a person.

`companion.tables.history` counts, and decides what a device may see and change.
"""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from companion.core.game import Game
from companion.tables.history.people import Figures
from companion.tables.ledger.names import LONGEST_NAME
from companion.web.page.forms import Fault
from companion.web.page.security import device
from companion.web.record.charts import Chart, chart_of
from companion.web.record.list_view import history, page_number

pages = Blueprint("people", __name__, url_prefix="/history/people")


@dataclass(frozen=True)
class GameView:
    game: Game
    figures: Figures
    chart: Chart | None


@pages.get("")
def show() -> ResponseReturnValue:
    """The people in this device's games, a page at a time."""
    return render_template(
        "record/people.html", page=history().people_page(device(), page_number())
    )


@pages.get("/<person_id>")
def person(person_id: str) -> ResponseReturnValue:
    """The page of a person: figures and a chart for each game."""
    return person_page(person_id)


def person_page(person_id: str, fault: Fault | None = None) -> str:
    """The page; `fault` says why somebody cannot be renamed."""
    found = history().person(device(), person_id)
    return render_template(
        "record/person.html",
        person=found,
        games=[
            GameView(game, Figures.from_results(results), chart_of(results))
            for game, results in found.by_game.items()
        ],
        names=[line.name for line in history().people_page(device()).people],
        longest_name=LONGEST_NAME,
        fault=fault,
        typed_name=request.form.get("name", found.name),
    )


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
