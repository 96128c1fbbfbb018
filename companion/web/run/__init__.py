"""Serving: the command, its processes, the ASGI app, health and tidying.

Nothing else imports it.
"""
