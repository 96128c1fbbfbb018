"""Measures how often a printed name is known, and that nobody else is ever taken for it.

    python -m benchmarks.reading --names 100 --jobs 2

Each photo shows a pad that was printed for one of `NAMES`. It is read once with all of them as
those who can be meant, and once with all others and every name that is nearly the printed one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.photos.shot import KINDS, simulate
from benchmarks.report import heading
from tests.kit.camera.conditions import DIFFICULTIES

_NAMES: Final = """
Ada Adam Al Alexander Ángel Ann Anna Anna-Lena Anne Anton Antonia Bartholomäus Begoña Ben Bill
Björn Bo Carl Çelik Chloé Christian Cleo Dan Eliane Elli Ellie Emil Emilia Emma Eva Fin François
Greta Günther Hans Ida Illi Ilse Íñigo Jan Jill Jo Johanna Jonas Jörg José Jürgen Kai Karl Kira
Lea Lee Lena Leo Li Liliane Lilli Lilly Lina Lu Luca Lucas Lukas Ma Mama Mara Maria Marie Mario
Marta Matthias Max Maximiliane Mia Mila Milo Miriam Nele Nico Nil Nina Noah Nora Núria O'Neil Ole
Oma Opa Øyvind Paul Paula Peter Petra Philipp Pia Quentin R2D2 Ralf Renée Rolf Rosa Sam Sara Sarah
Søren Sofia Sophie Stefan Stephan Theo Tim Tom Uwe Vera Victor Wanda Will Willi William Xenia Yann
Zoe Zoë Åsa Wolfeschlegelsteinhausen
"""
NAMES: Final = tuple(_NAMES.split())
LETTERS: Final = "abcdefghijklmnopqrstuvwxyzäöüéèAEIOU"
ALIKE: Final = ("rn m", "nn m", "ri n", "cl d", "vv w", "li h", "ii u", "l I", "c e", "o a", "h n")
"""Letters that look alike when they are blurred."""


class NameOutcome(NamedTuple):
    """The names that were read in a photo of a pad printed for `name`."""

    seed: int
    difficulty: str
    name: str
    read: str
    """Empty when it is asked for."""
    wrong: str
    """The one taken although nobody of this name was among those who can be meant."""
    nearly: int
    """The number of names that were tried then."""


def near_names(name: str) -> set[str]:
    """All names with another letter, one letter more or fewer, or others that look alike."""
    found = set()
    for place in range(len(name) + 1):
        for letter in LETTERS:
            found |= {name[:place] + letter + name[place + 1 :]}
            found |= {name[:place] + letter + name[place:]}
        found |= {name[:place] + name[place + 1 :]}
    for pair in ALIKE:
        one, other = pair.split()
        found |= {name.replace(one, other, 1), name.replace(other, one, 1)}
    return {other for other in found if other and other.casefold() != name.casefold()}


def measure_name(seed: int, folder: Path) -> list[NameOutcome]:
    """Simulates and reads a photo; empty when its pad is not found."""
    from companion.vision.reading import read

    name = NAMES[seed % len(NAMES)]
    difficulty = DIFFICULTIES[seed % len(DIFFICULTIES)]
    kind = KINDS[seed % len(KINDS)]
    shot = simulate(seed, difficulty, [kind], player=name, folder=folder)
    others = [*({*NAMES} - {name}), *near_names(name)]
    return [
        NameOutcome(
            seed, difficulty, name, sheet.names.get(0, ""), again.names.get(0, ""), len(others)
        )
        for sheet, again in zip(
            read(shot.jpeg, names=NAMES).sheets, read(shot.jpeg, names=others).sheets, strict=True
        )
    ]


def report(outcomes: Sequence[NameOutcome]) -> None:
    """Prints the rates, and each name that was taken wrongly with its seed."""
    heading("names", "printed names, by the simulated camera", "wrong: none")
    for difficulty in ("all", *DIFFICULTIES):
        of = [found for found in outcomes if difficulty in ("all", found.difficulty)]
        count = Counter(
            "asked" if not found.read else "right" if found.read == found.name else "wrong"
            for found in of
        )
        tried, taken = sum(found.nearly for found in of), sum(bool(found.wrong) for found in of)
        rates = ", ".join(f"{kind} {count[kind]}" for kind in ("right", "asked", "wrong"))
        print(f"  {difficulty}: {len(of)} pads: {rates}; of {tried} other names taken: {taken}")
    for found in outcomes:
        if found.wrong or found.read not in ("", found.name):
            print(f"  wrong: {found}")
