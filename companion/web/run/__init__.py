"""Serving: the command, the ASGI app and its threads. Nothing else imports it."""
