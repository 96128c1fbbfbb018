"""The texts of a pad in each language, without a request."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

from babel.support import Translations

from companion.core.refusal import Unusable
from companion.core.words import Sentence, english

CATALOGUES: Final = Path(__file__).resolve().parents[1] / "translations"
ENGLISH: Final = "en"

Say: TypeAlias = Callable[[Sentence], str]


def in_english(sentence: Sentence) -> str:
    """The sentence of the source."""
    return sentence.translated(english, " or ")


def languages() -> tuple[str, ...]:
    return (ENGLISH, *sorted(path.parent.parent.name for path in CATALOGUES.glob("*/*/*.mo")))


def in_language(code: str) -> Say:
    """The translator into a language; raises `Unusable` for an unknown one."""
    if code == ENGLISH:
        return in_english
    if code not in languages():
        raise Unusable(f"There is no language '{code}'. There are: {', '.join(languages())}.")
    known = Translations.load(CATALOGUES, [code])

    def say(sentence: Sentence) -> str:
        joiner = known.upgettext("list", "or")
        return sentence.translated(known.ugettext, f" {joiner} ")

    return say
