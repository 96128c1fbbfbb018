"""The marks of fields in words."""

from __future__ import annotations

from flask_babel import gettext

from companion.core.sheet import Field, Mark


def mark_label(field: Field, mark: Mark) -> str:
    """A mark in words."""
    if field.kind == "cross":
        return gettext("crossed") if mark else gettext("not crossed")
    if field.kind == "value":
        words = {"circled": gettext("circled"), "crossed": gettext("crossed out")}
        return words.get(str(mark), gettext("open"))
    return gettext("empty") if mark is None else str(mark)
