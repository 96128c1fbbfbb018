"""Style sheets and typefaces: colours of a sheet, rules of one game, letters of names."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from flask import Flask
from fontTools.ttLib import TTFont

from companion.core import sheet_style
from companion.games.catalog import GAMES, SHEETS
from companion.tables import Tables
from companion.web.assets.styles import LAYERS
from companion.web.table.page_parts import COLUMN
from lab.pages import Page
from lab.phones import Phone
from lab.photos import standin
from lab.photos.sending import read
from tests.web.table.test_games import opened, some_game

pytestmark = pytest.mark.every_game

ROOT = Path(__file__).parents[3]
STATIC, TEMPLATES = ROOT / "static", ROOT / "templates"
STYLES = sorted((ROOT / "static").rglob("*.css"))
PICTURES = sorted(
    path
    for folder in ("static", "templates", "printables/templates")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".svg", ".html")
)
WIDEST = 130
"""Columns of a line in a template or style sheet, the data of paths aside."""
ALMOST = 35.0
"""Two colours (red, green, blue from 0 to 255) less far apart are meant to be one."""

SET = re.compile(r"--([\w-]+): *(#[0-9a-f]{6})")
HEX = re.compile(r"(?:#|%23)([0-9a-f]{6})\b", re.IGNORECASE)
"""A colour, also in a `data:` address."""


NAMED = {
    **sheet_style.COLORS,
    "on-color": sheet_style.ON_COLOR,
    "sheet-ink": sheet_style.INK,
    "sheet-soft": sheet_style.SOFT,
}
"""The style sheets' name of each colour that a sheet has on paper, too."""


def test_each_colour_is_set_once_for_light_and_dark() -> None:
    """A colour is a name on the sheet of paper, too; so it does not change with the screen."""
    texts = [path.read_text("utf-8") for path in STYLES]
    found = [pair for text in texts for pair in SET.findall(text)]
    assert sorted(pair for pair in found if pair[0] in NAMED) == sorted(NAMED.items())
    written = [f"#{color}" for text in texts for color in HEX.findall(text)]
    assert {color: written.count(color) for color in NAMED.values()} == dict.fromkeys(
        NAMED.values(), 1
    )


def parts(color: str) -> list[int]:
    """Red, green and blue of `rrggbb`."""
    return [int(color[at : at + 2], 16) for at in (0, 2, 4)]


each_file = pytest.mark.parametrize(
    "path", [*STYLES, *PICTURES], ids=lambda path: str(path.relative_to(ROOT))
)


@each_file
def test_no_colour_is_almost_that_of_a_sheet(path: Path) -> None:
    for written in HEX.findall(path.read_text("utf-8")):
        for name, color in sheet_style.COLORS.items():
            apart = math.dist(parts(written), parts(color.removeprefix("#")))
            assert apart == 0 or apart > ALMOST, f"#{written} is almost {name}, {color}"


@each_file
def test_lines_are_short_enough_to_be_read(path: Path) -> None:
    lines = [re.sub(r'\bd="[^"{]*"', "", line) for line in path.read_text("utf-8").splitlines()]
    too_long = [number for number, line in enumerate(lines, 1) if len(line) > WIDEST]
    assert "printables" in path.parts or too_long == []


def test_the_icon_of_the_pages_is_the_emblem(phone: Phone) -> None:
    page = phone.page("/")
    assert styles(page) == ["app+sheet+welcome"]
    drawn = set(HEX.findall(str(page.one("link", rel="icon").attrs["href"])))
    fills = {layer.style.fill for layer in sheet_style.EMBLEM}
    assert {f"#{color}" for color in drawn} == {sheet_style.INK, *fills}


# A base, and a file for each game or shared sheet

BASE = sorted(STATIC.glob("*.css"))
PACKAGES = {package for game in GAMES.values() for package in game.packages}
NAMES = PACKAGES | set(GAMES) | set(SHEETS) | {game.title for game in GAMES.values()}


def rules(path: Path) -> str:
    """A style sheet without its comments and addresses."""
    return re.sub(r"/\*.*?\*/|url\(.*?\)", "", path.read_text("utf-8"), flags=re.DOTALL)


def words(*paths: Path) -> set[str]:
    return {word for path in paths for word in re.findall(r"[\w-]+", path.read_text("utf-8"))}


@pytest.mark.parametrize("path", BASE, ids=lambda path: path.name)
def test_the_base_names_no_game(path: Path) -> None:
    text = path.read_text("utf-8").lower()
    assert [name for name in NAMES if re.search(rf"\b{re.escape(name.lower())}\b", text)] == []


def test_the_base_styles_nothing_that_only_one_game_has() -> None:
    """Neither a class of one game's template, nor an id."""
    games = TEMPLATES / "games"
    shared = [path for path in TEMPLATES.rglob("*.*") if games not in path.parents]
    everywhere = words(*shared, *(STATIC / "js").rglob("*.js"))
    in_packages = [words(*(games / package).glob("*")) for package in PACKAGES]
    for path in BASE:
        selectors = " ".join(re.findall(r"([^{};]+){", rules(path)))
        for name in set(re.findall(r"[.#]([a-z][\w-]*)", selectors)):
            found = sum(name in package for package in in_packages)
            assert found != 1 or name in everywhere, f"{path.name}: {name} is of one game"


