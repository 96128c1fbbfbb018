"""No tap is lost or saved twice: without network, over a reload, and when the server is killed."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from lab.servers.process import Server
from tests.e2e.fixtures import OpenPhone
from tests.e2e.phones import NO_NETWORK, Phone, Table, make_table

pytestmark = pytest.mark.e2e

PLAYERS = ("Ada", "Ben", "Carla")
BURST = 30  # taps of a burst
MIDDLE = 12  # the server is killed when this many have been sent
REFUSED = r"the server responded with a status of 4"


@pytest.fixture
def tablet(open_phone: OpenPhone) -> Phone:
    """The host's tablet, which shows every sheet lying."""
    tablet = open_phone(768, 1024)
    tablet.expected.append(NO_NETWORK)
    return tablet


@pytest.fixture
def table(tablet: Phone) -> Table:
    """A 9 in yellow or purple has been rolled, and nobody has written yet."""
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
    tablet.enlarges("Ben")
    tablet.tap(tablet.spot("Ben", "purple.6"))
    tablet.enlarges("Carla")
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


def test_a_conflict_is_shown_until_it_is_dismissed(tablet: Phone, table: Table) -> None:
    tablet.expected.append(REFUSED)
    tablet.context.set_offline(True)
    tablet.tap(tablet.spot("Ada", "yellow.5"))
    tablet.enlarges("Ben")
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
    assert table.actions == [{"do": "roll", "by": "Ada", "dice": {"yellow": last}}]
    tablet.shows_version(version + BURST)
    expect(tablet.die("yellow", last)).to_have_attribute("aria-pressed", "true")
