"""The parts of a table's page while a game is played: each drawn once for all who see the same.

A part is a template in `templates/table/parts/`. Its hash says what it holds, in every process
alike. The page puts the parts into their places (`templates/table/fragments/play.html`); afterwards
only parts that changed are sent; see `push` and `static/js/table/parts.js`.
"""

from __future__ import annotations

import json
import re
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import Any, Final, TypeAlias

from flask import current_app
from flask_babel import gettext
from markupsafe import Markup

from companion.core.sheet import FilledSheet
from companion.core.values import Player
from companion.tables import Seat, Table
from companion.web.page.language import page_language
from companion.web.table import view
from companion.web.table.drawing import Faces, change_of, content_hash, faces, sheet_around
from companion.web.table.viewer import Answers, Device, Seen, Shared

TABLE_PARTS: Final = ("turn", "steps", "news", "hint", "panel", "dock", "told")
"""The parts that a page has once: templates of these names in `templates/table/parts/`."""
PLAYER_PARTS: Final = ("tab", "total", "actions")
"""The parts that a page has for each player; their names end with the seat's number."""
VALUES: Final = "values"
"""The part with a sheet's printed values, for sheets that have some."""
LEFT: Final = "left"
"""The part with what a player has left, in games that count it."""
SHEET: Final = "sheet"
"""The part that holds a player's sheet, drawn field by field."""
SHAPES_KEPT: Final = 2048
"""Hashes of what stands around the parts, one for each device, in memory."""
VARIANTS_KEPT: Final[Mapping[str, int]] = {"hint": 16, "tab": 4, "actions": 4, "sheet": 2}
"""Part → looks of it that are kept because they come again a few taps later, the last ones."""
DRAWINGS_KEPT: Final = 256
"""Tables whose parts are kept in memory, 0.2 MB each with four players; open streams keep theirs
besides."""


class Part:
    """A part as it looks to some of those who see the table."""

    __slots__ = ("entry", "hash", "html", "name")

    def __init__(self, name: str, html: Markup, content: Iterable[str | bytes] = ()) -> None:
        """A part whose content is `html`, unless another content is given for the hash."""
        self.name: Final = name
        self.html: Final = html
        self.hash: Final = content_hash(name, *content or (html,))
        self.entry: Final = f'"{name}":"{self.hash}"'
        """The name and the hash as JSON, as every message has them."""

    @property
    def attributes(self) -> Markup:
        """The attributes of the element that holds the part."""
        return Markup('data-drawn="{}" data-v="{}"').format(self.name, self.hash)

    def change(self, before: Part | None) -> str:
        """The change from a page that shows `before` to this part, as JSON."""
        return _compact({"part": self.name, "v": self.hash, "html": self.html})


class SheetPart(Part):
    """A sheet, of which only the fields change."""

    __slots__ = ("fields",)

    def __init__(self, name: str, fields: Faces) -> None:
        super().__init__(name, Markup(), [face.digest for face in fields.values()])
        self.fields: Final = fields

    def change(self, before: Part | None) -> str:
        known = before.fields if isinstance(before, SheetPart) else {}
        fields = ",".join(
            f'"{field}":{change_of(known.get(field), face)}'
            for field, face in self.fields.items()
            if known.get(field) is not face
        )
        since = f'"from":"{before.hash}",' if before is not None and known else ""
        return f'{{"part":"{self.name}",{since}"v":"{self.hash}","fields":{{{fields}}}}}'


_compact: Final = partial(json.dumps, separators=(",", ":"))


