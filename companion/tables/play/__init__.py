"""Requests to a table: judged, and appended; and the table as one device sees it.

The events are kept and folded in `ledger`.
"""
