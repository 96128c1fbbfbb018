"""The parts of a table's page while a game is played: each drawn once for all who see the same.

A part is a template in `templates/table/parts/`. The page puts the parts into their places
(`templates/table/fragments/play.html`); afterwards only parts that changed are sent; see `push` and
`static/js/table/parts.js`.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final

from flask import current_app
from flask_babel import gettext
from markupsafe import Markup

from companion.core.sheet import Layout
from companion.core.values import Player
from companion.tables import Table
from companion.web.page.language import page_language
from companion.web.table.device_view import DeviceView
from companion.web.table.shared_view import SHEET, SharedView, Values, ValuesByPart, position_of
from companion.web.table.sheet_drawing import (
    DrawnFields,
    change_of,
    compact_json,
    content_hash,
    drawn_fields,
    sheet_around,
)

SHAPES_KEPT: Final = 2048
# Drawings of one part in memory: what devices see now, and what they saw in a turn before
KEPT: Final = 16
# Tables whose parts are kept in memory, 0.2 MB each with four players; open streams keep theirs
# besides
DRAWINGS_KEPT: Final = 256
# Width by height of the widest upright sheet that is whole in view and leaves room for the call
# beside it: 234 of 360 pixels by 531 of 640
SLIM: Final = 0.44
COLUMN: Final = "column"  # sheets of lines, which have a style sheet of this name
LOW: Final = 2  # width by height of lying sheets that a tablet shows over all of its width


class Part:
    """A part with the values that some devices see."""

    def __init__(self, name: str, values: Values, html: Markup) -> None:
        self.name: Final = name
        self.values = values
        self.html: Final = html

    @property
    def attributes(self) -> Markup:
        """The attribute of the element that holds the part."""
        return Markup('data-drawn="{}"').format(self.name)

    def change(self, before: Part) -> str:
        """The change from `before` to this part, as JSON; "" where nothing differs."""
        return "" if before.html == self.html else self._json

    @cached_property
    def _json(self) -> str:
        return compact_json({"part": self.name, "html": self.html})


class SheetPart(Part):
    """A sheet; only its fields change."""

    def __init__(self, name: str, values: Values, fields: DrawnFields) -> None:
        super().__init__(name, values, Markup())
        self.layout: Final[Layout] = values["filled"].layout
        self.fields: Final = fields

    def change(self, before: Part) -> str:
        """The fields that differ from `before`, as JSON; "" for none."""
        known = before.fields if isinstance(before, SheetPart) else {}
        changes = []
        for field, drawn in self.fields.items():
            if known.get(field) is not drawn:
                changes.append(f'"{field}":{change_of(known.get(field), drawn)}')
        return f'{{"part":"{self.name}","fields":{{{",".join(changes)}}}}}' if changes else ""


@dataclass(frozen=True)
class Snapshot:
    """The page that a device shows: all of its parts, and the attributes of the table's element."""

    shape: str  # a hash of everything outside of parts; where it differs, the whole page is fetched
    facts: Mapping[str, str]  # the `data-` attributes of the table's element
    parts: Mapping[str, Part]

    @property
    def version(self) -> int:
        return int(self.facts["version"])

    def update(self, before: Snapshot) -> Iterator[str]:
        """The update to this page from `before`: the attributes around the parts, and the changes.

        Each is an object of JSON; see `static/js/table/parts.js`.
        """
        facts = compact_json(self.facts)
        yield f'{{"from":{before.version},"shape":"{self.shape}","facts":{facts}}}'
        if before.shape == self.shape and before.parts.keys() == self.parts.keys():
            for name, part in self.parts.items():
                known = before.parts[name]
                if known is not part and (change := part.change(known)):
                    yield change


class Drawing:
    """All parts of a table at one version, drawn as they are asked for."""

    def __init__(self, table: Table, before: Drawing | None = None) -> None:
        """A drawing of nothing yet; parts whose values are those of `before` are taken over."""
        self.version: Final = table.version
        # The players whose entries are concealed → what all devices see alike that see no more
        self._shared: Final[dict[frozenset[Player], SharedView]] = {}
        self._before: Final = next(iter(before._shared.values()), None) if before else None
        self._lock: Final[threading.Lock] = before._lock if before is not None else threading.Lock()
        # (name, language) → the part's last drawing, whatever its values
        self._drawn: Final[dict[tuple[str, str], list[Part]]] = (
            before._drawn if before is not None else defaultdict(list)
        )
        # (language, the players whose entries are concealed) → the parts that are seen alike
        self._seen_by_all: Final[dict[tuple[str, frozenset[Player]], dict[str, Part]]] = {}

    def seen_by(self, table: Table, before: Snapshot | None) -> Snapshot:
        """The page as a device sees it, in the page's language.

        Args:
            table: the same table at the same version, as the device sees it.
            before: what the device saw last in this language, which is mostly what it sees now.
        """
        with self._lock:
            if table.hidden not in self._shared:
                self._shared[table.hidden] = SharedView(table, self._before)
            shared = self._shared[table.hidden]
        language, view = page_language(), DeviceView(table, shared)
        seen = (language, table.hidden)
        known = before.parts if before is not None else {}
        with self._lock:
            if seen not in self._seen_by_all:
                self._seen_by_all[seen] = self._parts(shared.parts, language, known)
            parts = {**self._seen_by_all[seen], **self._parts(view.parts, language, known)}
        return Snapshot(_shape(table, language), view.root, parts)

    def _parts(
        self, wanted: ValuesByPart, language: str, known: Mapping[str, Part]
    ) -> dict[str, Part]:
        found = {}
        for name, values in wanted.items():
            part = known.get(name)
            if part is None or part.values != values:
                part = self._part(name, values, language)
            # The values of now: they are the very objects that the next device brings.
            part.values = values
            found[name] = part
        return found

    def _part(self, name: str, values: Values, language: str) -> Part:
        """The part for these values; drawn only if it was not drawn lately."""
        drawn = self._drawn[name, language]
        for part in drawn:
            if part.values == values:
                return part
        if name == "acts":
            # A tap changes one player's line.
            lines = [self._part(f"act-{n}", act, language) for n, act in enumerate(values["acts"])]
            part = Part(name, values, Markup("\n").join(line.html for line in lines))
        else:
            part = _draw(name, values)
        drawn.append(part)
        del drawn[:-KEPT]
        return part


