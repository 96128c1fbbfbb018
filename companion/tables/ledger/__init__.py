"""The event log and its fold: a table's state, its match, rights, and the row of a match."""
