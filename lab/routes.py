"""A request to every route of the app, and the statuses that each kind of person gets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from lab.games import passes, roll
from lab.history import people
from lab.tables import Party


@dataclass(frozen=True)
class Ask:
    """A request that is in order, and the statuses of (stranger, viewer, player, host)."""

    method: str
    path: str  # `{…}` are filled in from `places`
    statuses: tuple[int, int, int, int]
    form: dict[str, str] = field(default_factory=dict)
    phase: str = "playing"

    def __str__(self) -> str:
        return f"{self.method} {self.path} {self.phase}"


def verb(what: str, /, *statuses: int, phase: str = "lobby", **form: str) -> Ask:
    stranger, viewer, player, host = statuses
    return Ask("POST", f"/t/{{table}}/do/{what}", (stranger, viewer, player, host), form, phase)


ANYBODY = (200, 200, 200, 200)
GOES_ON = (303, 303, 303, 303)
MEMBERS = (403, 200, 200, 200)
PLAYERS = (403, 403, 200, 200)
HOST = (403, 403, 403, 200)
PLAYERS_GO_ON = (403, 403, 303, 303)
HOST_GOES_ON = (403, 403, 403, 303)
SEEN = (404, 200, 200, 200)
CHANGED = (404, 403, 303, 303)
CORRECTION = {"action": '{{"do": "roll", "by": "Tim", "dice": {{"yellow": 4}}}}'}
TOTALS = {"game": "qwinto-cards", "name": "Ada", "total": "40"}

PHASES = ("lobby", "playing", "over")


def looks(statuses: tuple[int, int, int, int], *paths: str, phase: str = "playing") -> list[Ask]:
    return [Ask("GET", path, statuses, phase=phase) for path in paths]


ASKS = (
    *looks(
        ANYBODY, "/", "/favicon.ico", "/app.webmanifest", "/worker.js", "/health/live",
        "/health/ready", "/offline/de", "/static/app.css", "/static/games/encore.css",
        "/static/js/table.js", "/static/vendor/htmx.min.js", "/static/icon.svg", "/pads",
        "/pads/pads.pdf", "/pads/map.json", "/photo", "/totals", "/phone", "/rules/encore",
        "/history", "/history/history.json", "/history/history.csv", "/history/people",
    ),
    *(ask for one in PHASES for ask in looks(
        MEMBERS, "/t/{table}/", "/t/{table}/turns", "/t/{table}/rules", phase=one,
    )),
    *looks(
        MEMBERS, "/t/{table}/version", "/t/{table}/turns/{entry}", "/t/{table}/menu",
        "/t/{table}/record.json", "/t/{table}/why/1", "/t/{table}/share", "/t/{table}/guests",
        "/t/{table}/timer", "/t/{table}/links",
    ),
    # Nothing of this table's game changes while it is played: tests/games/rounds/test_tables.py.
    *looks((403, 404, 404, 404), "/t/{table}/changes"),
    *looks(MEMBERS, "/t/{table}/menu", "/t/{table}/why/1", "/t/{table}/timer", phase="lobby"),
    *(ask for one in PHASES for ask in looks(HOST, "/t/{table}/delete", phase=one)),
    Ask("POST", "/totals", GOES_ON, TOTALS),
    Ask("POST", "/phone", ANYBODY),
    Ask("POST", "/phone/new", GOES_ON),
    Ask("POST", "/by-hand", GOES_ON, {"game": "encore", "names": "Ada"}),
    Ask("POST", "/by-hand", PLAYERS_GO_ON, {"game": "encore", "table": "{table}"}),
    Ask("POST", "/tables", GOES_ON, {"game": "qwinto-dice"}),
    Ask("POST", "/language", GOES_ON, {"language": "en", "back": "/"}),
    Ask("POST", "/join", GOES_ON, {"code": "{code}"}),
    # A device that is at the table is there again, without a question.
    Ask("GET", "/j/{join}", ANYBODY),
    Ask("GET", "/j/{view}", (200, 303, 303, 303)),
    Ask("POST", "/j/{join}", GOES_ON),
    Ask("POST", "/j/{view}", GOES_ON),
    Ask("POST", "/t/{table}/turns/{entry}", PLAYERS, CORRECTION),
    Ask("POST", "/t/{table}/delete", HOST_GOES_ON),
    Ask("POST", "/t/{table}/share", PLAYERS),
    Ask("POST", "/t/{table}/links/view", HOST),
    Ask("POST", "/t/{table}/links/{view}/revoke", HOST_GOES_ON),
    Ask("GET", "/history/of/{table}/1", (404, 303, 303, 303), phase="over"),
    Ask("GET", "/history/of/{table}/1", (404, 404, 404, 404)),
    Ask("GET", "/history/of/{table}/99999999999999999999", (404, 404, 404, 404)),
    *looks(
        SEEN, "/history/{play}", "/history/{play}/record.json", "/history/{play}/result.svg",
        "/history/{play}/feats", "/history/people/{person}",
        phase="over",
    ),
    *looks(
        (404, 403, 200, 200), "/history/{play}/edit", "/history/{play}/delete",
        "/history/people/{person}/delete", phase="over",
    ),
    Ask("POST", "/history/{play}/note", CHANGED, {"place": "x", "notes": "y"}, phase="over"),
    Ask("POST", "/history/{play}/delete", CHANGED, phase="over"),
    Ask("POST", "/history/{play}/edit", CHANGED, {"place": "x"}, phase="over"),
    Ask("POST", "/history/{play}/sheets", CHANGED, phase="over"),
    Ask("POST", "/history/people/{person}/rename", CHANGED, {"name": "Zoë"}, phase="over"),
    Ask("POST", "/history/{play}/settle", CHANGED, phase="over"),
    Ask("POST", "/history/{play}/link", CHANGED, phase="over"),
    Ask("POST", "/history/{play}/unlink", CHANGED, phase="over"),
    Ask("POST", "/history/people/{person}/delete", CHANGED, phase="over"),
    verb("game", *HOST_GOES_ON, game="qwinto-dice"),
    verb("add", *PLAYERS_GO_ON, name="Zoë", color="green"),
    verb("rename", *HOST_GOES_ON, seat="1", name="Tom", color="pink"),
    verb("remove", *HOST_GOES_ON, seat="1"),
    verb("order", *HOST_GOES_ON, order="2,3,1"),
    verb("first", *HOST_GOES_ON, seat="2"),
    verb("draw", *HOST_GOES_ON),
    verb("start", *HOST_GOES_ON),
    verb("take", *PLAYERS_GO_ON, seat="1"),
    verb("take", *PLAYERS_GO_ON, seat="1", phase="playing"),
    verb("release", *PLAYERS_GO_ON, seat="1"),
    verb("shared_entry", *HOST_GOES_ON),
    verb("shared_entry", *HOST_GOES_ON, phase="playing"),
    verb("hints", *HOST_GOES_ON),
    verb("scores", *HOST_GOES_ON),
    verb("turn_timer", *HOST_GOES_ON, phase="playing", turn_timer="60"),
    verb("hints", *HOST_GOES_ON, phase="playing"),
    verb("scores", *HOST_GOES_ON, phase="playing"),
    verb("again", *HOST_GOES_ON, phase="over"),
    verb("stop", *HOST_GOES_ON, phase="playing"),
    verb("roller", *HOST_GOES_ON, phase="playing", roller="on"),
    # Nobody has switched it on at this table: tests/web/table/test_games.py.
    verb("roll", 403, 403, 422, 422, phase="playing", dice="orange", moment=""),
    # The host of this table has just been heard; tests/tables/play/test_phones.py has a silent one.
    verb("host", 403, 403, 409, 303, phase="playing"),
    verb("take_over", *PLAYERS_GO_ON, phase="playing", seat="1"),
    verb("lobby", *HOST_GOES_ON, phase="over"),
)  # fmt: skip


def places(party: Party) -> dict[str, str]:
    """The values that addresses need; a table that plays gets its first entry."""
    entry = "none-yet"
    if party.tables.read(party.id, party.host.device).phase == "playing":
        entry, _ = party.do(roll("Tim", yellow=3), passes("Tim"))
    return {
        "table": party.id,
        "entry": entry,
        "join": party.links["join"],
        "view": party.links["view"],
        "code": party.links["code"],
        "play": _first(party.tables.history.all_matches(party.host.device)),
        "person": _first(people(party.tables, party.host.device)),
    }


def _first(found: Sequence[Any]) -> str:
    return str(found[0].id) if found else "none-yet"
