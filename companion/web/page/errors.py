"""Refusals and HTTP errors as a page, a fragment or JSON, each with a sentence for people."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from flask import Flask, current_app, jsonify, make_response, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext
from sqlalchemy.exc import DatabaseError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from werkzeug.exceptions import BadHost, HTTPException

from companion.core.refusal import Unusable
from companion.core.words import N_
from companion.tables.database.sqlite_file import is_damage
from companion.tables.refusals import Refused, status_of
from companion.web.page.context import is_fragment
from companion.web.page.forms import Fault, fault_of
from companion.web.page.language import say

SENTENCES: Final[Mapping[int, str]] = {
    400: N_("The app did not understand this request. Go back and try again."),
    403: N_("This request came from another page, so nothing was done."),
    404: N_("There is no such page. Perhaps a letter is missing from the address."),
    405: N_("This address cannot be opened like that. Start again from the start page."),
    408: N_("That took too long to arrive. Try again with a better connection."),
    413: N_("That is too large to be accepted."),
    415: N_("The app did not understand this request. Go back and try again."),
    429: N_("The app is very busy right now. Try again in a moment."),
    503: N_("The app cannot save anything right now. It will try again by itself."),
    500: N_(
        "Something went wrong in the app; whoever runs it finds the details in its log. Your "
        "games are safe: go back, and try again later."
    ),
}


# Endpoint that takes a file → what to do when the file cannot be used
ADVICE: Final[Mapping[str, str]] = {
    "start.open_record": N_(
        "Choose the file of one saved game. Backups are restored on the page “Finished games”."
    ),
}

FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})  # Error numbers of a full disk


def init_app(app: Flask) -> None:
    """Answers refusals and errors with a sentence for people."""
    app.register_error_handler(Refused, _refused)
    app.register_error_handler(Unusable, _unusable)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(OperationalError, _no_database)
    app.register_error_handler(PoolTimeout, _no_database)
    app.register_error_handler(DatabaseError, _damaged)
    app.register_error_handler(OSError, _no_room)


def explain(error: Refused | Unusable) -> tuple[str, HTTPStatus]:
    """The sentence for people about an error, and the status of the page that shows it."""
    if isinstance(error, Unusable):
        # These sentences say what is wrong in the JSON; they are for programmers, in English.
        message = gettext("This file cannot be used: %(reason)s", reason=str(error))
        advice = ADVICE.get(request.endpoint or "", "")
        if advice:
            advice = gettext(advice)
            message = f"{message.rstrip('.')}. {advice}"
        return message.encode("utf-8", "replace").decode(), HTTPStatus.UNPROCESSABLE_ENTITY
    message = say(error.refusal)
    if error.index is not None:
        message = gettext(
            "Action %(number)s of the file is not allowed: %(reason)s",
            number=error.index + 1,
            reason=message,
        )
    return message, status_of(error.code)


def page_fault(error: Refused | Unusable, field: str = "") -> tuple[Fault, HTTPStatus]:
    """The fault with which a page shows its form again, and the page's status.

    Where no page was asked for, the error is raised again: its answer names the field, too.

    Args:
        field: the field that it is about where the error does not say it.
    """
    if request.is_json or is_fragment():
        raise error
    message, status = explain(error)
    return fault_of(error, message, field), status


def _refused(refused: Refused) -> ResponseReturnValue:
    message, status = explain(refused)
    if is_fragment():
        fault = fault_of(refused, message)
        return render_template("page/refused.html", code=refused.code, fault=fault), status
    more = {"fields": refused.refusal.fields, "entry": refused.entry}
    return _answer(refused.code, message, status, more)


def _unusable(unusable: Unusable) -> ResponseReturnValue:
    return _answer("unusable", *explain(unusable))


def _no_database(error: OperationalError | PoolTimeout) -> ResponseReturnValue:
    """The answer to a full disk, a lost database or a long lock. Phones try again by themselves."""
    reason = getattr(error, "orig", None) or error
    current_app.logger.error("the database does not answer: %s", reason)
    return _answer("no-database", gettext(SENTENCES[503]), HTTPStatus.SERVICE_UNAVAILABLE)


def _damaged(error: DatabaseError) -> ResponseReturnValue:
    """The answer to damaged pages, which a backup replaces; anything else is the app's fault."""
    if not is_damage(error):
        raise error
    return _answer("no-database", gettext(SENTENCES[503]), HTTPStatus.SERVICE_UNAVAILABLE)


def _no_room(error: OSError) -> ResponseReturnValue:
    """The answer to a full disk for temporary files; anything else is the app's fault."""
    if error.errno not in FULL:
        raise error
    current_app.logger.error("there is no room for temporary files: %s", error)
    return _answer("no-room", gettext(SENTENCES[503]), HTTPStatus.SERVICE_UNAVAILABLE)


def _http_error(error: HTTPException) -> ResponseReturnValue:
    if error.response is not None and error.code is None:
        return error.response
    code = error.code or 500
    sentence = SENTENCES.get(code, SENTENCES[500 if code >= 500 else 400])
    response = make_response(_answer(f"http-{code}", gettext(sentence), HTTPStatus(code)))
    response.retry_after = getattr(error, "retry_after", None)
    return response


def _answer(
    code: str, message: str, status: HTTPStatus, more: Mapping[str, object] | None = None
) -> ResponseReturnValue:
    message = message.encode("utf-8", "replace").decode()
    if isinstance(request.routing_exception, BadHost):
        # Without a valid host no page can be made, because its links cannot.
        return message, status, {"Content-Type": "text/plain; charset=utf-8"}
    if request.is_json:
        refused: dict[str, object] = {"code": code, "message": message}
        # For the page: fields that are in the way, the entry before which it may still come.
        refused |= {key: value for key, value in (more or {}).items() if value}
        return jsonify(refused=refused), status
    if is_fragment():
        return render_template("page/refused.html", code=code, fault=Fault(message)), status
    return render_template("page/error.html", code=code, message=message), status
