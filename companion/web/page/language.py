"""The page's language, and the translation of sentences for people."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import urlsplit

from babel.support import NullTranslations
from flask import Flask, current_app, g, request
from flask_babel import Babel, get_translations
from markupsafe import Markup, escape

from companion.core.refusal import Refusal
from companion.core.words import Sentence
from companion.web.page.context import is_fragment

# Language code → the language's name in itself
LANGUAGES: Final[Mapping[str, str]] = {"en": "English", "es": "Español", "de": "Deutsch"}
COOKIE: Final = "language"

_log: Final = logging.getLogger(__name__)


def init_app(app: Flask) -> None:
    """Registers Flask-Babel, its functions in templates, and `say` as function and filter."""
    app.config.update(BABEL_DEFAULT_LOCALE="en", BABEL_TRANSLATION_DIRECTORIES="../translations")
    Babel(app, locale_selector=page_language)
    app.jinja_env.install_gettext_callables(  # type: ignore[attr-defined]
        lambda text: _speech().translate(text), _ngettext, newstyle=True, pgettext=pgettext
    )
    # Jinja's own take three times as long. All templates with sentences are HTML or SVG.
    app.jinja_env.globals["_"] = lambda text, **values: _filled(_speech().translate(text), values)
    app.jinja_env.globals["ngettext"] = lambda one, several, num, **values: _filled(
        _ngettext(one, several, num), {"num": num, **values}
    )
    values = {"back_path": back_path, "say": say, "languages": LANGUAGES}
    app.jinja_env.globals.update(values, language=page_language)
    app.jinja_env.filters["say"] = say


def back_path() -> str:
    """The path and query of the page that the person sees, for a form to lead back to."""
    try:
        shown = urlsplit(request.headers.get("HX-Current-URL", "")) if is_fragment() else None
    except ValueError:  # such as "http://["
        return f"{request.script_root}/"
    if shown:
        path, query = shown.path, shown.query
    elif request.method == "GET":
        path = request.script_root + request.path
        query = request.query_string.decode("utf-8", "replace")
    else:
        return f"{request.script_root}/"
    return f"{path}?{query}" if query else path


@contextmanager
def speaking(app: Flask, language: str) -> Iterator[None]:
    """Lets parts of pages be drawn in a language outside a request."""
    with app.app_context():
        g.language = language
        yield


def page_language() -> str:
    """The code of the person's chosen language, else of the browser's best, else "en"."""
    if spoken := g.get("language"):
        return str(spoken)
    chosen = request.cookies.get(COOKIE)
    if chosen is not None and chosen in LANGUAGES:
        return chosen
    for tag, _quality in request.accept_languages:
        # "en-GB" before "de" means English, though `LANGUAGES` has no "en-GB".
        code = tag.replace("_", "-").partition("-")[0].lower()
        if code in LANGUAGES:
            return code
    return "en"


class _Speech:
    """A language's catalogue, made once for an app."""

    def __init__(self, translations: NullTranslations) -> None:
        self.translations: Final = translations
        self.translate: Final[Callable[[str], str]] = translations.ugettext
        # Translators: between the last two things of a list: "yellow or purple".
        self.joiner: Final = f" {translations.upgettext('list', 'or')} "


def _speech() -> _Speech:
    """The page's language, looked up once a request for hundreds of sentences."""
    context: Any = g._get_current_object()
    speech: _Speech | None = context.get("speech")
    if speech is None:
        made, language = current_app.extensions.setdefault("speech", {}), page_language()
        if language not in made:
            made[language] = _Speech(get_translations())
        speech = context.speech = made[language]
    return speech


def _ngettext(singular: str, plural: str, count: int) -> str:
    return str(_speech().translations.ungettext(singular, plural, count))


def _filled(text: str, values: Mapping[str, object]) -> Markup:
    """A translation with its values, escaped; `Markup.__mod__` takes five times as long."""
    safe = {name: v if isinstance(v, int) else escape(v) for name, v in values.items()}
    return Markup(text % safe)  # noqa: S704 - translations are ours, the values are escaped


def pgettext(context: str, text: str) -> str:
    """The same as `flask_babel.pgettext`, without its search for the catalogue each time."""
    return str(_speech().translations.upgettext(context, text))


def join_names(names: Iterable[str]) -> str:
    """One or more names as a phrase, such as "Ada, Ben and Carla"."""
    *others, last = names
    # Translators: between the last two names of a list: "Ada and Ben".
    joiner = pgettext("list", "and")
    return f" {joiner} ".join(filter(None, [", ".join(others), last]))


def say(sentence: Refusal | Sentence | str) -> str:
    """A sentence or a word in the page's language; empty if its values do not fit its text."""
    speech = _speech()
    if isinstance(sentence, str):
        return speech.translate(sentence)
    try:
        text = sentence.translated(speech.translate, speech.joiner)
    except (KeyError, TypeError, ValueError):
        # The page has other things to say, and a table's page is everybody's.
        _log.exception("a sentence is left out: %r with %r", sentence.text, sentence.values)
        return ""
    # JSON can smuggle in half a surrogate pair, which no page can show.
    return text.encode("utf-8", "replace").decode()
