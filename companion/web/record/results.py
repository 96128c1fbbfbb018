"""Results to share: links for looking at one game, what is remarkable about it, files."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from flask_babel import gettext, ngettext

from companion.core.words import minus
from companion.tables import FinishedMatch, Participant
from companion.tables.history.feats import Feat
from companion.web.page.context import current_tables
from companion.web.page.language import say
from companion.web.page.security import device
from companion.web.record.history import finished_context

pages = Blueprint("results", __name__)


@pages.post("/history/<match_id>/link")
def make_link(match_id: str) -> ResponseReturnValue:
    """Makes a link by which anybody may look at the game."""
    current_tables().history.link(device(), match_id)
    return _back(match_id)


@pages.post("/history/<match_id>/unlink")
def revoke(match_id: str) -> ResponseReturnValue:
    """Makes all links to the game invalid."""
    current_tables().history.revoke_links(device(), match_id)
    return _back(match_id)


def _back(match_id: str) -> ResponseReturnValue:
    address = url_for("history.match", match_id=match_id, _anchor="share-result")
    return redirect(address, code=303)


@pages.get("/g/<token>")
def look(token: str) -> ResponseReturnValue:
    """The game behind a link: to be looked at, without its notes and its table."""
    found = current_tables().history.match_behind(token)
    return render_template("record/shared.html", **finished_context(found), is_shared=True)


@pages.get("/history/<match_id>/feats")
def feats(match_id: str) -> ResponseReturnValue:
    """A fragment with what is remarkable about a game."""
    return _feats(current_tables().history.match(device(), match_id))


@pages.get("/history/of/<table_id>/<int:number>/feats")
def feats_of_table(table_id: str, number: int) -> ResponseReturnValue:
    """The same fragment for the end of a game at its table, with the player's own best."""
    history = current_tables().history
    found = history.match(device(), history.match_at(device(), table_id, number))
    return _feats(found, table_id)


def _feats(found: FinishedMatch, table_id: str = "") -> str:
    here = _player_here(table_id, found) if table_id else None
    known = current_tables().history.feats(device(), found.id)
    best = "" if here is None else _best_so_far(found, here)
    if best and here is not None:
        known = tuple(
            feat for feat in known if (feat.what, feat.player) != ("personal-record", here.name)
        )
    texts = [in_words(feat, say(found.game.title)) for feat in known]
    return render_template(
        "record/fragments/feats.html",
        feats=[best, *texts] if best else texts,
        match=found,
        asks=table_id and found.is_contested,
    )


def _player_here(table_id: str, found: FinishedMatch) -> Participant | None:
    """The player of the match who sits at this device; None where several sit, or nobody."""
    seats = current_tables().read(table_id, device()).seats
    mine = {seat.name for seat in seats if seat.mine}
    here = [player for player in found.players if player.name in mine]
    return here[0] if len(here) == 1 else None


def _best_so_far(found: FinishedMatch, player: Participant) -> str:
    """The player's total beside the best of all games before; empty after the first one."""
    if found.is_unfinished or player.total is None or player.name is None:
        return ""
    best = current_tables().history.best(device(), found.game, player.name, found.id, alone=False)
    if best is None:
        return ""
    numbers = {"points": minus(player.total), "best": minus(best)}
    if player.total > best:
        return gettext("Your best so far was %(best)s – %(points)s is a new best!", **numbers)
    if player.total == best:
        return gettext("As many as your best so far: %(best)s.", **numbers)
    return gettext("Your best so far: %(best)s.", **numbers)


def in_words(feat: Feat, game: str) -> str:
    """A feat as a sentence."""
    values = {"player": feat.player, "game": game}
    if feat.what == "streak":
        return ngettext(
            "%(player)s has won %(num)s time in a row.",
            "%(player)s has won %(num)s times in a row.",
            feat.number,
            **values,
        )
    values |= {"number": minus(feat.number), "before": minus(feat.before)}
    match feat.what:
        case "table-record":
            text = gettext("%(player)s sets a record in %(game)s: %(number)s, up from %(before)s.")
        case _:
            text = gettext("%(player)s has never had as many: %(number)s, up from %(before)s.")
    return text % values
