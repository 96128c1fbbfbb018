"""The stations of a request before Flask: connections, limits by address, proxies, the log.

Nothing here knows a page or a table.
"""
