"""Dates, numbers, durations and marks as the page's language writes them."""

from __future__ import annotations

from datetime import UTC, datetime

from babel.dates import format_date, format_time
from babel.numbers import format_decimal
from flask import Flask
from flask_babel import gettext, ngettext

from companion.core.sheet import Field, Mark
from companion.core.words import minus
from companion.tables import Refused
from companion.web.page.language import join_names, page_language


def init_app(app: Flask) -> None:
    """Registers the filters for days, times and numbers in the person's language."""
    for filter_ in (day, day_and_time, clock, minus, average, lasted, join_names):
        app.jinja_env.filters[filter_.__name__] = filter_


def day(at: datetime) -> str:
    """The date in words, in the server's time zone: the phones at the table are where it is."""
    return str(format_date(at.astimezone(), "long", locale=page_language()))


def short_day(at: datetime) -> str:
    """The date in few characters, for a chart, in the server's time zone."""
    return str(format_date(at.astimezone(), "short", locale=page_language()))


def day_and_time(at: datetime) -> str:
    """The date in words and the time of day, in the server's time zone."""
    return f"{day(at)}, {clock(at)}"


def clock(at: datetime) -> str:
    """The time of day in the server's time zone."""
    return str(format_time(at.astimezone(), "short", locale=page_language()))


def time_to_type(at: datetime) -> str:
    """A time as a form's field has it, in the server's time zone."""
    return f"{at.astimezone():%Y-%m-%dT%H:%M}"


def time_typed(text: str) -> datetime:
    """The time in a form's field, in the server's zone; raises `Refused`: `bad-date`."""
    try:
        return datetime.fromisoformat(text[:32]).astimezone().astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        raise Refused("bad-date") from None


def average(number: float) -> str:
    """The number with one decimal, as the page's language writes it."""
    return minus(str(format_decimal(round(number, 1), "0.0", locale=page_language())))


def lasted(minutes: int) -> str:
    """A duration, such as "45 minutes" or "1 h 5 min"."""
    hours, rest = divmod(minutes, 60)
    if not hours:
        return ngettext("%(num)s minute", "%(num)s minutes", rest)
    return gettext("%(hours)s h %(minutes)s min", hours=hours, minutes=rest)


def mark_label(field: Field, mark: Mark) -> str:
    """A mark in words."""
    if field.kind == "cross":
        return gettext("crossed") if mark else gettext("not crossed")
    if field.kind == "value":
        words = {"circled": gettext("circled"), "crossed": gettext("crossed out")}
        return words.get(str(mark), gettext("open"))
    return gettext("empty") if mark is None else str(mark)
