"""No tap is lost or saved twice: without network, over a reload, and when the server is killed."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Route, expect

from tests.e2e.fixtures import OpenPhone
from tests.e2e.phones import NO_NETWORK, Phone, Table, blocked, make_table
from tests.kit.servers.server import Server

pytestmark = pytest.mark.e2e

PLAYERS = ("Ada", "Ben", "Carla")
BURST = 30
"""Taps of a burst."""
MIDDLE = 12
"""The server is killed while so many of them have been sent."""
REFUSED = r"the server responded with a status of 4"


@pytest.fixture
def tablet(open_phone: OpenPhone) -> Phone:
    """The host's tablet, on which every sheet lies."""
    tablet = open_phone(768, 1024)
    tablet.expected.append(NO_NETWORK)
    return tablet


@pytest.fixture
def table(tablet: Phone) -> Table:
    """A 9 in yellow or purple lies on the table, and nobody has written yet."""
    table = make_table(tablet, *PLAYERS)
    table.roll("Ada", yellow=4, purple=5)
    tablet.open(table.path)
    return table


THREE_TAPS = [
    {"do": "write", "by": "Ada", "row": "yellow", "field": 5},
    {"do": "write", "by": "Ben", "row": "purple", "field": 6},
    {"do": "pass", "by": "Carla"},
]


def three_taps(tablet: Phone) -> None:
    tablet.tap(tablet.spot("Ada", "yellow.5"))
    tablet.tap(tablet.spot("Ben", "purple.6"))
    tablet.tap(tablet.sheet("Carla").locator(".pass"))


def test_taps_without_network_wait_and_go_out_in_order(tablet: Phone, table: Table) -> None:
    version = table.version
    tablet.context.set_offline(True)
    three_taps(tablet)
    for player, spot in (("Ada", "yellow.5"), ("Ben", "purple.6")):
        expect(tablet.spot(player, spot)).to_have_class(re.compile("pending"))
    expect(tablet.see("#connection")).to_be_visible()
    expect(tablet.see("#connection")).to_contain_text("3")
    assert [tap["action"] for tap in tablet.waiting()] == THREE_TAPS
    tablet.context.set_offline(False)
    tablet.shows_version(version + 3)
    expect(tablet.see("#connection")).to_be_hidden()
    assert tablet.waiting() == []
    assert table.actions[-3:] == THREE_TAPS
    expect(tablet.see(".call")).to_have_attribute("data-by", "Ben")


def test_what_waits_is_not_shown_as_saved(
    tablet: Phone, table: Table, open_phone: OpenPhone
) -> None:
    """Not even when the page is redrawn because of another phone, while taps find no way."""
    tablet.page.route("**/taps", blocked)
    tablet.tap(tablet.spot("Ada", "yellow.5"))
    expect(tablet.see("#connection")).to_be_visible()
    table.write("Ben", "purple", 6)
    tablet.shows_version(table.version)
    expect(tablet.spot("Ben", "purple.6")).to_have_class(re.compile("written"))
    expect(tablet.spot("Ada", "yellow.5")).to_have_class(re.compile("pending"))
    tablet.page.unroute("**/taps")
    expect(tablet.spot("Ada", "yellow.5")).to_have_class(re.compile("written"))


def test_a_page_that_is_reloaded_still_has_its_taps(tablet: Phone, table: Table) -> None:
    tablet.context.route("**/taps", blocked)
    three_taps(tablet)
    expect(tablet.see("#connection")).to_contain_text("3")
    tablet.page.reload()
    expect(tablet.see("#connection")).to_contain_text("3")
    assert [tap["action"] for tap in tablet.waiting()] == THREE_TAPS
    expect(tablet.spot("Ada", "yellow.5")).to_have_class(re.compile("pending"))
    tablet.context.unroute("**/taps")
    tablet.has_saved_all()
    assert table.actions[-3:] == THREE_TAPS


