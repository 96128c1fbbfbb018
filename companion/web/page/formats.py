"""Dates, numbers, durations and marks as the page's language writes them.

Times are those of the phone's time zone.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

from babel.dates import format_date, format_time
from babel.numbers import format_decimal
from flask import Flask, g, request
from flask_babel import gettext, ngettext

from companion.core.sheet import Field, Mark
from companion.core.words import minus
from companion.tables import Refused
from companion.web.page.language import join_names, page_language

# The name of the phone's time zone, such as "Europe/Berlin", as `page/zone.js` has set it
ZONE_COOKIE: Final = "zone"
LONGEST_ZONE: Final = 64


def init_app(app: Flask) -> None:
    """Registers the filters for days, times and numbers in the person's language."""
    for filter_ in (day, day_and_time, clock, minus, whole, average, lasted, join_names):
        app.jinja_env.filters[filter_.__name__] = filter_
    app.jinja_env.globals["drawn_offset"] = drawn_offset


def time_zone() -> tzinfo | None:
    """The phone's time zone; None for the server's, where no script has sent the phone's."""
    try:
        return ZoneInfo(request.cookies[ZONE_COOKIE][:LONGEST_ZONE])
    except (KeyError, ValueError, OSError):  # `ZoneInfoNotFoundError` is a `KeyError`
        return None


def _local(at: datetime) -> datetime:
    """The time in the phone's zone; notes that the page shows times, see `drawn_offset`."""
    g.shows_times = True
    return at.astimezone(time_zone())


def drawn_offset() -> int | None:
    """The minutes from UTC to the time that this page shows; None for a page without times."""
    if "shows_times" not in g:
        return None
    offset = datetime.now(UTC).astimezone(time_zone()).utcoffset()
    return None if offset is None else offset // timedelta(minutes=1)


def day(at: datetime) -> str:
    return str(format_date(_local(at), "long", locale=page_language()))


def short_day(at: datetime) -> str:
    """The date in few characters, for a chart."""
    return str(format_date(_local(at), "short", locale=page_language()))


def file_day(at: datetime) -> str:
    """The date for the name of a file."""
    return f"{_local(at):%Y-%m-%d}"


def day_and_time(at: datetime) -> str:
    return f"{day(at)}, {clock(at)}"


def clock(at: datetime) -> str:
    return str(format_time(_local(at), "short", locale=page_language()))


def time_to_type(at: datetime) -> str:
    """A time as a form's field has it."""
    return f"{_local(at):%Y-%m-%dT%H:%M}"


def time_typed(text: str) -> datetime:
    """The time in a form's field; raises `Refused`: `bad-date`."""
    try:
        typed = datetime.fromisoformat(text[:32])
        return typed.replace(tzinfo=typed.tzinfo or time_zone()).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        raise Refused("bad-date") from None


def whole(number: int) -> str:
    """The whole number with separated thousands, as the page's language writes it."""
    return minus(str(format_decimal(number, locale=page_language())))


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
    if field.kind == "cross":
        return gettext("crossed") if mark else gettext("not crossed")
    if field.kind == "value":
        words = {"circled": gettext("circled"), "crossed": gettext("crossed out")}
        return words.get(str(mark), gettext("open"))
    return gettext("empty") if mark is None else str(mark)
