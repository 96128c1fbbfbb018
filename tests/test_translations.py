"""The catalogues: every sentence is in them, translated, and no sentence goes around them.

`make translations` takes up new sentences and compiles; this fails when it was forgotten.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.frontend import parse_keywords, parse_mapping_cfg
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po
from jinja2 import Environment, nodes

from companion.web.page.language import LANGUAGES

pytestmark = pytest.mark.every_game

ROOT: Final = Path(__file__).resolve().parents[1]
CATALOGUES: Final = ROOT / "companion" / "translations"
TEMPLATES: Final = ROOT / "templates"
TRANSLATED: Final = sorted(set(LANGUAGES) - {"en"})
SAME_EVERYWHERE: Final = ("Companion", "ABC 234")
"""What a page may say without gettext: the app's name, and what a code looks like."""
READ_ATTRIBUTES: Final = frozenset(
    {"alt", "aria-description", "aria-label", "aria-valuetext", "label", "placeholder", "title"}
)
WORDS_ID: Final = "words"  # the element whose data-* attributes hold what the scripts say
EXPRESSION: Final = "\ufffc"  # stands for a `{{ … }}` when a template is read as HTML

HIDDEN: Final = re.compile(
    r"""\bf(["']).*\{[^}\n]*\b(?:p|n|np)?gettext\(|(?<!def )\bN_\((?!\s*["'])"""
)
"""A call whose sentence Babel does not see."""

Key = tuple[str | None, str | tuple[str, ...]]

each_language = pytest.mark.parametrize("language", TRANSLATED)


def key_of(message: Message) -> Key:
    # A compiled catalogue gives its plurals as lists.
    return message.context, message.id if isinstance(message.id, str) else tuple(message.id)


def forms(text: str | tuple[str, ...]) -> tuple[str, ...]:
    """A message's singular and plural, or the one form that it has."""
    return (text,) if isinstance(text, str) else tuple(text)


def messages(catalogue: Catalog) -> dict[Key, Message]:
    """All but the header."""
    return {key_of(message): message for message in catalogue if message.id}


@cache
def in_sources(root: Path = ROOT) -> frozenset[Key]:
    """The messages that `make translations` extracts, with its own keywords, and its babel.cfg."""
    makefile = (ROOT / "Makefile").read_text("utf-8")
    recipe = makefile[makefile.index("pybabel -q extract") :]
    keywords = parse_keywords(re.findall(r"-k (\S+)", recipe[: recipe.index(" -c ")]))
    with (ROOT / "babel.cfg").open(encoding="utf-8") as config:
        mapping, options = parse_mapping_cfg(config)
    found = extract_from_dir(root, mapping, options, keywords)
    return frozenset((context, text) for _, _, text, _, context in found)


@cache
def catalogue(language: str) -> Catalog:
    with (CATALOGUES / language / "LC_MESSAGES" / "messages.po").open("rb") as file:
        return read_po(file, locale=language)


def placeholders(text: str) -> Counter[str]:
    """Every `%(name)s`, `%%` and stray `%`, with how often it stands there."""
    return Counter(re.findall(r"%(?:\(\w+\)\w|.)?", text, re.DOTALL))


def test_each_keyword_is_extracted() -> None:
    """The tests below would not notice: a sentence that is not extracted is in no catalogue."""
    sentences = {
        "N_": "%(player)s passed",
        "Sentence": "The game is over.",
        "Word": "red",
        "Refusal": "You can roll the dice only once in a turn.",
        "bad_action": "There is no such row on the sheet.",
        "_": "Start a game",
        "ngettext": ("%(num)s phone", "%(num)s phones"),
    }
    assert {(None, text) for text in sentences.values()} | {("list", "or")} <= in_sources()


@each_language
def test_the_catalogue_holds_the_sentences_of_the_sources_and_no_others(language: str) -> None:
    here = set(messages(catalogue(language)))
    assert {"missing": in_sources() - here, "gone": here - in_sources()} == {
        "missing": set(),
        "gone": set(),
    }
    assert not catalogue(language).obsolete


@each_language
def test_every_sentence_is_translated_in_all_its_forms(language: str) -> None:
    plurals = catalogue(language).num_plurals
    untranslated = [
        key
        for key, message in messages(catalogue(language)).items()
        if len(forms(message.string)) != (plurals if message.pluralizable else 1)
        or not all(form.strip() for form in forms(message.string))
    ]
    assert untranslated == []
    assert not catalogue(language).fuzzy
    assert not [key for key, message in messages(catalogue(language)).items() if message.fuzzy]


@each_language
def test_a_translation_has_the_placeholders_of_its_sentence(language: str) -> None:
    wrong = [
        (source, translation)
        for message in messages(catalogue(language)).values()
        for source in forms(message.id)
        for translation in forms(message.string)
        if placeholders(source) != placeholders(translation)
    ]
    assert wrong == []


