"""The table page's content, made plain for the templates: players, fields, totals, the call.

It asks the position and the sheet's description, and decides only how things are grouped.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Final

from flask import render_template
from flask_babel import gettext
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from companion.core.panel import FieldTap, Panel, PassButton
from companion.core.sheet import Field, FilledSheet, Layout, Mark, Millimetres, Term
from companion.core.words import N_, Sentence
from companion.games.catalog import GAMES
from companion.tables import SEAT_COLORS, Seat, Step, Table
from companion.web.language import join_names, page_language, say

DRAWINGS_KEPT: Final = 512
"""Drawn sheets in memory, about 10 kB each at the most; a tap changes one of them."""


SLIM: Final[Millimetres] = 66.0
"""A sheet that is no wider, upright, leaves a third of a phone's width or more to the call."""


@dataclass(frozen=True, order=True)
class TapView:
    """A `core.panel.FieldTap` as the drawing needs it."""

    action: Markup
    """The action as JSON."""
    is_open: bool
    ghost: str


@dataclass(frozen=True)
class FieldView:
    """A field as the drawing needs it. Lengths are millimetres on the sheet."""

    field: Field
    text: str
    """The written text, or the one that a tap would write."""
    state: str
    """`written`, `open` (a tap is allowed), `closed` (a tap tells why not) or `empty`."""
    tap: str
    """The action of a tap as JSON; "" for none."""
    label: str


@dataclass(frozen=True)
class ValueView:
    """The printed values of one group of fields: each with `open`, `circled` or `crossed`."""

    name: str
    points: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class PlayerView:
    """One player's sheet and what this device may do with it."""

    seat: Seat
    name: str
    total: int
    is_active: bool
    is_waiting: bool
    is_winner: bool
    passing: PassButton | None
    """The button that sends `skip`; None where the player may not."""
    skip: Mapping[str, Any] | None
    drawing: Markup | None
    terms: tuple[Term, ...]
    choice: Mapping[str, object] | None
    """The panel's facts for a choice that this player makes."""
    values: tuple[ValueView, ...]
    """The printed values, which an upright sheet on a phone has no room for."""


def play_context(table: Table) -> dict[str, Any]:
    """The template's values for a game that is running or over."""
    position = table.position
    if position is None or table.game is None:
        raise ValueError("the table is still in the lobby")
    panel = table.game.panel
    seats = {seat.name: seat for seat in table.seats}
    sheets = {
        name: filled
        for name in position.players
        if (filled := table.game.filled(position, name)) is not None
    }
    winners = position.winners()
    players = [
        PlayerView(
            seat=seats[name],
            name=name,
            total=position.score(name)["total"],
            is_active=name == position.active,
            is_waiting=name in position.waiting,
            is_winner=name in winners,
            passing=panel.passing(position, name) if seats[name].may_enter else None,
            skip=table.game.skip(name) if table.game.skip else None,
            drawing=_drawing(table, sheets[name], seats[name]) if name in sheets else None,
            terms=sheets[name].terms if position.over and name in sheets else (),
            choice=panel.player_facts(position, name) if seats[name].may_enter else None,
            values=_values(sheets[name]) if name in sheets else (),
        )
        for name in position.players
    ]
    here = [player.name for player in players if _is_played_here(table, player.seat)]
    return {
        "table": table,
        "position": position,
        "hint": panel.hint(position, here),
        "panel": panel,
        "sheet_width": _sheet_width(sheets.values()),
        "facts": panel.facts(position, table.entries),
        "players": players,
        "ranking": sorted(players, key=lambda player: (not player.is_winner, -player.total)),
        "focus": _focus(table, players),
        "close": table.game.close if _may_close(table) else None,
        "closing": panel.closing(position),
        "active_seat": seats[position.active],
        "rolls_here": _is_played_here(table, seats[position.active]),
        "winner_names": join_names(winners) if winners else "",
        "undo_description": _step_description(panel, table.undoable),
        "redo_description": _step_description(panel, table.redoable),
    }


def _sheet_width(sheets: Iterable[FilledSheet]) -> str:
    """How wide the sheets are on an upright phone: `slim`, `wide`, or `none` without sheets."""
    layout = next((filled.layout for filled in sheets), None)
    if layout is None:
        return "none"
    return "slim" if (layout.upright_width or layout.height) <= SLIM else "wide"


def _focus(table: Table, players: list[PlayerView]) -> PlayerView:
    """Whose sheet a narrow screen shows first: one played here that has something to do."""
    here = [player for player in players if _is_played_here(table, player.seat)]
    waiting = [player for player in here if player.is_waiting]
    # The active player acts first, then the others in their order, those with a phone before.
    waiting.sort(key=lambda player: (not player.is_active, not player.seat.mine))
    mine = [player for player in here if player.seat.mine]
    return next(iter([*waiting, *mine, *here, *players]))


def _is_played_here(table: Table, seat: Seat) -> bool:
    """Whether this device is the one on which the seat's player taps."""
    if seat.mine:
        return True
    holds_none = not any(other.mine for other in table.seats)
    return seat.may_enter and not seat.held and (holds_none or table.me.role == "host")


