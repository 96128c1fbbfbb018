"""`python -m tests.kit.servers.sixth serve …`: the companion with a sixth game, the toy."""

from __future__ import annotations

import sys
from typing import Any

from flask import Flask
from jinja2 import ChoiceLoader, DictLoader

from companion.cli import main
from companion.games.catalog import GAMES
from companion.tables import Tables
from companion.web.app import create_app
from companion.web.run import serve
from tests.games.toy import GAME, TEMPLATES


def with_the_toy(tables: Tables) -> Flask:
    app = create_app(tables)
    assert app.jinja_loader is not None
    app.jinja_loader = ChoiceLoader([app.jinja_loader, DictLoader(TEMPLATES)])  # type: ignore[misc]
    return app


if __name__ == "__main__":
    games: Any = GAMES
    games[GAME.name] = GAME
    serve.create_app = with_the_toy
    sys.exit(main())