@dataclass(frozen=True)
class Snapshot:
    """The page that a device shows: all of its parts, and what stands at the table's element."""

    shape: str
    """A hash of everything outside of parts; where it differs, the whole page is fetched."""
    facts: Mapping[str, str]
    """The `data-` attributes of the table's element."""
    parts: Mapping[str, Part]

    @property
    def version(self) -> int:
        return int(self.facts["version"])

    def header(self) -> str:
        """The snapshot without the contents of its parts, as JSON."""
        hashes = ",".join(part.entry for part in self.parts.values())
        facts = _compact(self.facts)
        return f'{{"shape":"{self.shape}","facts":{facts},"parts":{{{hashes}}}}}'

    def changes(self, before: Snapshot | None) -> list[tuple[Part | None, Part]]:
        """The parts that differ: each as it was, and as it is."""
        known = before.parts if before is not None and before.shape == self.shape else {}
        return [
            (known.get(name), part)
            for name, part in self.parts.items()
            if name not in known or known[name].hash != part.hash
        ]


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A part, and what was asked while it was drawn."""

    of_table: Answers
    of_device: Answers
    part: Part


_Memory: TypeAlias = dict[tuple[str, str, str], list[_Drawn]]
"""(kind, player, language) → the part as different devices see it, the last drawn one first."""


class Drawing:
    """All parts of a table at one version, drawn as they are asked for."""

    def __init__(self, table: Table, before: Drawing | None = None) -> None:
        """A drawing of nothing yet.

        Args:
            table: as any device sees it.
            before: the table at an earlier version, whose parts may still be right.
        """
        self.version: Final = table.version
        self._shared: Final[Shared] = Shared(table, before._shared if before is not None else None)
        self._lock: Final = threading.Lock()
        self._drawn: Final[_Memory] = {}
        self._before: Final[_Memory] = before._all() if before is not None else {}

    def seen_by(self, table: Table) -> Snapshot:
        """The page as a device sees it, in the page's language.

        Args:
            table: the same table at the same version, as the device sees it.
        """
        language = page_language()
        seen = Seen(self._shared, Device(table, self._shared))
        with self._lock:
            found = [self._part(kind, player, seen, language) for kind, player in self._places]
        parts = {part.name: part for part in found}
        return Snapshot(self._shape(table, language), self._facts(seen.device), parts)

    @cached_property
    def _places(self) -> tuple[tuple[str, Player], ...]:
        """The parts of the page: the kind of each, and whose it is."""
        shared = self._shared
        places = [(kind, "") for kind in TABLE_PARTS]
        for player, seat in shared.seats.items():
            places += [(kind, player) for kind in PLAYER_PARTS]
            if shared.answer(("filled", seat.id)) is not None:
                places.append((SHEET, player))
            places += [(kind, player) for kind in (LEFT, VALUES) if shared.answer((kind, seat.id))]
        return tuple(places)

    def _part(self, kind: str, player: Player, seen: Seen, language: str) -> Part:
        """The part as the device sees it; drawn only where nobody has seen the same."""
        key, device = (kind, player, language), seen.device
        here = self._drawn.setdefault(key, [])
        for drawn in here:
            if device.holds(drawn.of_device):
                return drawn.part
        for drawn in self._before.get(key, ()):
            if device.holds(drawn.of_device) and self._shared.holds(drawn.of_table):
                break
        else:
            seen.begin()
            part = self._draw(kind, player, seen)
            drawn = _Drawn(seen.of_table, seen.of_device, part)
        here.append(drawn)
        return drawn.part

    def _all(self) -> _Memory:
        """The parts of this version, and those of earlier ones that may look so again."""
        kept = {}
        for key, here in self._drawn.items():
            new = {drawn.part.hash for drawn in here}
            old = [drawn for drawn in self._before.get(key, ()) if drawn.part.hash not in new]
            kept[key] = [*here, *old][: max(len(here), VARIANTS_KEPT.get(key[0], 0))]
        return kept

    def _draw(self, kind: str, player: Player, seen: Seen) -> Part:
        name = f"{kind}-{self._shared.seats[player].id}" if player else kind
        if kind == SHEET:
            return SheetPart(name, self._sheet(player, seen))
        template = current_app.jinja_env.get_template(f"table/parts/{kind}.html")
        html = without_indentation(template.render(seen.context(player)))
        return Part(name, Markup(html.strip()))  # noqa: S704 - a template's output

    def _sheet(self, player: Player, seen: Seen) -> Faces:
        seat = self._shared.seats[player].id
        taps = seen.own("taps", seat)
        marks, barred = seen.shared("marks", seat), seen.shared("barred", seat)
        won = seen.shared("won", seat)
        return faces(seen.shared("filled", seat), taps, player, marks, barred, won)

    def _facts(self, device: Device) -> dict[str, str]:
        shared, table = self._shared, device.table
        position = shared.position
        others: tuple[Seat, ...] = device.answer(("others", 0))
        drawn = shared.answer(("drawn_at", 0))
        return {
            "version": str(table.version),
            "phase": table.phase,
            "moment": position.fingerprint,
            "focus": str(view.focus(table).id),
            "active": str(shared.seats[position.active].id),
            "by": position.active,
            "timer": str(table.turn_timer),
            "rolls": "yes" if device.answer(("rolls_here", 0)) else "no",
            "waiting": " ".join(str(shared.seats[name].id) for name in position.waiting),
            "step": str(position.step),
            "others": " ".join(str(seat.id) for seat in others),
            "helps": " ".join(str(seat.id) for seat in others if seat.may_enter),
            **({} if drawn is None else {"rolled": str(drawn)}),
        }

    def _shape(self, table: Table, language: str) -> str:
        seats = tuple((seat.id, seat.name, seat.color, seat.mine) for seat in table.seats)
        options = tuple(table.options.items())
        look = (table.phase, table.game.rooms, options, table.number, table.me.role, seats)
        return _shape_of(_build(), language, look)


def without_indentation(html: str) -> str:
    """HTML with neither indentation nor empty lines, which mean nothing on the table's page."""
    return _INDENTATION.sub("\n", html)


