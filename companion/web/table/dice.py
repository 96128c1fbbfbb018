"""Dice to tap: each row of faces is drawn once for all tables, because people tap few others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from flask import Flask, current_app
from markupsafe import Markup

from companion.web.page.language import page_language

DICE_KEPT: Final = 512
"""Drawn rows in memory, about 2 kB each. A game has at most 42: six dice with seven looks."""


def init_app(app: Flask) -> None:
    app.jinja_env.globals.update(die=die)


def die(color: Mapping[str, str], faces: Sequence[int], part: str, shown: int | None) -> Markup:
    """A die's faces as buttons.

    Args:
        color: with a `name`, a `word` and a `letter`.
        part: the part of the action that the die is.
        shown: the face that is tapped already.
    """
    look = (color["name"], color["word"], color["letter"])
    return _drawn(look, tuple(faces), part, shown, page_language())


@lru_cache(maxsize=DICE_KEPT)
def _drawn(
    look: tuple[str, str, str], faces: tuple[int, ...], part: str, shown: int | None, language: str
) -> Markup:
    macros: Any = current_app.jinja_env.get_template("table/fragments/die.html").module
    name, word, letter = look
    return Markup(macros.die(name, word, letter, faces, part, shown).strip())  # noqa: S704 - a template's output
