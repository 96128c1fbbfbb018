"""Results to share: links for looking at one game, what is remarkable about it, files."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from companion.web.page.context import current_tables
from companion.web.page.security import device
from companion.web.record.match_view import finished_context
from companion.web.table.end import feats_in_words

pages = Blueprint("results", __name__)


@pages.post("/history/<match_id>/link")
def make_link(match_id: str) -> ResponseReturnValue:
    """Makes a link for anybody to look at the game."""
    current_tables().history.make_link(device(), match_id)
    return _back(match_id)


@pages.post("/history/<match_id>/unlink")
def revoke(match_id: str) -> ResponseReturnValue:
    current_tables().history.revoke_links(device(), match_id)
    return _back(match_id)


def _back(match_id: str) -> ResponseReturnValue:
    address = url_for("history.match", match_id=match_id, _anchor="share-result")
    return redirect(address, code=303)


@pages.get("/g/<token>")
def look(token: str) -> ResponseReturnValue:
    """The game behind a link: to be looked at, without its notes and its table."""
    found = current_tables().history.match_of_link(token)
    return render_template("record/shared.html", **finished_context(found), is_shared=True)


@pages.get("/history/<match_id>/feats")
def feats(match_id: str) -> ResponseReturnValue:
    """A fragment with what is remarkable about a game."""
    found = current_tables().history.match(device(), match_id)
    return render_template("record/fragments/feats.html", feats=feats_in_words(found))