def test_dice_tapped_without_network(tablet: Phone, open_phone: OpenPhone) -> None:
    """The second die refers to an entry that the server has never heard of."""
    table = make_table(tablet, *PLAYERS)
    tablet.open(table.path)
    tablet.context.set_offline(True)
    tablet.tap(tablet.die("yellow", 4))
    tablet.tap(tablet.die("purple", 5))
    for color, value in (("yellow", 4), ("purple", 5)):
        expect(tablet.die(color, value)).to_have_attribute("aria-pressed", "true")
    tablet.context.set_offline(False)
    expect(tablet.see(".called strong")).to_have_text("9")
    tablet.has_saved_all()
    assert table.actions == [{"do": "roll", "by": "Ada", "dice": {"yellow": 4, "purple": 5}}]


def test_a_tap_whose_answer_was_lost_is_one_entry(tablet: Phone, table: Table) -> None:
    version = table.version
    sent = []

    def lose_the_first_answer(route: Route) -> None:
        sent.append(route.request.post_data_json["id"])
        if len(sent) == 1:
            route.fetch()
            route.abort()
        else:
            route.continue_()

    tablet.page.route("**/taps", lose_the_first_answer)
    tablet.tap(tablet.spot("Ada", "yellow.5"))
    tablet.has_saved_all()
    tablet.shows_version(version + 1)
    assert len(sent) == 2
    assert sent[0] == sent[1]
    assert table.actions[-1] == THREE_TAPS[0]
    expect(tablet.toast).to_have_count(0)


def test_an_answer_that_is_not_the_table_s_saves_nothing(tablet: Phone, table: Table) -> None:
    """A hotel's log-in page answers everything with 200 and HTML: the tap waits, then goes out."""
    pattern = re.compile(r"/taps$")
    tablet.page.route(
        pattern, lambda route: route.fulfill(status=200, content_type="text/html", body="<p>Hi")
    )
    before = table.version
    tablet.tap(tablet.die("yellow", 3))
    expect(tablet.see("#connection")).to_be_visible()
    assert len(tablet.waiting()) == 1
    tablet.page.unroute(pattern)
    tablet.shows_version(before + 1)
    tablet.has_saved_all()
    assert table.actions[-1]["dice"] == {"yellow": 3, "purple": 5}


def test_two_quick_touches_are_one_tap(tablet: Phone, table: Table) -> None:
    version = table.version
    tablet.spot("Ada", "yellow.5").dblclick()
    tablet.has_saved_all()
    tablet.shows_version(version + 1)
    expect(tablet.toast).to_have_count(0)


def test_a_second_touch_after_the_answer_and_before_it_is_drawn_is_no_tap(
    tablet: Phone, table: Table
) -> None:
    pattern = re.compile(re.escape(table.path) + "$")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    tablet.page.route(pattern, hold)
    version = table.version
    with tablet.page.expect_response("**/taps"):
        tablet.spot("Ada", "yellow.5").click()
    tablet.has_saved_all()
    tablet.spot("Ada", "yellow.5").click()
    assert tablet.waiting() == []
    for route in held:
        route.continue_()
    tablet.page.unroute(pattern)
    tablet.shows_version(version + 1)
    expect(tablet.toast).to_have_count(0)


def test_a_conflict_is_shown_until_it_is_dismissed(tablet: Phone, table: Table) -> None:
    tablet.expected.append(REFUSED)
    tablet.context.set_offline(True)
    tablet.tap(tablet.spot("Ada", "yellow.5"))
    tablet.tap(tablet.spot("Ben", "purple.6"))
    table.write("Ada", "purple", 7)
    tablet.context.set_offline(False)
    tablet.has_saved_all()
    expect(tablet.toast).to_have_count(1)
    expect(tablet.toast.locator("li")).to_contain_text("Ada")
    expect(tablet.spot("Ada", "purple.7")).to_have_class(re.compile("written"))
    expect(tablet.spot("Ada", "yellow.5")).not_to_have_class(re.compile("pending|written"))
    assert table.actions[-2:] == [{**THREE_TAPS[0], "row": "purple", "field": 7}, THREE_TAPS[1]]

    table.passes("Carla")
    tablet.shows_version(table.version)
    expect(tablet.toast).to_be_visible()
    # The tap has left the queue, so this note is all that is left of it.
    tablet.page.reload()
    expect(tablet.toast).to_be_visible()
    tablet.understands()
    expect(tablet.toast).to_have_count(0)


