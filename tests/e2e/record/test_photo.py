"""Score by photo in a real browser: what is taken, read, checked and typed in.

Photos are read by a stand-in (`lab.photos.standin`), so that what is read is known.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import expect

from companion.core.sheet import Mark
from companion.games.catalog import SHEETS
from lab.photos import standin
from lab.servers.process import Server
from lab.wide import first_of
from tests.e2e import screens
from tests.e2e.fixtures import OpenPhone, served
from tests.e2e.phones import CLOSE, Phone
from tests.e2e.screens import Look

pytestmark = pytest.mark.e2e

CAMERA = "[data-photo][capture]"
GALLERY = "[data-photo][multiple]"
NEXT_LOOK = """new Promise((done) => document.addEventListener(
    "htmx:beforeRequest", ({ detail }) => detail.elt.id === "progress" && done()))"""
"""Resolves when the page is about to ask how far its photos are."""

BELOW_TITLE = """() => {
  const [title, card] = ["#checks-title", ".check-card"].map((part) =>
    document.querySelector(part).getBoundingClientRect());
  return [card.x - title.x, card.y - title.y];
}"""
"""The distance of the first question from the title above it."""


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with served(tmp_path_factory.mktemp("reading"), reader="lab.photos.standin") as running:
        yield running


@pytest.fixture
def photographer(open_phone: OpenPhone, reading: Server) -> Callable[..., Phone]:
    def opened(width: int = 360, height: int = 640, **more: Any) -> Phone:
        return open_phone(width, height, at=reading, **{"reduced_motion": "no-preference", **more})

    return opened


def take(phone: Phone, *widths: int, source: str = CAMERA) -> None:
    """Chooses photos as a camera or a gallery gives them."""
    files = [
        {"name": f"{width}.jpg", "mimeType": "image/jpeg", "buffer": standin.picture(width)}
        for width in widths
    ]
    # The page that was asked for is there with its scripts, which send what is chosen.
    phone.page.locator(source).first.wait_for(state="attached")
    phone.page.wait_for_load_state()
    phone.page.locator(source).first.set_input_files(files)  # type: ignore[arg-type]


def by_hand(phone: Phone, game: str, *names: str) -> None:
    """A review in which sheets are typed in."""
    form = {"game": game, "names": "\n".join(names)}
    answer = phone.context.request.post(f"{phone.address}/by-hand", form=form)
    phone.open(answer.url.removeprefix(phone.address))


def is_read(phone: Phone) -> None:
    expect(phone.see("#review")).to_be_visible()
    expect(phone.see("#reading")).to_have_count(0)


def open_sheet(phone: Phone) -> None:
    """Shows the sheet with the most points whole."""
    phone.tap(phone.see(".sheet-card").first)
    expect(phone.see("#sheet-title")).to_be_in_viewport()


def test_a_reading_is_checked_and_corrected(photographer: Callable[..., Phone]) -> None:
    """`test_paper_to_history` goes on to the winner."""
    phone = photographer()
    phone.open()
    phone.tap(".by-photo")
    take(phone, standin.TWO)
    is_read(phone)
    expect(phone.see("#checks-title")).to_have_text(re.compile("2 fields to check"))
    expect(phone.see(".finish .primary")).to_be_disabled()
    # One question after the other: the next one is where the answered one was.
    question = phone.see(".check-card").first
    expect(question).to_contain_text("1/2")
    place = phone.page.evaluate(BELOW_TITLE)
    # One choice confirms, another corrects.
    phone.tap(question.get_by_role("button", name="15"))
    expect(phone.see("#checks-title")).to_have_text(re.compile("1 field to check"))
    assert phone.page.evaluate(BELOW_TITLE) == place
    # Back to what was answered last
    phone.tap(".answered")
    expect(phone.see("#dialog .pad-number [aria-pressed=true]")).to_have_text("15")
    phone.tap(CLOSE)
    phone.tap(phone.see(".check-card").first.get_by_role("button", name="6", exact=True))
    expect(phone.see("#checks-title")).to_have_count(0)
    # A field is corrected on its picture, and the total follows.
    open_sheet(phone)
    total = phone.see(".review-terms .sum b")
    expect(total).to_have_text("43")
    phone.tap(phone.see('.reading a[data-field="yellow.9"]'))
    phone.tap(phone.see("#dialog .pad-number").get_by_role("button", name="18"))
    expect(phone.see("#dialog")).to_be_hidden()
    expect(total).to_have_text("45")
    # A cross changes at once.
    phone.tap(phone.see('.reading a[data-field="failed.2"]'))
    expect(total).to_have_text("50")


def test_a_photo_of_48_megapixels_is_made_smaller_on_the_phone(
    photographer: Callable[..., Phone],
) -> None:
    raw = io.BytesIO()
    # Noise in a corner makes it a large file, as a camera's is.
    picture = Image.new("RGB", (8000, 6000), "gray")
    picture.paste(Image.effect_noise((2000, 1500), 80).convert("RGB"))
    picture.save(raw, "JPEG", quality=95)
    phone = photographer()
    phone.open("/photo")
    with phone.page.expect_request("**/upload/new") as sent:
        phone.page.locator(CAMERA).first.set_input_files(
            {"name": "a.jpg", "mimeType": "image/jpeg", "buffer": raw.getvalue()}  # type: ignore[arg-type]
        )
    headers = sent.value.all_headers()
    assert int(headers["content-length"]) < len(raw.getvalue())
    is_read(phone)


def test_sections_that_need_nobody_are_folded(photographer: Callable[..., Phone]) -> None:
    """Three clear sheets fit into a screen and a half, with Save in view from the beginning."""
    phone = photographer(locale="de-DE")
    photos(standin.THREE)(phone)
    review_id = phone.page.url.split("/")[4]
    for sheet, name in (("1", "Ada"), ("2", "Ben"), ("3", "Maximiliane Wolkenstein")):
        expect(phone.see(".left")).to_contain_text(f"{4 - int(sheet)} Name")
        phone.post(f"/review/{review_id}/do/name", on=sheet, name=name)
        phone.page.reload()
    expect(phone.see(".finish .primary")).to_be_in_viewport()
    high = "() => document.documentElement.scrollHeight"
    assert phone.page.evaluate(high) <= 960
    open_sheet(phone)
    expect(phone.see(".finish .primary")).to_be_in_viewport()
    phone.tap(phone.see(".sheet-card").first)
    expect(phone.see("#sheet-title")).to_have_count(0)
    # What is left to do leads to its place.
    phone.tap(".left")
    expect(phone.see("#totals-title")).to_be_in_viewport()


PLACES = {
    "orange": {1: 2, 2: 3, 3: 6, 4: 7, 5: 9, 7: 13, 8: 14},
    "yellow": {1: 1, 2: 7, 4: 9, 5: 10, 6: 12, 7: 13, 8: 14, 9: 16},
    "purple": {1: 2, 2: 3, 4: 11, 5: 12, 6: 13, 8: 17, 9: 18},
}
NUMBERS: dict[str, Mark] = {
    f"{row}.{place}": number for row, places in PLACES.items() for place, number in places.items()
}
"""22 numbers of a Qwinto sheet, which come to 40 points."""


def test_a_sheet_is_typed_in_number_after_number(photographer: Callable[..., Phone]) -> None:
    """At most 30 taps for 22 numbers, and nothing is scrolled sideways."""
    phone = photographer(360, 640)
    by_hand(phone, "qwinto-dice", "Ada", "Ben")
    fields = phone.see(".reading a[data-typed]").evaluate_all(
        "fields => fields.map((field) => field.dataset.field)"
    )
    last = max(map(fields.index, NUMBERS))
    phone.taps = 0
    for name in fields[: last + 1]:
        expect(phone.see(".reading a.now")).to_have_attribute("data-field", name)
        phone.tap(f"[data-key='{NUMBERS.get(name, 'forward')}']")
    assert phone.taps <= 30
    expect(phone.see(".review-terms .sum b")).to_have_text("40")
    wide = "boxes => boxes.every((box) => box.scrollWidth <= box.clientWidth)"
    assert phone.see("html, .reading-scroll").evaluate_all(wide)
    # The marked field and the keys are in sight together, and what breaks a rule is dim.
    phone.tap(phone.see('.reading a[data-field="orange.6"]'))
    for part in (".reading a.now .hit", "[data-key='1']", "[data-key='forward']"):
        expect(phone.see(part)).to_be_in_viewport()
    dim = phone.see("[data-key].dim").evaluate_all("keys => keys.map((key) => key.dataset.key)")
    assert [number for number in range(1, 19) if str(number) not in dim] == [10, 11, 12]
    phone.tap("[data-key='10']")
    expect(phone.see('.reading a[data-field="orange.6"]')).to_contain_text("10")
    # The next one is emptied and written again.
    for key in ("clear", "12"):
        expect(phone.see(".reading a.now")).to_have_attribute("data-field", "orange.7")
        phone.tap(f"[data-key='{key}']")
    numbers = {**NUMBERS, "orange.6": 10, "orange.7": 12}
    total = SHEETS["qwinto"].marked("", numbers).score["total"]
    expect(phone.see(".review-terms .sum b")).to_have_text(str(total))
    # After the last field comes the next sheet.
    phone.tap(phone.see('.reading a[data-field="purple.9"]'))
    phone.tap("[data-key='forward']")
    expect(phone.see("#tab-2")).to_have_attribute("aria-current", "true")
    expect(phone.see("[data-keypad-field]")).to_have_text(re.compile("^Ben: orange"))


def test_a_tally_is_typed_digit_by_digit(photographer: Callable[..., Phone]) -> None:
    phone = photographer()
    by_hand(phone, "freaky", "Ada", "Ben")
    phone.tap(phone.see('.reading a[data-field="round.1.player.2"]'))
    for key in ("1", "0", "clear", "2"):
        phone.tap(f"[data-key='{key}']")
    # No third digit fits, so the next field has its turn.
    expect(phone.see(".reading a.now")).to_have_attribute("data-field", "round.2.player.1")
    expect(phone.see(".ranking")).to_contain_text("12")


def test_a_number_below_zero_is_typed_where_it_was_read_without_its_sign(
    photographer: Callable[..., Phone],
) -> None:
    phone = photographer()
    digits(phone)
    for key in ("back", "1", "±", "2", "±", "±"):
        phone.tap(f"#dialog [data-digit='{key}']")
    phone.tap("#dialog .digit-pad .primary")
    field = phone.see('.reading a[data-field="round.2.player.1"]')
    expect(field).to_have_attribute("aria-label", re.compile("[-−]12"))


def test_a_sheet_is_typed_in_beside_its_photo(photographer: Callable[..., Phone]) -> None:
    """The photo keeps its size and place while fields are filled in."""
    phone = photographer()
    photos(standin.NOTHING)(phone)
    phone.page.locator(".trouble select[name=kind]").select_option("encore")
    phone.tap(".trouble .adder button")
    photo = phone.see(".photo-scroll img")
    box = phone.see(".photo-scroll")
    width = box.evaluate("box => box.clientWidth")
    expect(photo).to_have_js_property("offsetWidth", width)
    phone.tap(phone.see(".zoom label").filter(has_text="4×"))
    expect(photo).to_have_js_property("offsetWidth", 4 * width)
    box.evaluate("box => box.scrollTo(300, 40)")
    phone.tap(phone.see('.reading a[data-field="H1"]'))
    expect(phone.see('.reading a[data-field="H1"]')).to_have_class(re.compile("written"))
    expect(photo).to_have_js_property("offsetWidth", 4 * width)
    assert box.evaluate("box => box.scrollLeft") == 300
    phone.tap(phone.see(".photo-beside summary"))
    expect(photo).to_be_hidden()
    phone.tap(phone.see(".sheet-panel").get_by_role("button", name="Another sheet"))
    expect(phone.see(".sheet-tab")).to_have_count(2)
    expect(phone.see("#tab-2")).to_have_attribute("aria-current", "true")


def test_a_photo_that_is_read_takes_no_dialog_away(photographer: Callable[..., Phone]) -> None:
    """The page asks on when the dialog is closed."""
    phone = photographer()
    photos(standin.ONE)(phone)
    phone.page.route("**/upload/look", lambda route: route.fulfill(status=204))
    take(phone, standin.SLOW)
    photo = str(phone.see("[id^=stop-]").get_attribute("id")).removeprefix("stop-")
    phone.tap(phone.see(".check-card").first.get_by_role("link"))
    expect(phone.see("#dialog .pad-number")).to_be_visible()
    phone.post(f"{phone.page.url.removeprefix(phone.address)}do/cancel", photo=photo)
    for _ in range(2):
        phone.page.evaluate(NEXT_LOOK)
    expect(phone.see("#dialog .pad-number")).to_be_visible()
    phone.tap(CLOSE)
    expect(phone.see("#reading")).to_have_count(0)
    expect(phone.see("#progress")).to_have_count(0)


# Every page on every screen


def photos(*widths: int) -> Callable[[Phone], None]:
    """The review of these photos."""

    def opened(phone: Phone) -> None:
        phone.open("/photo")
        take(phone, *widths, source=GALLERY)
        is_read(phone)

    return opened


def first_page(phone: Phone) -> None:
    phone.open("/photo")


review = photos(standin.TWO, standin.NOTHING)
tally = photos(standin.TALLY)


def opened(phone: Phone) -> None:
    review(phone)
    open_sheet(phone)


def winner(phone: Phone) -> None:
    """The winner's sums on paper are wrong."""
    photos(standin.MISREAD, standin.CLEAN)(phone)
    review = phone.page.url.removeprefix(phone.address)
    for sheet, name in (("1", "Ada"), ("2", "Ben")):
        phone.post(f"{review}do/name", on=sheet, name=name)
        phone.post(f"{review}do/checked", on=sheet)
    phone.post(f"{review}do/game", game="qwinto-dice")
    phone.open(review)
    expect(phone.see(".winner .hint").first).to_be_visible()


