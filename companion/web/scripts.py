"""The pages' scripts: the ES modules of `static/js/`, joined into one script for each page.

The table's page needs twenty modules. A request for each would take a phone on a weak network
longer than all the rest of the page. They are joined here rather than by a build tool, so that
nothing has to be built, and what is edited is what is served.

The modules use what can be joined here: named exports of constants, functions and classes, named
imports by relative addresses, no cycles. `make lint` and `tests/web/test_scripts.py` check that.
"""

from __future__ import annotations

import hashlib
import io
import re
from functools import cache
from pathlib import Path
from typing import Final

from flask import Flask, abort, current_app, send_file, url_for
from flask.typing import ResponseReturnValue

ENDPOINT: Final = "script"
_COMMENT: Final = re.compile(
    r"""^\s*//[^\n]*\n|(?<![\w"'/])/\*\*.*?\*/\s*""", re.MULTILINE | re.DOTALL
)
"""JSDoc, and lines that are only a comment: a third of what a phone would have to load."""
_IMPORT: Final = re.compile(r'^import (?:\{([^}]*)\} from )?"\./([\w-]+)\.js";\n', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export ((?:async )?function|class|const) ([\w$]+)", re.MULTILINE)


def init_app(app: Flask) -> None:
    app.add_url_rule("/static/js/<name>.js", ENDPOINT, _serve)
    app.jinja_env.globals.update(script_url=_url)


def joined(folder: Path, entry: str) -> str:
    """The module `entry` and all that it imports as one script, without comments.

    Each module becomes a function that returns its exports, so that its other names stay its own.
    """
    return "".join(
        _as_function(name, _COMMENT.sub("", _source(folder, name)))
        for name in _in_order(folder, entry)
    )


def _serve(name: str) -> ResponseReturnValue:
    if not (_folder() / f"{name}.js").is_file():
        abort(404)
    script, fingerprint = _script(_folder(), name)
    return send_file(
        io.BytesIO(script), "text/javascript", download_name=f"{name}.js", etag=fingerprint
    )


def _url(entry: str) -> str:
    """The address of a joined script with its content's hash, so that it can be cached for good."""
    return url_for(ENDPOINT, name=entry, v=_script(_folder(), entry)[1])


def _folder() -> Path:
    return Path(current_app.static_folder or "") / "js"


@cache
def _script(folder: Path, entry: str) -> tuple[bytes, str]:
    """The joined script and its hash."""
    script = joined(folder, entry).encode()
    return script, hashlib.sha256(script).hexdigest()[:12]


def _source(folder: Path, name: str) -> str:
    return (folder / f"{name}.js").read_text(encoding="utf-8")


def _in_order(folder: Path, entry: str) -> list[str]:
    """`entry` and the modules behind it, each after those that it imports."""
    order: list[str] = []

    def visit(name: str) -> None:
        for _, imported in _IMPORT.findall(_source(folder, name)):
            if imported not in order:
                visit(imported)
        order.append(name)

    visit(entry)
    return order


def _as_function(name: str, text: str) -> str:
    imports = [
        f"const {{{names}}} = {_variable(imported)};\n"
        for names, imported in _IMPORT.findall(text)
        if names
    ]
    exports = ", ".join(exported for _, exported in _EXPORT.findall(text))
    body = _EXPORT.sub(r"\1 \2", _IMPORT.sub("", text)).strip()
    inside = f"{''.join(imports)}{body}\nreturn {{ {exports} }};\n"
    return f"const {_variable(name)} = (() => {{\n{inside}}})();\n"


def _variable(name: str) -> str:
    return "$" + name.replace("-", "_")
