"""An evening in a real Chromium: what newcomers tap, taps of a turn, and when screens change.

Times of people are simulated: a person taps every 1.2 s and types 3 keys a second. The machine's
own time is added as it was measured, with what the driver of the browser takes.
"""

from __future__ import annotations

import random
import time
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from benchmarks.fingers import Hands, Phone, TappedTurn
from benchmarks.games import tapped_turns
from benchmarks.report import Seconds, heading, line, ms, quantile
from benchmarks.servers import server
from companion.core.game import Game
from companion.tables.ledger.names import SEAT_COLORS
from lab import browser as chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser

TAP: Final[Seconds] = 1.2  # a person's time for a tap: to see what comes, and to tap it
KEYS_A_SECOND: Final = 3.0
SCAN: Final[Seconds] = 5.0  # a guest's time to take the phone and point it at the QR code
NAMES: Final = ("Ada", "Benjamin", "Charlotte")
GAMES: Final = 2  # random games of each kind
MOST_TURNS: Final = 15  # turns of a game that are tapped


def run() -> None:
    """Prints taps and times of newcomers, taps of a turn, and the latencies of screens."""
    heading(
        "evening",
        "people at a table, in Chromium at 360×640",
        "first roll ≤ 45 s and ≤ 5 taps; own screen ≤ 100 ms, others ≤ 150 ms",
    )
    try:
        with (
            TemporaryDirectory() as folder,
            server.companion(Path(folder) / "app.db") as app,
            chromium.launched() as browser,
        ):
            _newcomers(browser, app.address)
            _games(browser, app.address)
    except chromium.NoBrowser as reason:
        print(f"  left out: {reason}")


# From nothing to the first roll


def _newcomers(browser: Browser, address: str) -> None:
    for label, play in (("one phone for three", _on_one_phone), ("three phones", _on_three)):
        phones = [Phone.made(browser, address) for _ in NAMES]
        began = time.perf_counter()
        extra = play(phones)
        machine = time.perf_counter() - began
        # The guests act at the same time, so only the slowest of them counts.
        host, *guests = [one.taps * TAP + one.keys / KEYS_A_SECOND for one in phones]
        simulated = host + max(guests) + extra + machine
        taps = sum(one.taps for one in phones)
        line(f"{label}: taps until the first die", taps, f"{[one.taps for one in phones]} a phone")
        line(f"{label}: simulated time", f"{simulated:.1f} s", f"machine {machine:.1f} s of it")
        for one in phones:
            one.context.close()


def _begin(host: Phone) -> None:
    """Opens the first page, and chooses the first game."""
    host.page.goto("/")
    host.tap(".games button")
    host.page.locator("#new-name:focus").wait_for()


def _on_one_phone(phones: list[Phone]) -> Seconds:
    """One phone goes round; its owner types all the names."""
    host = phones[0]
    _begin(host)
    for count, name in enumerate(NAMES, 1):
        host.type(name)
        host.page.wait_for_function(f"() => document.querySelectorAll('.seat').length === {count}")
    host.tap(".go-buttons form button.primary")
    host.tap("#dice [data-part]")
    return 0.0


def _on_three(phones: list[Phone]) -> Seconds:
    """The host types the own name and shows the QR code; the guests scan it and type theirs."""
    host, *guests = phones
    _begin(host)
    host.type(NAMES[0])
    host.page.locator(".seat .name").first.wait_for()
    host.tap("#go-invite")
    link = host.page.locator("#dialog .link").inner_text()
    for guest, name in zip(guests, NAMES[1:], strict=True):
        guest.page.goto(link[link.index("/j/") :])
        field = guest.page.locator("[name=name]")
        if not field.evaluate("field => field === document.activeElement"):
            guest.taps += 1
            field.tap()
        guest.type(name)
        guest.page.locator("main.lobby").wait_for()
    host.tap("#dialog [data-close]")
    host.tap(".go-buttons form button.primary")
    host.tap("#dice [data-part]")
    return SCAN


# Turns


def _games(browser: Browser, address: str) -> None:
    own: list[Seconds] = []
    others: list[Seconds] = []
    for game, turn in tapped_turns():
        counts: list[tuple[int, int]] = []
        players = NAMES[: max(2, game.min_players)]
        for seed in range(GAMES):
            hands = _seated(browser, address, game, players, seed, turn)
            counts += _taps_of_turns(hands, turn)
            own += hands.own
            others += hands.others
            for phone in hands.phones.values():
                phone.context.close()
        own_taps, other_taps = zip(*counts, strict=True)
        text = f"mean {fmean(own_taps):.1f}, most {max(own_taps)}"
        if turn.is_of_active:
            text += f"; of each other {fmean(other_taps):.1f}, most {max(other_taps)}"
        line(f"{game.title}: taps {turn.counted}", text, f"{len(counts)} turns; aim {turn.aim}")
    _latency("tap → own screen", own, "≤ 100 ms")
    _latency("tap → the other phone's screen", others, "≤ 150 ms")


def _latency(label: str, times: list[Seconds], aim: str) -> None:
    text = f"p50 {ms(quantile(times, 0.5))}, p95 {ms(quantile(times, 0.95))}"
    line(label, text, f"{len(times)} taps; aim {aim}")


def _seated(
    browser: Browser,
    address: str,
    game: Game,
    players: tuple[str, ...],
    seed: int,
    turn: TappedTurn,
) -> Hands:
    """A game that has begun, each player with a phone of their own."""
    phones = {name: Phone.made(browser, address, turn.size) for name in players}
    host = phones[players[0]]
    path = host.context.request.post("/tables", form={"game": game.name}).url
    for name, color in zip(players, SEAT_COLORS, strict=False):
        host.context.request.post(f"{path}do/add", form={"name": name, "color": color})
    for name in turn.switched:
        host.context.request.post(f"{path}do/{name}", form={name: "on"})
    host.context.request.post(f"{path}do/start")
    link = host.context.request.post(f"{path}share").text()
    token = link[link.index("/j/") :].split('"')[0].split("<")[0]
    host.context.request.post(f"{path}do/take", form={"seat": "1"})
    for seat, name in enumerate(players[1:], 2):
        phones[name].context.request.post(token, form={"seat": str(seat)})
    for phone in phones.values():
        phone.context.add_init_script("localStorage.setItem('awake-told', 'true')")
        phone.page.goto(path)
        phone.page.locator("main.play").wait_for()
    return Hands(phones, random.Random(seed))


def _taps_of_turns(hands: Hands, turn: TappedTurn) -> list[tuple[int, int]]:
    """Plays turns until the game is over; returns the taps that count in each, and the rest."""
    counts: list[tuple[int, int]] = []
    while len(counts) < MOST_TURNS and (active := hands.active):
        who = active if turn.is_of_active else ""
        before, all_before = hands.taps(who), hands.taps()
        turn.roll(hands, active)
        order = [active, *(name for name in hands.phones if name != active)]
        while hands.active == active:
            player = next((name for name in order if turn.may_act(hands, name)), None)
            if player is None:
                break
            turn.act(hands, player)
        taps = hands.taps(who) - before
        counts.append((taps, hands.taps() - all_before - taps))
    return counts