def field(phone: Phone) -> None:
    opened(phone)
    phone.tap(phone.see('.reading a[data-field="orange.8"]'))
    expect(phone.see("#dialog .pad-number")).to_be_visible()


def digits(phone: Phone) -> None:
    tally(phone)
    open_sheet(phone)
    phone.tap(phone.see('.reading a[data-field="round.2.player.1"]'))
    expect(phone.see("#dialog .digit-pad")).to_be_visible()


def typed(phone: Phone) -> None:
    by_hand(phone, "encore", "Maximiliane Wolkensteins", "Ben")


def keyed(phone: Phone) -> None:
    by_hand(phone, "qwinto-dice", "Maximiliane Wolkensteins", "Ben")
    phone.tap("[data-key='9']")
    # The script draws the number at once, the server its name, too.
    field = phone.see('.reading a[data-field="orange.1"]')
    expect(field).to_have_attribute("aria-label", re.compile("9"))


def totals(phone: Phone) -> None:
    phone.open("/totals")
    phone.page.locator("[name=game][value=encore]").check(force=True)
    for place, name in enumerate(("Maximiliane Wolkensteins", "Ben")):
        phone.page.locator("[name=name]").nth(place).fill(name)
        phone.page.locator("[name=total]").nth(place).fill("-12")
    phone.expected.append("status of 422")
    phone.tap("main .primary")
    expect(phone.see(".who-won")).to_be_visible()


def beside(phone: Phone) -> None:
    photos(standin.REFUSED)(phone)
    phone.tap(".trouble .adder button")
    expect(phone.see(".photo-beside")).to_be_visible()


PAGES: dict[str, Callable[[Phone], None]] = {
    "review": review, "encore": photos(standin.ENCORE), "tally": tally,
    "publishers": photos(standin.PUBLISHERS),
    "twice": photos(standin.CLEAN, standin.CLEAN),
    **{page.__name__: page for page in (first_page, opened, winner, field, digits, typed, keyed)},
    **{page.__name__: page for page in (totals, beside)},
}  # fmt: skip
USUAL = ("review", "first_page", "opened", "field", "digits", "keyed", "totals", "beside")


@screens.each_look
@pytest.mark.parametrize("page", first_of(PAGES, *USUAL))
def test_every_screen(photographer: Callable[..., Phone], page: str, look: Look) -> None:
    phone = photographer(*look.sizes[0], locale=look.locale)
    PAGES[page](phone)
    assert look.faults(phone) == {}
