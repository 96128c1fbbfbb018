"""Tables of players: the event log, seats and rights, links and codes, the history. No pages."""

from companion.core.refusal import Refusal
from companion.tables.access import Link, LinkInfo, LinkSeat
from companion.tables.bus import Bus
from companion.tables.corrections import Correction, Unfit
from companion.tables.events import Event
from companion.tables.finished import Participant
from companion.tables.gate import Saved
from companion.tables.history import (
    DeletionPreview,
    Details,
    FinishedMatch,
    History,
    HistoryPage,
    MatchChange,
    RenamingPreview,
)
from companion.tables.lobby import TURN_TIMERS
from companion.tables.match import Entry
from companion.tables.names import LONGEST_NAME, SEAT_COLORS, free_color
from companion.tables.notices import Notice
from companion.tables.people import Figures, Person, PersonalResult
from companion.tables.refusals import Refused
from companion.tables.service import DEFAULT_URL, Tables
from companion.tables.stranded import Silence
from companion.tables.taps import Tap
from companion.tables.views import Audience, Call, Me, Seat, Step, Table, TableLine

__all__ = [
    "DEFAULT_URL",
    "LONGEST_NAME",
    "SEAT_COLORS",
    "TURN_TIMERS",
    "Audience",
    "Bus",
    "Call",
    "Correction",
    "DeletionPreview",
    "Details",
    "Entry",
    "Event",
    "Figures",
    "FinishedMatch",
    "History",
    "HistoryPage",
    "Link",
    "LinkInfo",
    "LinkSeat",
    "MatchChange",
    "Me",
    "Notice",
    "Participant",
    "Person",
    "PersonalResult",
    "Refusal",
    "Refused",
    "RenamingPreview",
    "Saved",
    "Seat",
    "Silence",
    "Step",
    "Table",
    "TableLine",
    "Tables",
    "Tap",
    "Unfit",
    "free_color",
]
