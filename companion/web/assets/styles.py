"""The pages' style sheets: those of `static/`, joined into one for each page, without comments.

Each is in a cascade layer; a later layer wins, whatever its selectors say. A page has
one link for its own set, such as `app+sheet+table`, and one for the rules of the game or sheet that
it shows, which a part of a page brings along when it is exchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Final

from flask import Flask, Response, url_for
from markupsafe import Markup

from companion.web.assets.joined import SEPARATOR, Joined, named, static_folder
from companion.web.page.scheme import BY_SYSTEM, dark_media

ENDPOINT: Final = "style"
# The layers, the weakest first; see `_layered`
LAYERS: Final = b"@layer base,page,table,game,state;"
# The layer of each style sheet that names none; `page` if it is not here
_LAYER_OF: Final = {"app": b"base", "table": b"table", "turns": b"table", "help": b"table"}
GAMES: Final = "games/"  # the folder of the games' and sheets' own rules
MOST_KEPT: Final = 64  # joined style sheets in memory; more than there are sets of pages and games
_COMMENT: Final = re.compile(rb"/\*.*?\*/\s*", re.DOTALL)
# Texts, which stay as they are, and signs with blanks around them that mean nothing
_BLANKS: Final = re.compile(rb"""("[^"]*"|'[^']*')|\s*([{};,>~/])\s*|(:)\s+|(\s)\s+""")


def init_app(app: Flask) -> None:
    """Registers the addresses of joined style sheets, and their template functions."""
    # Beside the files, so that relative addresses in them stay right.
    app.add_url_rule("/static/<names>.css", ENDPOINT, _serve, defaults={"folder": ""})
    app.add_url_rule("/static/games/<names>.css", ENDPOINT, _serve, defaults={"folder": GAMES})
    app.jinja_env.globals.update(page_style=_page_style, game_style=_game_style)


def _page_style(*names: str) -> Markup:
    """The link to these style sheets, joined in this order."""
    return Markup('<link rel="stylesheet" href="{}">').format(_url("", names))


def address(*names: str) -> str:
    """The address of these style sheets, joined in this order."""
    return _url("", names)


def _game_style(packages: Iterable[str]) -> Markup:
    """The link to the style sheets of these games' packages; empty if none has its own."""
    # It may be in a page's body, so that a part of a page that is exchanged brings its own
    folder = static_folder() / GAMES
    names = [package for package in packages if (folder / f"{package}.css").is_file()]
    if not names:
        return Markup("")
    return Markup('<link rel="stylesheet" id="game-style" href="{}">').format(_url(GAMES, names))


def _url(folder: str, names: Iterable[str]) -> str:
    joined = SEPARATOR.join(names)
    style = _style(named(joined, static_folder() / folder, ".css"), dark_media())
    return url_for(ENDPOINT, names=joined, folder=folder, v=style.fingerprint)


def _serve(names: str, folder: str) -> Response:
    style = _style(named(names, static_folder() / folder, ".css"), dark_media())
    return style.sent("text/css")


def _layered(path: Path) -> bytes:
    """A style sheet without comments, in its own layers, or else in the one for its name."""
    text = _COMMENT.sub(b"", path.read_bytes())
    if b"@layer" in text:
        return text
    return b"@layer %b{%b}" % (_LAYER_OF.get(path.stem, b"page"), text)


@lru_cache(maxsize=MOST_KEPT)
def _style(paths: tuple[Path, ...], dark: str) -> Joined:
    text = LAYERS + b"".join(map(_layered, paths))
    text = text.replace(BY_SYSTEM.encode(), dark.encode())
    return Joined(_BLANKS.sub(rb"\1\2\3\4", text).replace(b";}", b"}"))
