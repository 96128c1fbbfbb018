"""Export of the history: rows to the formats of `exchange`."""

from __future__ import annotations

from companion.tables.history import exchange
from companion.tables.history.looking import Looking


class Files(Looking):
    """The history as files."""

    def export_json(self, device: str) -> bytes:
        """All matches that the device sees, as `companion-history/1`, which it can restore."""
        # A device may have a copy of its own of a match that it also sees at a table.
        newest = sorted(self.all_matches(device), key=lambda match: match.changed)
        return exchange.to_json({match.identity: match for match in newest}.values())

    def export_csv(self, device: str, separator: str = ",") -> bytes:
        """All matches that the device sees as CSV for a spreadsheet, a line for each player."""
        return exchange.to_csv(self.all_matches(device), separator)