@each_language
def test_the_compiled_catalogue_is_that_of_the_text(language: str) -> None:
    compiled = io.BytesIO()
    write_mo(compiled, catalogue(language))
    compiled.seek(0)
    with (CATALOGUES / language / "LC_MESSAGES" / "messages.mo").open("rb") as file:
        committed = read_mo(file)
    assert {key: message.string for key, message in messages(committed).items()} == {
        key: message.string for key, message in messages(read_mo(compiled)).items()
    }


class Pages(HTMLParser):
    """Collects what a person would read or hear: texts, and the attributes that are read out."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[tuple[int, str]] = []
        """(line, text)"""
        self.unread = 0
        """How many <script> and <style> are open."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.unread += tag in ("script", "style")
        are_words = ("id", WORDS_ID) in attrs
        for name, value in attrs:
            if value and (name in READ_ATTRIBUTES or (are_words and name.startswith("data-"))):
                self.texts.append((self.getpos()[0], value))

    def handle_endtag(self, tag: str) -> None:
        self.unread -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self.unread:
            self.texts.append((self.getpos()[0], data))


def as_html(source: str) -> str:
    """A template without its Jinja parts; the lines keep their numbers."""
    parts: list[str] = []
    inside = False
    for _, kind, text in Environment().lexer.tokeniter(source, None):  # noqa: S701 - renders nothing
        inside = inside or kind.endswith("_begin")
        if inside:
            parts.append((EXPRESSION if kind == "variable_begin" else "") + "\n" * text.count("\n"))
        else:
            parts.append(text)
        inside = inside and not kind.endswith("_end")
    return "".join(parts)


def untranslated(source: str) -> list[tuple[int, str]]:
    """(line, text) for the texts of a template that are the same in every language."""
    page = Pages()
    page.feed(as_html(source))
    page.close()
    found = []
    for line, text in page.texts:
        rest = text
        for allowed in SAME_EVERYWHERE:
            rest = rest.replace(allowed, "")
        if re.search(r"[^\W\d_]", rest):
            found.append((line, text.strip()))
    return found


def given_as_they_are(source: str) -> list[tuple[int, str]]:
    """(line, string) for strings in expressions that begin like a sentence and are not in gettext.

    Names, addresses and classes begin with a small letter.
    """
    tree = Environment().parse(source)  # noqa: S701 - renders nothing
    in_gettext = {
        id(string)
        for call in tree.find_all(nodes.Call)
        if isinstance(call.node, nodes.Name)
        and call.node.name in ("_", "gettext", "ngettext", "pgettext", "npgettext")
        for string in call.find_all(nodes.Const)
    }
    return [
        (string.lineno, string.value)
        for string in tree.find_all(nodes.Const)
        if isinstance(string.value, str)
        and re.match(r"[^\W\d_a-z][a-z]", string.value)
        and id(string) not in in_gettext
    ]


def test_a_template_says_nothing_without_gettext() -> None:
    found = {
        path.relative_to(TEMPLATES).as_posix(): said
        for path in sorted(TEMPLATES.rglob("*"))
        if path.suffix in (".html", ".svg", ".txt")
        for source in (path.read_text("utf-8"),)
        if (said := untranslated(source) + given_as_they_are(source))
    }
    assert found == {}


@pytest.mark.parametrize(
    "source",
    [
        "<p>Hello</p>",
        "<p>{{ player }} rolls</p>",
        "<p>{% if over %}Over{% endif %}</p>",
        '<button aria-label="Close">✕</button>',
        '<input placeholder="Name {{ number }}">',
        "<svg><text>W</text></svg>",
        '<template id="words" data-offline="No connection"></template>',
        '{{ dialog_head("Links") }}',
        '<h2>{{ title or "Menu" }}</h2>',
    ],
)
def test_a_forgotten_sentence_would_be_found(source: str) -> None:
    assert untranslated(source) + given_as_they_are(source)


@pytest.mark.parametrize(
    "source",
    [
        '<p>{{ _("Hello") }} · Companion 1.0</p>',
        '<p>{# a remark #}{% set word = "x" %}{{ ngettext("A phone", "%(num)s phones", n) }}</p>',
        '<button aria-label="{{ _("Close: %(what)s", what=say(told)) }}" class="icon">✕</button>',
        "<style>p { color: red }</style><script>go()</script>",
    ],
)
def test_translated_and_unread_texts_are_left_alone(source: str) -> None:
    assert untranslated(source) + given_as_they_are(source) == []


def test_no_sentence_hides_from_babel() -> None:
    """It looks neither into f-strings nor behind names, so a sentence there is never translated."""
    modules = sorted((ROOT / "companion").rglob("*.py"))
    found = [(path.name, HIDDEN.findall(path.read_text("utf-8"))) for path in modules]
    assert [(name, hits) for name, hits in found if hits] == []


@pytest.mark.parametrize(
    "line", ['f"{gettext("Hello")}"', "f'{n} {ngettext(one, many, n)}'", "N_(text)"]
)
def test_a_hidden_sentence_would_be_found(line: str) -> None:
    assert HIDDEN.search(line)
