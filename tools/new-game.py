"""Begins a game as a copy of `tools/skeleton`, a small one that plays: make game NAME=knister."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parents[1]
SKELETON = ROOT / "tools" / "skeleton"
CATALOGUE = ROOT / "companion" / "games" / "catalog.py"
WORDS = "words.toml"
NUMBERS = range(7)  # of the printed markers, see `SheetKind.number`

sys.path.insert(0, str(ROOT))

from companion.games.catalog import PACKAGES, SHEETS  # noqa: E402


def main(name: str = "") -> str:
    """Copies the skeleton; returns what to do next. A `SystemExit` says why it cannot."""
    if not re.fullmatch("[a-z]+", name):
        raise SystemExit("A game's name is a word of small letters: make game NAME=knister")
    if name in PACKAGES or (CATALOGUE.parent / name).exists():
        raise SystemExit(f"There is a game {name} already: companion/games/{name}")
    number = min(set(NUMBERS) - {sheet.number for sheet in SHEETS.values()}, default=None)
    if number is None:
        raise SystemExit("No number is left for the markers of a new sheet; see SheetKind.number.")

    def named(text: str) -> str:
        text = re.sub(r"(NUMBER: Final = )\d", rf"\g<1>{number}", text)
        return text.replace("skeleton", name).replace("Skeleton", name.capitalize())

    made = []
    for path in sorted(SKELETON.rglob("*.*")):
        if path.name != WORDS and path.suffix != ".pyc":
            target = ROOT / named(str(path.relative_to(SKELETON)))
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(named(path.read_text("utf-8")), "utf-8")
            made.append(target)
    # Another name has another place among the imports, and another length.
    files = [path for path in made if path.suffix == ".py"]
    for command in (["format", "-q"], ["check", "-q", "--fix"], ["format", "-q"]):
        subprocess.run([sys.executable, "-m", "ruff", *command, *files], cwd=ROOT, check=True)
    text, last = CATALOGUE.read_text("utf-8"), f'    "{PACKAGES[-1]}",\n'
    CATALOGUE.write_text(text.replace(last, f'{last}    "{name}",\n'), "utf-8")
    for language, words in tomllib.loads((SKELETON / WORDS).read_text("utf-8")).items():
        translate(language, {named(text): named(translated) for text, translated in words.items()})
    return (
        f"companion/games/{name} plays: make run. Its title is in __init__.py and layout.py.\n"
        f"All that is asked of it: .venv/bin/python -m pytest --game {name}, and make lint"
    )


def translate(language: str, words: dict[str, str]) -> None:
    """Enters translations in a language's catalogue, which `make translations` puts in order."""
    path = ROOT / "companion" / "translations" / language / "LC_MESSAGES" / "messages.po"
    with path.open("rb") as file:
        catalogue = read_po(file, locale=language)
    for text, translated in words.items():
        if text not in catalogue:
            catalogue.add(text, translated)
    with path.open("wb") as file:
        write_po(file, catalogue)


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
