"""Drawn sheets and dice: each field on its own, so that a tap draws the fields that it changes.

No field contains a player's name, so that all tables share the drawings: `BY` is in an action
where the name goes, and the script takes the name from the element around the sheet.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from hashlib import blake2b
from itertools import chain, repeat
from typing import Any, Final, TypeAlias

from flask import current_app, render_template
from flask_babel import gettext
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup, escape

from companion.core.panel import BARRED, FieldTap
from companion.core.sheet import Field, FilledSheet, Layout, Mark
from companion.core.values import Player
from companion.core.words import N_, Sentence
from companion.web.page.language import page_language, say

BY: Final = "$by"  # The placeholder of the player's name in a field's action
CHOICES: Final = "$"  # The key in a field's action that names what it leaves open
FIELDS_KEPT: Final = 8192  # Drawn fields in memory, about 1 kB each, for all tables together
PRINTED_KEPT: Final = 4096
CHANGES_KEPT: Final = 8192
# Drawn rows of dice (at most 42 of a game, about 2 kB each) and cards (about 0.5 kB) in memory
MACROS_KEPT: Final = 2048
HASH_BYTES: Final = 4


@dataclass(frozen=True)
class FieldView:
    """A field as the drawing needs it. Lengths are millimetres on the sheet."""

    field: Field
    text: str  # the written text, or the one that a tap would write
    # `written`, `open` (a tap is allowed), `early` (a tap is held), `costs` (a tap loses points),
    # `choice` (a tap asks for the value), `closed` (a tap shows why not) or `empty`.
    state: str
    tap: str  # the action of a tap as JSON that is safe in an attribute; "" for none
    label: str
    won: str = ""  # the points at the field; see `won_fields`


@dataclass(frozen=True, eq=False, slots=True)
class DrawnField:
    """A drawn field. Compared by identity: equal drawings are the same object."""

    classes: str
    label: str
    tap: str  # the action of a tap as JSON; "" for none
    inside: str  # the writing in the field, as SVG
    markup: Markup


# A sheet's drawn fields by their ids, in the order in which they are drawn
DrawnFields: TypeAlias = Mapping[str, DrawnField]


def drawn_fields(
    filled: FilledSheet,
    taps: Mapping[str, FieldTap],
    player: Player = "",
    others: Mapping[str, Mark] | None = None,
    won: Mapping[str, str] | None = None,
) -> DrawnFields:
    """The sheet's fields in the page's language.

    Args:
        taps: the fields that answer a tap.
        player: whose sheet it is; the fields do not contain the name.
        others: further marks; see `Panel.marks`.
        won: the fields that show points; see `won_fields`.
    """
    marks, layout, language = filled.marks, filled.layout, page_language()
    others = others or {}
    barred = {name for name, mark in others.items() if mark == BARRED}
    marks = {**{name: others[name] for name in others if name not in barred}, **marks}
    drawn = {}
    for number, field in enumerate(layout.fields):
        name = field.id
        tap = _tap_key(taps[name], player) if name in taps else None
        points = (won or {}).get(name, "")
        mark, is_barred = marks.get(name), name in barred
        drawn[name] = _drawn_field(layout, number, mark, tap, is_barred, points, language)
    for number, place in enumerate(layout.sums):
        drawn[place.id] = _drawn_sum(layout, number, (won or {}).get(place.id, ""), language)
    return drawn


def won_fields(filled: FilledSheet) -> dict[str, str]:
    """Field → the points there: "✓17" or "✓17 + 9" if complete, else "6" or "6/63"."""
    won: dict[str, str] = {}
    shown = {place.id for place in filled.layout.sums}
    blanks = filled.kind.paper(filled.board).term_blanks if shown else ()
    for term, blank in zip(filled.terms, chain(blanks, repeat("")), strict=False):
        if term.won_at:
            before = won.get(term.won_at)
            won[term.won_at] = f"{before} + {term.points}" if before else f"✓{term.points}"
        elif term.points and (place := term.so_far_at or (blank if blank in shown else "")):
            won[place] = f"{term.points}/{term.aim}" if term.aim else str(term.points)
    return won


def draw(
    filled: FilledSheet,
    taps: Mapping[str, FieldTap],
    title: str,
    others: Mapping[str, Mark] | None = None,
    player: Player = "",
    changed: Mapping[str, Mark] | None = None,
) -> Markup:
    """The sheet as SVG; see `drawn_fields`.

    Args:
        changed: fields with the marks of a sheet that is corrected to this one. Those that are gone
            are crossed out, and the new ones are green.
    """
    gone = {field: mark for field, mark in (changed or {}).items() if not filled.marks.get(field)}
    marks, won = {**(others or {}), **gone}, won_fields(filled)
    drawn = dict(drawn_fields(filled, taps, player, marks, won))
    for field in changed or ():
        known = "gone" if field in gone else "new"
        markup = str(drawn[field].markup).replace('class="f', f'class="f {known}', 1)
        drawn[field] = replace(drawn[field], markup=Markup(markup))  # noqa: S704 - escaped before
    return sheet_around(filled.layout, title, drawn)


def differences(before: FilledSheet, after: FilledSheet) -> dict[str, Mark]:
    """The fields that differ between two sheets, with their marks on the first one."""
    differing = {}
    for field in after.layout.fields:
        old, new = before.marks.get(field.id), after.marks.get(field.id)
        if (old or None) != (new or None):
            differing[field.id] = old
    return differing


def field_views(filled: FilledSheet) -> list[FieldView]:
    """The fields of a sheet that can no longer be written on."""
    return [_view(field, filled.marks.get(field.id), None) for field in filled.layout.fields]


def sheet_around(layout: Layout, title: str, fields: DrawnFields) -> Markup:
    fold = layout.fold if layout.is_column else layout.height
    upper = [fields[name].markup for name, box in layout.places.items() if box.y < fold]
    lower = [fields[name].markup for name, box in layout.places.items() if box.y >= fold]
    parts = [Markup("\n").join(part) for part in (upper, lower)]
    drawn = render_template("sheet/sheet.svg", layout=layout, parts=parts, title=title)
    return Markup(drawn)  # noqa: S704 - a template's output, already escaped


def content_hash(*texts: str | bytes) -> str:
    """A short hash that is the same in every process."""
    digest = blake2b(digest_size=HASH_BYTES)
    for text in texts:
        digest.update(text.encode() if isinstance(text, str) else text)
        digest.update(b"\0")
    return digest.hexdigest()


@lru_cache(maxsize=CHANGES_KEPT)
def change_of(before: DrawnField | None, after: DrawnField) -> str:
    """The differences between two drawings of a field, as JSON; all where the first is unknown.

    `c` is the class, `l` the label, `t` the tap (null for none) and `m` what is written inside.
    """
    new, old = _short(after), _short(before) if before else {}
    return compact_json({key: new[key] for key in new if key not in old or new[key] != old[key]})


def _short(field: DrawnField) -> dict[str, str | None]:
    """A drawn field by the keys of `change_of`."""
    return {"c": field.classes, "l": field.label, "t": field.tap or None, "m": field.inside}


def as_json(value: object) -> Markup:
    """JSON for an attribute in single quotes, with the names in their order."""
    return htmlsafe_json_dumps(value, dumps=compact_json)


compact_json: Final = partial(json.dumps, separators=(",", ":"))

# A `core.panel.FieldTap` without the player's name: state, ghost, the action as JSON
_TapKey: TypeAlias = tuple[str, str, str]


def _tap_key(tap: FieldTap, player: Player) -> _TapKey:
    action: Any = tap.action
    state = "open" if tap.is_open else "early" if tap.is_early else "closed"
    state = "costs" if tap.costs else "choice" if tap.choices else state
    if player and action.get("by") == player:
        action = {**action, "by": BY}
    if tap.choices:
        return state, tap.ghost, str(as_json({**action, CHOICES: tap.choices}))
    try:
        return state, tap.ghost, _action_json(*action.items())
    except (AttributeError, TypeError):  # it holds a list
        return state, tap.ghost, str(as_json(action))


@lru_cache(maxsize=FIELDS_KEPT, typed=True)
def _action_json(*items: tuple[str, Any]) -> str:
    return str(as_json(dict(items)))


@lru_cache(maxsize=FIELDS_KEPT, typed=True)
def _drawn_field(
    layout: Layout,
    number: int,
    mark: Mark,
    tap: _TapKey | None,
    is_barred: bool,
    won: str,
    language: str,
) -> DrawnField:
    field = layout.fields[number]
    view = _view(field, mark, tap)
    if won:
        view = replace(view, won=won, label=". ".join((view.label, gettext("Points:") + " " + won)))
    classes = " ".join(filter(None, ("f", field.kind, field.color, view.state)))
    if is_barred and view.state != "written":
        classes += " barred"
    inside = _tight(_macros().written(view))
    x, y = field.box.center
    data_tap = f" data-tap='{view.tap}'" if view.tap else ""
    is_button = view.state in ("open", "early", "costs", "choice")
    role = 'role="button" tabindex="0"' if is_button else 'role="img"'
    markup = (
        f'<g class="{classes}" data-f="{field.id}" aria-label="{escape(view.label)}"'
        f' transform="translate({x} {y})"{data_tap} {role}><g class="u">'
        f'{_printed(layout, number, language)}<g class="m">{inside}</g></g></g>'
    )
    return DrawnField(classes, view.label, view.tap, inside, Markup(markup))  # noqa: S704 - escaped above


@lru_cache(maxsize=FIELDS_KEPT)
def _drawn_sum(layout: Layout, number: int, text: str, _language: str) -> DrawnField:
    place = layout.sums[number]
    caption = say(place.caption) if place.caption else ""
    label = f"{caption}: {text}" if text else caption
    inside = f'<text class="label" dy=".36em">{escape(text)}</text>' if text else ""
    x, y = place.box.center
    markup = (
        f'<g class="sum" data-f="{place.id}" aria-label="{escape(label)}" role="img"'
        f' transform="translate({x} {y})"><g class="u"><g class="m">{inside}</g></g></g>'
    )
    return DrawnField("sum", label, "", inside, Markup(markup))  # noqa: S704 - escaped above


@lru_cache(maxsize=PRINTED_KEPT)
def _printed(layout: Layout, number: int, _language: str) -> str:
    """The outline, symbol and letter of a field, which stay as they are."""
    return _tight(_macros().printed(layout.fields[number]))


def _macros() -> Any:
    return current_app.jinja_env.get_template("sheet/field.svg").module


def _tight(drawn: str) -> str:
    """A drawing without the line breaks of its template; a page has a hundred fields."""
    return _BREAK.sub(" ", _BETWEEN.sub("><", drawn.strip()))


_BETWEEN: Final = re.compile(r">\s+<")
_BREAK: Final = re.compile(r"\s*\n\s*")


def _view(field: Field, mark: Mark, tap: _TapKey | None) -> FieldView:
    name = say(field.name)
    is_empty = mark is None or mark is False
    if field.kind == "value":
        state = str(mark) if mark else "empty"
        labels = {"circled": N_("%(field)s: circled"), "crossed": N_("%(field)s: crossed")}
        label = _labelled(labels[state], name) if state in labels else name
        return FieldView(field, field.print, state, "", label)
    state, ghost, json_text = tap or ("empty", "", "")
    if not is_empty:
        text = "×" if mark is True else str(mark)
        label = _labelled(N_("%(field)s: crossed"), name) if mark is True else f"{name}: {text}"
        return FieldView(field, text, "written", json_text, label)
    if tap is None:
        return FieldView(field, "", "empty", "", _labelled(N_("%(field)s: empty"), name))
    if state == "early":
        label = _labelled(N_("%(field)s: as soon as the others are done"), name)
        return FieldView(field, ghost, state, json_text, label)
    if state == "choice":
        label = _labelled(N_("%(field)s: how many points?"), name)
        return FieldView(field, ghost, state, json_text, label)
    if state in ("open", "costs"):
        if field.kind == "cross":
            label = _labelled(N_("%(field)s: cross it"), name)
            if field.print not in label:  # voice control uses the printed text
                label += f", {field.print}"
        else:
            label = gettext("%(field)s: write %(number)s", field=name, number=ghost)
        return FieldView(field, ghost, state, json_text, label)
    label = _labelled(N_("%(field)s: not possible now"), name)
    return FieldView(field, "", "closed", json_text, label)


def _labelled(text: str, name: str) -> str:
    return say(Sentence(text, {"field": name}))


def die(color: Mapping[str, str], faces: Sequence[int], part: str, shown: int | None) -> Markup:
    """A die's faces as buttons, drawn once for all tables.

    Args:
        color: with a `name`, a `word` and a `letter`.
        part: the part of the action that the die is.
        shown: the face that has been tapped.
    """
    style = (color["name"], color["word"], color["letter"])
    return kept("table/fragments/die.html", "die", *style, tuple(faces), part, shown)


def kept(template: str, macro: str, *values: Hashable) -> Markup:
    """A template macro's drawing of these values, made once for all tables in each language."""
    return _kept(template, macro, values, page_language())


@lru_cache(maxsize=MACROS_KEPT, typed=True)
def _kept(template: str, macro: str, values: tuple[Hashable, ...], _language: str) -> Markup:
    macros: Any = current_app.jinja_env.get_template(template).module
    return Markup(getattr(macros, macro)(*values).strip())  # noqa: S704 - a template's output
