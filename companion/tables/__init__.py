"""A table of players: the event log, seats and rights, links and codes, exports. No pages."""

from companion.core.refusal import Refusal
from companion.tables.access import Link, LinkInfo, LinkSeat
from companion.tables.bus import Bus
from companion.tables.corrections import Correction, Unfit
from companion.tables.events import Event
from companion.tables.gate import Saved, Tap
from companion.tables.history import Finished, History
from companion.tables.names import LONGEST_NAME, SEAT_COLORS
from companion.tables.people import Figures, Person, Result
from companion.tables.play import Entry
from companion.tables.plays import Player
from companion.tables.refusals import Refused
from companion.tables.service import DEFAULT_URL, Tables
from companion.tables.views import Me, Seat, Step, Table, TableLine

__all__ = [
    "DEFAULT_URL",
    "LONGEST_NAME",
    "SEAT_COLORS",
    "Bus",
    "Correction",
    "Entry",
    "Event",
    "Figures",
    "Finished",
    "History",
    "Link",
    "LinkInfo",
    "LinkSeat",
    "Me",
    "Person",
    "Player",
    "Refusal",
    "Refused",
    "Result",
    "Saved",
    "Seat",
    "Step",
    "Table",
    "TableLine",
    "Tables",
    "Tap",
    "Unfit",
]