def _draw(name: str, values: Values) -> Part:
    kind = name.partition("-")[0]
    if kind == SHEET:
        return SheetPart(name, values, drawn_fields(**values))
    folder = f"games/{values['game'].package}" if kind == "panel" else "table/parts"
    template = current_app.jinja_env.get_template(f"{folder}/{kind}.html")
    html = without_indentation(template.render(values)).strip()
    return Part(name, values, Markup(html))  # noqa: S704 - a template's output


def _shape(table: Table, language: str) -> str:
    """The hash of everything outside of parts."""
    seats = tuple((seat.id, seat.name, seat.color, seat.mine) for seat in table.seats)
    options, players = tuple(table.options.items()), position_of(table).players
    around = (
        table.phase,
        table.game.packages,
        options,
        table.number,
        table.me.role,
        seats,
        players,
    )
    return _shape_of(_build(), language, around)


def without_indentation(html: str) -> str:
    """HTML with neither indentation nor empty lines, which mean nothing on the table's page."""
    return _INDENTATION.sub("\n", html)


_INDENTATION: Final = re.compile(r"\n\s+")


@lru_cache(maxsize=SHAPES_KEPT)
def _shape_of(build: str, language: str, around: tuple[object, ...]) -> str:
    return content_hash(build, language, compact_json(around))


def _build() -> str:
    """The value of `data-build`; the same for as long as the process runs."""
    kept = current_app.extensions
    if "build" not in kept:
        names: Any = current_app.jinja_env.globals
        kept["build"] = f"{names['version']} {names['script_hash']('table')}"
    return str(kept["build"])


class Drawings:
    """The parts of the tables that were shown last. Thread-safe."""

    def __init__(self) -> None:
        self._lock: Final = threading.Lock()
        self._kept: Final[OrderedDict[str, Drawing]] = OrderedDict()

    def snapshot(self, table: Table, before: Snapshot | None = None) -> Snapshot:
        """The page as a device sees it, in the page's language; see `Drawing.seen_by`."""
        if table.phase != "playing":
            # Before and after the game every change is a whole page.
            facts = {"version": str(table.version), "phase": table.phase, "moment": table.moment}
            return Snapshot(content_hash(_build(), table.phase, str(table.version)), facts, {})
        return self._drawing_of(table).seen_by(table, before)

    def _drawing_of(self, table: Table) -> Drawing:
        """The table's parts at its version, while a game is played."""
        with self._lock:
            kept = self._kept.get(table.id)
            if kept is not None and kept.version == table.version:
                self._kept.move_to_end(table.id)
                return kept
            drawing = Drawing(table, kept)
            if kept is None or kept.version < table.version:
                self._kept[table.id] = drawing
                self._kept.move_to_end(table.id)
            while len(self._kept) > DRAWINGS_KEPT:
                self._kept.popitem(last=False)
            return drawing


def drawings() -> Drawings:
    kept: Drawings = current_app.extensions["drawings"]
    return kept


def play_context(table: Table, snapshot: Snapshot) -> dict[str, Any]:
    """The values for the page of a game that is played: the places of the snapshot's parts."""
    sheets = {}
    for seat in table.seats:
        sheet = snapshot.parts.get(f"{SHEET}-{seat.id}")
        if isinstance(sheet, SheetPart):
            title = gettext("Sheet of %(player)s", player=seat.name)
            sheets[seat.id] = sheet_around(sheet.layout, title, sheet.fields)
    layouts = [part.layout for part in snapshot.parts.values() if isinstance(part, SheetPart)]
    return {
        "table": table,
        "parts": snapshot.parts,
        "players": list(map(table.seat_named, position_of(table).players)),
        "mine": {seat.id for seat in table.seats if seat.mine},
        "focus": int(snapshot.facts["focus"]),
        "sheets": sheets,
        "sheet_shape": _sheet_shape(layouts[0]) if layouts else "none",
    }


def _sheet_shape(layout: Layout) -> str:
    """The layouts for the sheets' shape: `slim` while upright, `low` while lying, or a `column`."""
    width, height = layout.upright_size
    shape = ["slim"] if width / height <= SLIM else ["wide"]
    if layout.width / layout.height >= LOW:
        shape.append("low")
    if layout.is_column:
        shape.append(COLUMN)
    return " ".join(shape)
