"""The companion for tabletop score sheets: rules, sheets, tables and the pages at the table."""

__version__ = "2.2.0"