def test_a_tap_for_a_turn_that_is_over_is_told(tablet: Phone, table: Table) -> None:
    tablet.expected.append(REFUSED)
    tablet.context.set_offline(True)
    tablet.tap(tablet.spot("Ben", "purple.6"))
    table.passes("Ada")
    table.send({"do": "next"})
    tablet.context.set_offline(False)
    expect(tablet.toast.locator("li")).to_have_count(1)
    tablet.has_saved_all()
    assert table.actions[-1] == {"do": "next"}


def test_kill_in_the_middle_of_a_burst(open_phone: OpenPhone, mortal: Server) -> None:
    """While a tap is on its way: whether it is saved nobody knows, and it is sent once more."""
    tablet = open_phone(768, 1024, at=mortal, throw_away=True)
    tablet.expected.append(NO_NETWORK)
    table = make_table(tablet, *PLAYERS)
    tablet.open(table.path)
    tablet.tap(tablet.die("yellow", 6))
    tablet.has_saved_all()
    version = table.version

    acknowledged: list[tuple[str, int]] = []
    tablet.page.expose_function("saved", lambda tap, at: acknowledged.append((tap, at)))
    tablet.page.expose_function("kill", mortal.kill)
    tablet.page.evaluate(
        """([burst, middle]) => {
          const plain = globalThis.fetch;
          let sent = 0;
          globalThis.fetch = async (...request) => {
            const answer = plain(...request);
            if (!request[0].endsWith('taps')) return answer;
            answer.catch(() => {});
            sent += 1;
            if (sent === middle) {
              await kill();
              globalThis.killed = true;
            }
            const response = await answer;
            if (response.ok)
              await saved(request[1].body, (await response.clone().json()).version);
            return response;
          };
          for (let tap = 0; tap < burst; tap++)
            document.querySelector(
              `#dice [data-part="dice.yellow"][data-value="${tap % 6 + 1}"]`).click();
        }""",
        [BURST, MIDDLE],
    )
    tablet.page.wait_for_function("() => globalThis.killed")
    expect(tablet.see("#connection")).to_be_visible()
    before = tuple(acknowledged)
    assert 0 < len(before) <= MIDDLE

    mortal.start()
    tablet.page.reload()
    tablet.has_saved_all()
    assert table.version == version + BURST, "each tap is one entry"
    for tap, at in before:
        # What is in the log already answers as it did the first time.
        again = tablet.context.request.post(
            f"{tablet.address}{table.path}taps",
            data=tap,
            headers={"Content-Type": "application/json"},
        )
        assert again.json()["version"] == at
    last = (BURST - 1) % 6 + 1
    assert table.version == version + BURST
    assert table.actions == [{"do": "roll", "by": "Ada", "dice": {"yellow": last}}]
    tablet.shows_version(version + BURST)
    expect(tablet.die("yellow", last)).to_have_attribute("aria-pressed", "true")


def test_ctrl_c_with_a_phone_at_the_table(open_phone: OpenPhone, mortal: Server) -> None:
    phone = open_phone(at=mortal)
    phone.expected.append(NO_NETWORK)
    table = make_table(phone, *PLAYERS)
    with phone.page.expect_response("**/live/**"):
        phone.open(table.path)
    mortal.stop()
    assert "Traceback" not in mortal.printed, mortal.printed
