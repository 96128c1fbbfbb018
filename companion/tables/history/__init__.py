"""The history: finished matches, looked at, mended, deleted, shared and exchanged as files.

A device sees the matches that it put in itself (from paper, or from a file) and those of the tables
where it sits. Charts and pages are made elsewhere.
"""

from companion.tables.history.deletion import Deletion, DeletionPreview
from companion.tables.history.files import Files
from companion.tables.history.links import Links
from companion.tables.history.mending import Details, Mending, RenamingPreview
from companion.tables.history.restoring import Restoring
from companion.tables.history.visible import Filter, FinishedMatch, HistoryPage

__all__ = [
    "DeletionPreview",
    "Details",
    "Filter",
    "FinishedMatch",
    "History",
    "HistoryPage",
    "RenamingPreview",
]


class History(Mending, Deletion, Links, Files, Restoring):
    """The finished matches of one database. Safe to use from many threads."""
