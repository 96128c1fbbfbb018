"""Tables of players: the event log, seats and rights, links and codes, the history. No pages."""

from companion.core.refusal import Refusal
from companion.tables.database.bus import Bus
from companion.tables.history import (
    DeletionPreview,
    Details,
    FinishedMatch,
    History,
    HistoryPage,
    RenamingPreview,
)
from companion.tables.history.people import Figures, Person, PersonalResult
from companion.tables.ledger.corrections import Correction, Unfit
from companion.tables.ledger.events import Event
from companion.tables.ledger.finished import MatchChange
from companion.tables.ledger.match import Entry
from companion.tables.ledger.names import LONGEST_NAME, SEAT_COLORS, free_color
from companion.tables.ledger.rights import Audience
from companion.tables.ledger.saved import Participant
from companion.tables.ledger.taps import Tap
from companion.tables.play.access import Link, LinkInfo, LinkSeat
from companion.tables.play.gate import TapAnswer
from companion.tables.play.notices import Notice
from companion.tables.play.stranded import Silence
from companion.tables.play.views import Call, Me, Seat, Step, Table, TableLine
from companion.tables.refusals import Refused
from companion.tables.service import DEFAULT_URL, Tables

__all__ = [
    "DEFAULT_URL",
    "LONGEST_NAME",
    "SEAT_COLORS",
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
    "Seat",
    "Silence",
    "Step",
    "Table",
    "TableLine",
    "Tables",
    "Tap",
    "TapAnswer",
    "Unfit",
    "free_color",
]
