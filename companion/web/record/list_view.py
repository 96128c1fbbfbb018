"""The list of finished matches with its filter, and what the history's routes share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from flask import Response, render_template, request, url_for
from flask_babel import gettext

from companion.games.others import find_game
from companion.tables import quotas
from companion.tables.database.columns import is_id
from companion.tables.history import Filter, History
from companion.tables.history.people import person_id as id_of
from companion.tables.history.restoring import Restored
from companion.web.page.context import current_tables
from companion.web.page.formats import time_zone
from companion.web.page.forms import Fault
from companion.web.page.language import say
from companion.web.page.security import device

HIGHEST_PAGE: Final = 10**6

# Limit of the people of the latest games to choose from; each person's page leads to theirs
PEOPLE_OFFERED: Final = 12
MOST_TOGETHER: Final = 4  # Limit of the people in one filter; each is a query of its own


@dataclass(frozen=True)
class Chip:
    """A part of the list's filter, to tap."""

    label: str
    address: str  # the list's address with this filter switched
    is_chosen: bool


def history() -> History:
    """The history of the tables that this app serves."""
    return current_tables().history


def attached(response: Response, name: str) -> Response:
    """The response as a file to save."""
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def page_number() -> int:
    """The page of a list that is asked for, from 1."""
    number = request.args.get("page", 1, type=int)
    return min(max(number, 1), HIGHEST_PAGE)


def listed(fault: Fault | None = None, restored: Restored | None = None) -> str:
    """The list.

    Args:
        fault: why a file that was chosen on it cannot be used.
        restored: what the restore of a file has done.
    """
    chosen = _filter()
    page = history().matches(device(), page_number(), chosen)
    return render_template(
        "record/list.html",
        page=page,
        restored=restored,
        fault=fault,
        chosen=chosen,
        query=_query(chosen),
        chips=_chips(chosen),
        own_games=history().own_count(device()),
        most_games=quotas.MOST_MATCHES,
    )


def _filter() -> Filter:
    """The part of the list that is asked for; unknown filters are ignored."""
    game, people = request.args.get("game", ""), request.args.getlist("person")
    return Filter(
        game=game if find_game(game) else "",
        people=tuple(dict.fromkeys(filter(is_id, people)))[:MOST_TOGETHER],
        year=_year(request.args.get("year", 0, type=int)),
        zone=time_zone(),
    )


def _query(chosen: Filter) -> dict[str, Any]:
    query = {"game": chosen.game, "person": chosen.people, "year": chosen.year}
    return {name: value for name, value in query.items() if value}


def _chip(chosen: Filter, label: str, is_chosen: bool, **change: Any) -> Chip:
    """The chip that leads to the list with a changed filter."""
    address = url_for("history.show", **_query(replace(chosen, **change)))
    return Chip(label, address, is_chosen)


def _chips(chosen: Filter) -> list[tuple[str, list[Chip]]]:
    """(label of a group, its chips), each a link that adds to the filter or removes from it."""
    games, people, years = [], [], []
    for game in history().games(device()):
        is_on = game.name == chosen.game
        games.append(_chip(chosen, say(game.title), is_on, game="" if is_on else game.name))
    recent = history().recent_names(device())[:PEOPLE_OFFERED]
    offered = history().names(device(), chosen.people) | {id_of(name): name for name in recent}
    for who, name in offered.items():
        toggled = tuple(sorted({*chosen.people} ^ {who}))
        people.append(_chip(chosen, name, who in chosen.people, people=toggled))
    for year in history().years(device(), time_zone()):
        is_on = year == chosen.year
        years.append(_chip(chosen, str(year), is_on, year=0 if is_on else year))
    groups = {gettext("Games"): games, gettext("People"): people, gettext("Years"): years}
    found = []
    for title, chips in groups.items():
        chips.sort(key=lambda chip: not chip.is_chosen)
        if len(chips) > 1 or (chips and chips[0].is_chosen):
            found.append((title, chips))
    return found


def _year(number: int) -> int:
    return number if 1970 <= number <= 9999 else 0
