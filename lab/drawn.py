"""A guard for templates: the view provides all they need, so they ask no database."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import jinja2
import pytest
import sqlalchemy as sa


class AskedWhileDrawn(Exception):
    """A database was asked while a template was drawn."""


@contextmanager
def nothing_asked(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Raises `AskedWhileDrawn` from every transaction that a template begins or uses."""
    drawn = threading.local()
    render = jinja2.Template.render

    def rendered(self: jinja2.Template, *args: object, **values: object) -> str:
        before = getattr(drawn, "is_now", False)
        drawn.is_now = True
        try:
            return render(self, *args, **values)
        finally:
            drawn.is_now = before

    def asked(*_: object) -> None:
        if getattr(drawn, "is_now", False):
            raise AskedWhileDrawn

    patch.setattr(jinja2.Template, "render", rendered)
    for event in ("begin", "before_cursor_execute"):
        sa.event.listen(sa.Engine, event, asked)
    try:
        yield
    finally:
        for event in ("begin", "before_cursor_execute"):
            sa.event.remove(sa.Engine, event, asked)
