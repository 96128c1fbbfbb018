"""Which language a page speaks."""

from __future__ import annotations

import pytest
from flask import Flask

from companion.core.refusal import Refusal
from companion.core.words import Sentence, Word
from companion.web.page.language import LANGUAGES, page_language, say


@pytest.mark.parametrize(
    ("header", "cookie", "language"),
    [
        ("", None, "en"),
        ("de", None, "de"),
        ("de-AT,de;q=0.9,en;q=0.8", None, "de"),
        ("es-MX", None, "es"),
        ("fr,es;q=0.5", None, "es"),
        ("fr-FR", None, "en"),
        ("*", None, "en"),
        ("en-GB,de;q=0.9", None, "en"),
        ("de;q=0,es;q=0.1", None, "es"),
        ("de;q=nonsense, ;;;==", None, "en"),
        ("\xff" * 20, None, "en"),
        ("x" * 20_000, None, "en"),
        ("de", "es", "es"),
        ("de", "fr", "de"),
        ("de", "", "de"),
        ("", "../../etc", "en"),
    ],
)
def test_choosing(app: Flask, header: str, cookie: str | None, language: str) -> None:
    headers = {"Accept-Language": header}
    if cookie is not None:
        headers["Cookie"] = f"language={cookie}"
    with app.test_request_context(headers=headers):
        assert page_language() == language
    answer = app.test_client(use_cookies=False).get("/", headers=headers)
    assert f'lang="{language}"' in answer.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_saying(app: Flask, language: str) -> None:
    """Values are never taken for formats, and no sentence is empty in any language."""
    with app.test_request_context(headers={"Cookie": f"language={language}"}):
        assert say(Sentence("%(a)s!", {"a": "100 % %s %(b)s"})) == "100 % %s %(b)s!"
        assert say(Refusal("x", "%(a)s?", {"a": Word("yellow")})).endswith("?")
        listed = say(Sentence("%(a)s", {"a": ("x", "y", "z")}))
        assert listed.startswith("x, y ")
        assert listed.endswith(" z")


def test_refusals_are_told_in_the_language_of_the_page(app: Flask) -> None:
    """The sentences of tables and rules go through the catalogue of each language."""
    told = {}
    for language in LANGUAGES:
        headers = {"Cookie": f"language={language}", "HX-Request": "true"}
        told[language] = app.test_client(use_cookies=False).get("/t/none/", headers=headers).text
    assert "There is no such table." in told["en"]
    assert len(set(told.values())) == len(LANGUAGES), "not translated"