def _may_close(table: Table) -> bool:
    """Whether this device may close the step for those who have not acted."""
    position = table.position
    return (
        position is not None
        and not position.over
        and table.me.role != "viewer"
        and position.active not in position.waiting
    )


def _step_description(panel: Panel, step: Step | None) -> Sentence:
    if step is None or step.action is None:
        return Sentence(N_("the last change"))
    return panel.describe(None, step.action)


def _drawing(table: Table, filled: FilledSheet, seat: Seat) -> Markup:
    position, panel = table.position, table.game.panel
    taps = panel.taps(position, seat.name) if seat.may_enter else {}
    title = gettext("Sheet of %(player)s", player=seat.name)
    marks, barred = panel.marks(position, seat.name), panel.barred(position, seat.name)
    return draw(filled, taps, title, marks, barred)


def _values(filled: FilledSheet) -> tuple[ValueView, ...]:
    """The values that the upright sheet leaves out, by the groups of their fields."""
    marks, layout = filled.marks, filled.layout
    points: dict[str, list[tuple[str, str]]] = {}
    for field in layout.fields:
        if field.kind == "value" and field.box.y > (layout.upright_width or layout.height):
            state = str(marks.get(field.id) or "open")
            points.setdefault(field.group, []).append((field.print, state))
    return tuple(ValueView(name, tuple(both)) for name, both in points.items())


def draw(
    filled: FilledSheet,
    taps: Mapping[str, FieldTap],
    title: str,
    others: Mapping[str, Mark] | None = None,
    barred: frozenset[str] = frozenset(),
) -> Markup:
    """The sheet as SVG.

    `taps` are the fields that answer a tap, `others` are further marks, and `barred` the fields in
    which nothing can be entered any more.
    """
    marks = {**(others or {}), **filled.marks}
    views = {
        field: TapView(as_json(tap.action), tap.is_open, tap.ghost) for field, tap in taps.items()
    }
    key = (tuple(sorted(marks.items())), tuple(sorted(views.items())))
    return _draw(filled.layout, *key, barred, title, page_language())


def as_json(value: object) -> Markup:
    """JSON for an attribute in single quotes, with the names in their order."""
    return htmlsafe_json_dumps(value, dumps=_compact)


_compact: Final = partial(json.dumps, separators=(",", ":"))


# Most sheets at a table have not changed since they were last drawn, and several phones draw
# the same one.
@lru_cache(maxsize=DRAWINGS_KEPT)
def _draw(
    layout: Layout,
    marks: tuple[tuple[str, Mark], ...],
    taps: tuple[tuple[str, TapView], ...],
    barred: frozenset[str],
    title: str,
    language: str,
) -> Markup:
    written, answers = dict(marks), dict(taps)
    fields = [
        _field(field, written.get(field.id), answers.get(field.id)) for field in layout.fields
    ]
    drawn = render_template(
        "fragments/sheet.svg", layout=layout, fields=fields, barred=barred, title=title
    )
    return Markup(drawn)  # noqa: S704 - a template's output, already escaped


def _field(field: Field, mark: Mark, tap: TapView | None) -> FieldView:
    name = say(field.name)
    is_empty = mark is None or mark is False
    if field.kind == "value":
        state = str(mark) if mark else "empty"
        labels = {"circled": N_("%(field)s: circled"), "crossed": N_("%(field)s: crossed")}
        label = _said(labels[state], name) if state in labels else name
        return FieldView(field, field.print, state, "", label)
    if not is_empty:
        text = "×" if mark is True else str(mark)
        label = _said(N_("%(field)s: crossed"), name) if mark is True else f"{name}: {text}"
        return FieldView(field, text, "written", tap.action if tap else "", label)
    if tap is None:
        return FieldView(field, "", "empty", "", _said(N_("%(field)s: empty"), name))
    if tap.is_open:
        if field.kind == "cross":
            label = _said(N_("%(field)s: cross it"), name)
        else:
            label = gettext("%(field)s: write %(number)s", field=name, number=tap.ghost)
        return FieldView(field, tap.ghost, "open", tap.action, label)
    label = _said(N_("%(field)s: not possible now"), name)
    return FieldView(field, "", "closed", tap.action, label)


def _said(text: str, name: str) -> str:
    return say(Sentence(text, {"field": name}))


SEAT_COLOR_WORDS: Final[Mapping[str, str]] = {
    "red": N_("red"),
    "blue": N_("blue"),
    "green": N_("green"),
    "yellow": N_("yellow"),
    "purple": N_("purple"),
    "orange": N_("orange"),
    "pink": N_("pink"),
    "teal": N_("teal"),
}
"""Key of `SEAT_COLORS` → the colour's word. It has nothing to do with the colours of a sheet."""


def lobby_context(table: Table) -> dict[str, Any]:
    """The template's values for a table at which nothing has been started."""
    taken = {seat.color for seat in table.seats}
    free = [color for color in SEAT_COLORS if color not in taken]
    return {
        "table": table,
        "games": list(GAMES.values()),
        "options": table.game.panel.options,
        "seat_colors": SEAT_COLOR_WORDS,
        "next_color": free[0] if free else SEAT_COLORS[0],
    }
