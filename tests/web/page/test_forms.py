"""A refused form says so at the field that is to blame, and keeps what was typed."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from companion.tables import Tables
from lab.history import paper, people
from lab.pages import Page
from lab.phones import Phone
from lab.tables import party

LONG = "x" * 30
Sent = Callable[[Flask, Tables, Phone], tuple[str, dict[str, Any]]]


def _joins(app: Flask, tables: Tables, _phone: Phone) -> tuple[str, dict[str, Any]]:
    return f"/j/{party(app, tables, 'lobby').links['join']}", {"name": "Tim"}


def _renames(_app: Flask, tables: Tables, phone: Phone) -> tuple[str, dict[str, Any]]:
    paper(tables, phone.device, "Ada", "Ben")
    return f"/history/people/{people(tables, phone.device)[0].id}/rename", {"name": LONG}


def _edits(**form: Any) -> Sent:
    def edit(_app: Flask, tables: Tables, phone: Phone) -> tuple[str, dict[str, Any]]:
        match = paper(tables, phone.device, "Ada", "Ben")
        usual = {"ended": "2024-12-24T18:30", "name": ["Ada", "Ben"], "total": ["43", "-10"]}
        return f"/history/{match}/edit", {**usual, **form}

    return edit


def _sends(path: str, **form: Any) -> Sent:
    def send(_app: Flask, _tables: Tables, _phone: Phone) -> tuple[str, dict[str, Any]]:
        return path, {name: value() if callable(value) else value for name, value in form.items()}

    return send


def _no_file() -> tuple[io.BytesIO, str]:
    return io.BytesIO(b"no"), "no.json"


TOTALS = {"game": "freaky", "name": ["Ada", "Ben"], "total": ["3", "4"], "ended": ""}
# What is sent, the field that is to blame, which one of that name, and what stays typed there
FORMS: dict[str, tuple[Sent, str, int, str | None]] = {
    "a code": (_sends("/join", code="ABC 999"), "code", 0, "ABC 999"),
    "a taken name": (_joins, "name", 0, "Tim"),
    "another name": (_renames, "name", 0, LONG),
    "a game's date": (_edits(ended="2999-01-01T00:00"), "ended", 0, "2999-01-01T00:00"),
    "a game's long name": (_edits(name=["Ada", LONG]), "name", 1, LONG),
    "a game's name twice": (_edits(name=["Ada", "ada"]), "name", 1, "ada"),
    "a record": (_sends("/import", record=_no_file), "record", 0, None),
    "a backup": (_sends("/history/import", history=_no_file), "history", 0, None),
    "a total": (_sends("/totals", **{**TOTALS, "total": ["3", "x"]}), "total", 1, "x"),
    "no total": (_sends("/totals", **{**TOTALS, "total": ["", "4"]}), "total", 0, ""),
    "a name twice": (_sends("/totals", **{**TOTALS, "name": ["Ada", "ADA"]}), "name", 1, "ADA"),
    "no title": (_sends("/totals", **{**TOTALS, "game": "", "title": ""}), "title", 0, ""),
    "a date to come": (_sends("/totals", **{**TOTALS, "ended": "2999-01-01T00:00"}), "ended", 0,
                       "2999-01-01T00:00"),
    "names by hand": (_sends("/by-hand", game="freaky", names=f"Ada\n{LONG}"), "names", 0, None),
}  # fmt: skip


@pytest.mark.parametrize("case", FORMS)
def test_a_fault_is_shown_at_its_field(app: Flask, tables: Tables, phone: Phone, case: str) -> None:
    send, name, place, typed = FORMS[case]
    path, form = send(app, tables, phone)
    answer = phone.post(path, form, content_type="multipart/form-data")
    assert 400 <= answer.status_code < 500
    page = Page(answer.text)
    assert page.faults() == []
    [wrong] = [one for one in page.elements if "aria-invalid" in one.attrs]
    fields = [one for one in page.elements if one.attrs.get("name") == name]
    fields = [one for one in fields if one.attrs.get("type") != "hidden"]
    assert wrong == fields[place]
    assert "autofocus" in wrong.attrs
    [fault] = page.all("p", id=wrong.attrs["aria-describedby"] or "")
    assert fault.text.strip()
    assert wrong.attrs.get("value") == typed


def test_the_pads_say_at_their_field_what_cannot_be_printed(phone: Phone) -> None:
    for query, name in (("copies=0", "copies"), (f"players={LONG * 3}", "players")):
        [wrong] = [
            one for one in phone.page(f"/pads?{query}").elements if "aria-invalid" in one.attrs
        ]
        assert wrong.attrs["name"] == name


def test_an_answer_to_htmx_names_the_field(app: Flask, tables: Tables) -> None:
    made = party(app, tables, "lobby")
    answer = made.host.post(f"/t/{made.id}/do/add", {"name": "Tim"}, way="htmx")
    fault = Page(answer.text).one("p", id="fault")
    assert (fault.attrs["data-field"], fault.attrs["data-place"]) == ("name", "0")