def test_each_file_in_the_folder_belongs_to_a_game_or_to_columns() -> None:
    assert {path.stem for path in (STATIC / "games").iterdir()} <= PACKAGES | {COLUMN}


def styles(page: Page) -> list[str]:
    """The names of the style sheets in the order in which they count; joined ones are one name."""
    links = [str(link.attrs["href"]) for link in page.all("link", rel="stylesheet")]
    return [re.sub(r"^/static/|\.css\?v=\w+$", "", link) for link in links]


def of(*packages: str) -> list[str]:
    """The joined style sheet of those of these games that have one."""
    names = [package for package in packages if (STATIC / "games" / f"{package}.css").exists()]
    return ["games/" + "+".join(names)] if names else []


@pytest.mark.parametrize("name", GAMES)
def test_a_page_loads_the_rules_of_its_game_and_of_no_other(app: Flask, name: str) -> None:
    """In the lobby, too: the game begins without a new page. Lastly, so that they win."""
    host, packages = Phone(app), GAMES[name].packages
    lobby = host.post("/tables", {"game": name}).location
    at_a_table = ["app+sheet+end+table+stage+turns+help", *of(*packages)]
    assert styles(host.page(lobby)) == at_a_table
    fragment = host.get(lobby, way="htmx").text
    assert styles(Page(fragment)) == of(*packages)
    path = opened(host, name, some_game(name, seed=3, steps=3000))
    page = host.page(path)
    assert styles(page) == at_a_table
    (address,) = [a for a in page.all("a") if "/history/of/" in str(a.attrs["href"])]
    match = host.get(host.get(str(address.attrs["href"])).location)
    assert styles(Page(match.text)) == ["app+sheet+end+history", *of(*packages)]


@pytest.mark.parametrize(("photo", "sheet"), [(standin.TWO, "qwinto"), (standin.ENCORE, "encore")])
def test_a_review_loads_the_rules_of_the_sheet_that_it_shows(
    reading: tuple[Flask, Tables], photo: int, sheet: str
) -> None:
    phone = Phone(reading[0])
    page = phone.page(f"/review/{read(phone, standin.picture(photo))}/?sheet=1")
    assert styles(page) == ["app+sheet+end+photo", *of(sheet)]


def test_a_joined_style_sheet_has_all_rules_in_their_order_and_no_comment(phone: Phone) -> None:
    names = ("app", "sheet", "table", "help")
    alone = [phone.get(f"/static/{name}.css").text for name in names]
    layers = LAYERS.decode()
    joined = phone.get(f"/static/{'+'.join(names)}.css").text
    assert joined == layers + "".join(text.removeprefix(layers) for text in alone)
    for text, name in zip(alone, names, strict=True):
        written = (STATIC / f"{name}.css").read_text("utf-8")
        assert "/*" in written
        kept = re.sub(r"/\*.*?\*/\s*", "", written, flags=re.DOTALL)
        assert "".join(kept.split()).replace(";}", "}") in "".join(text.split())
        for spaced in re.findall(r'"[^"\n]*"|\) and \(|[\w-]+ \.[\w-]+ \{', kept):
            assert spaced.removesuffix(" {") in text, "these blanks mean something"


def test_an_unknown_style_sheet(phone: Phone) -> None:
    for name in ("none", "app+none", "app+app", "app+", "+", "games/none", "..%2fapp"):
        assert phone.get(f"/static/{name}.css").status_code == 404


# Typefaces

FACE = re.compile(r"@font-face \{(.*?)\n\}", re.DOTALL)
PEOPLE = (
    "Łukasz Żółć-Gąśkiewicz, Święty Jędrzej Źdźbło",
    "Jiří Šťastný, Žofie Čeňková, Ďáblík Růžička, Ľubomír",
    "Şükrü Işık, İbrahim Çağlar Doğuş",
    "Nguyễn Thị Hường, Đặng Văn Ơn, Trần Quốc Tuấn, Ỷ Ẵ Ặ",
    "Ștefan Țuțu, Őrült Űz, Åse Þorgerður Øvergård, Françoise Müßig",
    "Γιώργος Παπαδόπουλος, Άννα Ξένου, Ήβη Ψαΐδη",
)


def letters_of(family: str) -> set[int]:
    """The letters for which a page loads a file of this typeface that has them."""
    found: set[int] = set()
    for block in FACE.findall((STATIC / "app.css").read_text("utf-8")):
        name = re.search(r"fonts/[\w-]+\.woff2", block)
        if name and f'font-family: "{family}"' in block:
            with TTFont(STATIC / name[0]) as font:
                letters = set(font.getBestCmap())
            spans = re.findall(r"U\+([0-9A-F]+)(?:-([0-9A-F]+))?", block)
            ranges = [range(int(first, 16), int(last or first, 16) + 1) for first, last in spans]
            found |= letters & set().union(*ranges) if spans else letters
    return found


@pytest.mark.parametrize("family", ["Fredoka", "Nunito"])
def test_a_name_is_written_in_one_face(family: str) -> None:
    assert set(map(ord, "".join(PEOPLE))) <= letters_of(family)
