"""Faults of forms: a refusal is shown at the field that it is about, and what was typed is kept.

A page that shows a form again gives its template a `Fault`; the macros `at_fault` and `fault_text`
(`page/macros.html`) mark the field and say why. An answer to htmx has the field's name, by which
`static/js/page/faults.js` does the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from companion.core.refusal import Unusable
from companion.tables.refusals import Refused

# Code of a refusal → the name of the field in forms, where the refusal does not say it
FIELDS: Final[Mapping[str, str]] = {
    "bad-name": "name",
    "name-taken": "name",
    "bad-date": "ended",
    "bad-total": "total",
    "no-such-link": "code",
    "too-many-tries": "code",
}


@dataclass(frozen=True)
class Fault:
    """What is wrong with a form."""

    message: str
    field: str = ""  # the field's name; empty if it is about the whole form
    place: int = 0  # which one of the fields of this name, from 0

    def is_at(self, field: str, place: int = 0) -> bool:
        return (self.field, self.place) == (field, place)


def fault_of(error: Refused | Unusable, message: str, field: str = "") -> Fault:
    """The fault that says why a form was refused.

    Args:
        field: the name of the form's field that it is about where the error does not say it.
    """
    if isinstance(error, Unusable):
        return Fault(message, field)
    name, place = error.field or (FIELDS.get(error.code, field), 0)
    return Fault(message, name, place)
