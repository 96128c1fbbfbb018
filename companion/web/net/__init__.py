"""What a request passes before Flask: connections, limits by address, proxies, the log of requests.

Nothing here knows a page or a table.
"""
