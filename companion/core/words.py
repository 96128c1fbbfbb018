"""Sentences for people, and the words in them, before translation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field


def N_(text: str) -> str:
    """Marks `text` for the translators and returns it unchanged; pages translate it later.

    A text inside `Sentence`, `Word`, `Refusal` or `bad_action` needs no mark.
    """
    return text


class Word(str):
    """A word inside a sentence that is itself translated, such as the name of a colour."""

    __slots__ = ()


@dataclass(frozen=True)
class Sentence:
    """A sentence for people, before translation.

    `text` is English with `%(name)s` places that `values` fills. A value that is a `Word` or a
    `Sentence` is translated before it is filled in, and so is each `Word` in a tuple.
    """

    text: str
    values: Mapping[str, object] = field(default_factory=dict)

    def translated(self, translate: Callable[[str], str], joiner: str) -> str:
        """The sentence in another language. Tuples are joined by ", ", the last two by `joiner`."""
        filled = {name: _filled(value, translate, joiner) for name, value in self.values.items()}
        return translate(self.text) % filled


def _filled(value: object, translate: Callable[[str], str], joiner: str) -> object:
    if isinstance(value, Sentence):
        return value.translated(translate, joiner)
    if isinstance(value, Word):
        return translate(value)
    if isinstance(value, tuple):
        parts = [translate(part) if isinstance(part, Word) else str(part) for part in value]
        return joiner.join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))
    return value


def joined(parts: Iterable[object], separator: str = ", ") -> Sentence:
    """Words, sentences, names and numbers in a row."""
    values = {str(place): part for place, part in enumerate(parts)}
    text = separator.join(f"%({name})s" for name in values)
    return Sentence(text, values)


def minus(number: int | str) -> str:
    """A number with a real minus sign, which is as long as a plus, instead of a hyphen."""
    return str(number).replace("-", "−")


def english(text: str) -> str:
    """A `translate` for `Sentence.translated` that changes nothing."""
    return text