_INDENTATION: Final = re.compile(r"\n\s+")


@lru_cache(maxsize=SHAPES_KEPT)
def _shape_of(build: str, language: str, look: tuple[object, ...]) -> str:
    return content_hash(build, language, _compact(look))


def _build() -> str:
    """The value of `data-build`; the same for as long as the process runs."""
    kept = current_app.extensions
    if "build" not in kept:
        names: Any = current_app.jinja_env.globals
        kept["build"] = f"{names['version']} {names['script_hash']('table')}"
    return str(kept["build"])


def whole(table: Table) -> Snapshot:
    """The page before or after the game: it has no parts, so every change is a whole page."""
    facts = {"version": str(table.version), "phase": table.phase, "moment": ""}
    return Snapshot(content_hash(_build(), table.phase, str(table.version)), facts, {})


class Drawings:
    """The parts of the tables that were looked at last. Thread-safe."""

    def __init__(self) -> None:
        self._lock: Final = threading.Lock()
        self._kept: Final[OrderedDict[str, Drawing]] = OrderedDict()

    def snapshot(self, table: Table) -> Snapshot:
        """The page as a device sees it, in the page's language."""
        return self.of(table).seen_by(table) if table.phase == "playing" else whole(table)

    def of(self, table: Table) -> Drawing:
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
    """The parts that this app has drawn."""
    kept: Drawings = current_app.extensions["drawings"]
    return kept


@dataclass(frozen=True)
class Place:
    """A player's places on the page."""

    seat: Seat
    name: str
    is_active: bool
    is_waiting: bool
    is_focus: bool
    drawing: Markup | None


def play_context(table: Table, snapshot: Snapshot) -> dict[str, Any]:
    """The values for the page of a game that is played: the places of the snapshot's parts."""
    shared = Shared(table)
    places = []
    sheets = []
    for name, seat in shared.seats.items():
        sheet = snapshot.parts.get(f"{SHEET}-{seat.id}")
        filled: FilledSheet | None = shared.filled(seat.id)
        drawing = None
        if filled is not None and isinstance(sheet, SheetPart):
            sheets.append(filled)
            title = gettext("Sheet of %(player)s", player=name)
            drawing = sheet_around(filled.layout, title, sheet.fields)
        places.append(
            Place(
                seat=seat,
                name=name,
                is_active=shared.is_active(seat.id),
                is_waiting=shared.is_waiting(seat.id),
                is_focus=snapshot.facts["focus"] == str(seat.id),
                drawing=drawing,
            )
        )
    return {
        "table": table,
        "panel": table.game.panel,
        "parts": snapshot.parts,
        "players": places,
        "sheet_width": view.sheet_width(sheets),
    }
