"""The pages at the table: parse, ask, render. The rules and the store know nothing of them."""

from companion.web.app import create_app

__all__ = ["create_app"]
