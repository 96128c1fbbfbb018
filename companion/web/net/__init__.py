"""Checks of a request before its page: host name, body, address; and the pages for machines."""
