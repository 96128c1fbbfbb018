"""Tables of players: the event log, seats and rights, links and codes, the history. No pages."""

from companion.tables.history import FinishedMatch
from companion.tables.ledger.events import Tap
from companion.tables.ledger.saved import Participant
from companion.tables.play.views import Seat, Table
from companion.tables.refusals import Refused
from companion.tables.service import Tables

__all__ = ["FinishedMatch", "Participant", "Refused", "Seat", "Table", "Tables", "Tap"]
