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
from typing import Any, Final, Literal, TypeAlias

from flask import current_app
from flask_babel import gettext
from markupsafe import Markup

from companion.core.sheet import Layout, Millimetres
from companion.core.values import Player
from companion.tables import Table
from companion.web.page.language import page_language
from companion.web.table.contents import Own, Shared, focus, played_elsewhere
from companion.web.table.sheet_drawing import Faces, change_of, content_hash, faces, sheet_around

Sharing: TypeAlias = Literal["shared", "own"]
"""A shared part is drawn once for all phones with the same language. An own part is drawn for each
device, or once for those for which the method of `Own` with its name has equal values."""

TABLE_PARTS: Final[Mapping[str, Sharing]] = {
    "turn": "shared",
    "news": "shared",
    "steps": "own",
    "hint": "own",
    "panel": "own",
    "dock": "own",
    "notes": "own",
    "acts": "own",
}
"""The parts that a page has once: templates of these names in `templates/table/parts/`."""
PLAYER_PARTS: Final[Mapping[str, Sharing]] = {"tab": "shared", "total": "shared", "actions": "own"}
"""The parts that a page has for each player; their names end with the seat's number."""
SHEET: Final = "sheet"
"""The part that holds a player's sheet, drawn field by field."""
SHEET_PARTS: Final[Mapping[str, Sharing]] = {SHEET: "own", "left": "shared", "printed": "shared"}
"""The parts of a sheet: the last two for sheets that count what is left or have printed values."""
SHARING: Final = {**TABLE_PARTS, **PLAYER_PARTS, **SHEET_PARTS}

SHAPES_KEPT: Final = 2048
"""Hashes of what stands around the parts, one for each device, in memory."""
DRAWINGS_KEPT: Final = 256
"""Tables whose parts are kept in memory, 0.2 MB each with four players; open streams keep theirs
besides."""
SLIM: Final[Millimetres] = 66.0
"""A sheet that is no wider, upright, leaves a third of a phone's width or more to the call."""


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

    __slots__ = ("fields", "layout")

    def __init__(self, name: str, layout: Layout, fields: Faces) -> None:
        super().__init__(name, Markup(), [face.digest for face in fields.values()])
        self.layout: Final = layout
        self.fields: Final = fields

    def change(self, before: Part | None) -> str:
        """The fields that differ from `before`, as JSON; all of them without it."""
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
        """The table's version that the page shows."""
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


class Drawing:
    """All parts of a table at one version, drawn as they are asked for."""

    def __init__(self, table: Table, before: Drawing | None = None) -> None:
        """A drawing of nothing yet.

        Args:
            table: as any device sees it.
            before: the table at an earlier version.
        """
        self.version: Final = table.version
        self._shared: Final[Shared] = Shared(table, before._shared if before is not None else None)
        self._lock: Final = threading.Lock()
        self._drawn: Final[dict[tuple[str, Player, str], list[tuple[object, Part]]]] = {}
        """(kind, player, language) → each look of the part, after the own values that it shows."""

    def seen_by(self, table: Table) -> Snapshot:
        """The page as a device sees it, in the page's language.

        Args:
            table: the same table at the same version, as the device sees it.
        """
        language, own = page_language(), Own(table, self._shared)
        with self._lock:
            found = [self._part(kind, player, own, language) for kind, player in self._places]
        parts = {part.name: part for part in found}
        return Snapshot(_shape(table, language), _facts(table, self._shared, own), parts)

    @cached_property
    def _places(self) -> tuple[tuple[str, Player], ...]:
        """The parts of the page: the kind of each, and whose it is."""
        places = [(kind, "") for kind in TABLE_PARTS]
        for name, player in self._shared.players.items():
            places += [(kind, name) for kind in PLAYER_PARTS]
            places += [(SHEET, name)] if player.filled is not None else []
            places += [(kind, name) for kind in ("left", "printed") if getattr(player, kind)]
        return tuple(places)

    def _part(self, kind: str, player: Player, own: Own, language: str) -> Part:
        """The part as the device sees it; drawn only where nobody has seen the same."""
        values = getattr(own, kind)(player) if SHARING[kind] == "own" else None
        looks = self._drawn.setdefault((kind, player, language), [])
        for shown, part in looks:
            if shown == values:
                return part
        part = self._draw(kind, player, values)
        looks.append((values, part))
        return part

    def _draw(self, kind: str, name: Player, own: Mapping[str, Any] | None) -> Part:
        player = self._shared.players.get(name)
        part = f"{kind}-{player.id}" if player else kind
        if kind == SHEET and player and player.filled and own:
            taps = player.taps if own["may_write"] else {}
            taps = {**taps, **(player.early if own["is_early"] else {})}
            shared = self._shared
            marks = shared.panel.marks(shared.position, name)
            barred = shared.panel.barred(shared.position, name)
            drawn = faces(player.filled, taps, name, marks, barred, player.won)
            return SheetPart(part, player.filled.layout, drawn)
        template = current_app.jinja_env.get_template(f"table/parts/{kind}.html")
        html = template.render(self._shared.values, player=player, own=own)
        return Part(part, Markup(without_indentation(html).strip()))  # noqa: S704 - a template's output


def _facts(table: Table, shared: Shared, own: Own) -> dict[str, str]:
    """The `data-` attributes of the table's element, which the scripts read."""
    position, players = shared.position, shared.players
    others = played_elsewhere(table)
    rolled = {} if shared.last_roll is None else {"rolled": str(shared.last_roll)}
    handing = {"handing": "yes"} if table.handing else {}
    return {
        "version": str(table.version),
        "phase": table.phase,
        "moment": position.fingerprint,
        "focus": str(focus(table).id),
        "active": str(players[position.active].id),
        "by": position.active,
        "timer": str(table.turn_timer),
        "rolls": "yes" if own.rolls_here else "no",
        "waiting": " ".join(str(players[name].id) for name in position.waiting),
        "step": str(position.step),
        "others": " ".join(str(seat.id) for seat in others),
        "helps": " ".join(str(seat.id) for seat in others if seat.may_enter),
        **rolled,
        **handing,
    }


def _shape(table: Table, language: str) -> str:
    """The hash of everything outside of parts."""
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
        "players": Shared(table).players.values(),
        "mine": {seat.id for seat in table.seats if seat.mine},
        "focus": int(snapshot.facts["focus"]),
        "sheets": sheets,
        "sheet_width": _sheet_width(layouts[0]) if layouts else "none",
    }


def _sheet_width(layout: Layout) -> str:
    """How wide the sheets are on an upright phone: `slim` or `wide`."""
    return "slim" if (layout.upright_width or layout.height) <= SLIM else "wide"
