"""The history: finished matches, looked at, edited, deleted, shared and exchanged as files.

A device sees the matches that it put in itself (from paper, or from a file) and those of the tables
where it sits. Charts and pages are made elsewhere.
"""

from companion.tables.history.deletion import Deletion, DeletionPreview
from companion.tables.history.editing import Details, Editing, RenamingPreview
from companion.tables.history.links import Links
from companion.tables.history.matches import Filter, FinishedMatch
from companion.tables.history.paper import PaperMatches
from companion.tables.history.queries import HistoryPage
from companion.tables.history.restoring import Backups

__all__ = [
    "DeletionPreview",
    "Details",
    "Filter",
    "FinishedMatch",
    "History",
    "HistoryPage",
    "RenamingPreview",
]


class History(PaperMatches, Editing, Deletion, Links, Backups):
    """The finished matches of one database. Safe to use from many threads."""
