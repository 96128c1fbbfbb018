"""The pages at the table: parse, ask, render. The rules and the store know nothing of them."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from companion.web.app import create_app

__all__ = ["create_app"]


def __getattr__(name: str) -> Any:
    """Loads the app when it is asked for: a server's options are checked without it."""
    if name != "create_app":
        raise AttributeError(name)
    from companion.web.app import create_app

    return create_app
