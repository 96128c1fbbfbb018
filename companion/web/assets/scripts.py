"""The pages' scripts: the ES modules of `static/js/`, joined into one script for each page.

The table's page needs twenty modules and two libraries. The libraries are joined into another
script, which stays in a browser's cache when a new version of the app brings other modules.

The modules keep to what can be joined: named exports of constants, functions and classes, named
imports by relative addresses, no cycles. A module hides no name that a later one imports from
another, and has none that a later one expects from the browser, such as `name`. `make lint` and
`tests/web/assets/test_scripts.py` check that.
"""

from __future__ import annotations

import posixpath
import re
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

from flask import Flask, Response, abort, url_for

from companion.web.assets.joined import SEPARATOR, Joined, named, static_folder

ENDPOINT: Final = "script"
LIBRARIES: Final = "libraries"  # The endpoint of what others wrote, sent as it is
# The libraries that every page with a script has, each after those that it needs
ON_EVERY_PAGE: Final = SEPARATOR.join(("htmx.min", "idiomorph-ext.min"))
# JSDoc, and comments to the end of a line: a third of the bytes of the modules
_COMMENT: Final = re.compile(
    r"""^\s*//[^\n]*\n|(?<=[;,{(]) // [^\n]*|(?<![\w"'/])/\*\*.*?\*/\s*""",
    re.MULTILINE | re.DOTALL,
)
# Indentation and empty lines, which mean nothing: no module has a text of several lines
_INDENT: Final = re.compile(r"^\s+", re.MULTILINE)
# Ends of lines that mean nothing, with the comma after a list's last part
_BREAK: Final = re.compile(r"(?<=[{}(\[,;])\n|,?\n(?=[}\])])|\n(?=[?:.&|])")
# Texts and patterns stay as they are; none of them begins with a blank. Beside signs, blanks
# and some semicolons mean nothing
_BLANK: Final = re.compile(
    r"""("(?:[^"\\\n]|\\.)*"|`[^`]*`|/(?![*/ ])(?:[^/\\\n\[]|\\.|\[[^\]\n]*\])+/[a-z]*(?=[.,;)]))"""
    r"| ?(=>|[!=]==|&&|\|\||\?\?|[-+|&?]{0,2}=|[<>]=|[?:,;{}()*/<>]) | ([{}(])|;(?=\})"
    r"| ([-+]) (?![-+])"
)
_IMPORT: Final = re.compile(
    r'^import (?:\{[^}]*\} from )?"(\.{1,2}/[\w/.-]+)\.js";\n', re.MULTILINE
)
_EXPORT: Final = re.compile(r"^export (?=(?:async )?function|class|const)", re.MULTILINE)


def init_app(app: Flask) -> None:
    """Registers the addresses of joined scripts and libraries, and their template functions."""
    app.add_url_rule("/static/js/<name>.js", ENDPOINT, _serve)
    app.add_url_rule("/static/vendor/<names>.js", LIBRARIES, _serve_libraries)
    app.jinja_env.globals.update(
        script_url=address, script_hash=_hash, libraries_url=_libraries_url
    )


def joined(folder: Path, entry: str) -> str:
    """The module `entry` and all that it imports as one script, without comments."""
    # Each module is a block inside of the blocks of those before it, so that it sees their names
    order = modules_of(folder, entry)
    blocks = [_as_block(_INDENT.sub("", _COMMENT.sub("", _source(folder, name)))) for name in order]
    text = _BREAK.sub("", '"use strict";\n' + "".join(blocks) + "}" * len(blocks))
    return _BLANK.sub(lambda found: next(filter(None, found.groups()), ""), text)


def _serve(name: str) -> Response:
    if SEPARATOR in name:
        abort(404)
    named(name, _folder(), ".js")
    return _script(_folder(), name).sent("text/javascript")


def address(entry: str) -> str:
    """The address of a joined script with its content's hash, so that it can be cached for good."""
    return url_for(ENDPOINT, name=entry, v=_hash(entry))


def _hash(entry: str) -> str:
    """The hash of a joined script; an open page compares its own with it."""
    return _script(_folder(), entry).fingerprint


def _folder() -> Path:
    return static_folder() / "js"


@cache
def _script(folder: Path, entry: str) -> Joined:
    return Joined(joined(folder, entry).encode())


def _serve_libraries(names: str) -> Response:
    libraries = _libraries(named(names, static_folder() / "vendor", ".js"))
    return libraries.sent("text/javascript")


def _libraries_url() -> str:
    """The address of the libraries that every page with a script has."""
    libraries = _libraries(named(ON_EVERY_PAGE, static_folder() / "vendor", ".js"))
    return url_for(LIBRARIES, names=ON_EVERY_PAGE, v=libraries.fingerprint)


@lru_cache(maxsize=8)
def _libraries(paths: tuple[Path, ...]) -> Joined:
    return Joined(b"\n".join(path.read_bytes() for path in paths))


def _source(folder: Path, name: str) -> str:
    return (folder / f"{name}.js").read_text(encoding="utf-8")


def modules_of(folder: Path, entry: str) -> list[str]:
    """The module `entry` and all that it imports, each after those that it imports itself."""
    order: list[str] = []

    def visit(name: str) -> None:
        for address in _IMPORT.findall(_source(folder, name)):
            if (imported := _imported(name, address)) not in order:
                visit(imported)
        order.append(name)

    visit(entry)
    return order


def _as_block(text: str) -> str:
    """A module's text as a block, without its closing brace, so that others can follow inside."""
    return f"{{\n{_EXPORT.sub('', _IMPORT.sub('', text)).strip()}\n"


def _imported(name: str, address: str) -> str:
    """The name of the module at a relative address: its path in the folder, without suffix."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), address))
