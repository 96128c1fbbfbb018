"""Two servers on one PostgreSQL behind a plain proxy: any phone talks to any of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.fixtures import OpenPhone
from tests.e2e.phones import NO_NETWORK, Phone
from tests.e2e.record.test_photo import (
    test_from_the_photo_to_the_winner_in_the_history as score_by_photo,
)
from tests.e2e.test_whole_game import test_from_set_up_to_winner as play_a_game
from tests.kit.servers.program import PATIENT, Program, free_port
from tests.kit.servers.proxy import Proxy, proxied
from tests.kit.servers.server import Server

pytestmark = [pytest.mark.e2e, pytest.mark.postgres]

MIDDLE = 40
"""The tap before which one of the servers is killed."""


@pytest.fixture
def servers(tmp_path: Path, postgres_database: str) -> list[Server]:
    """Two servers that read no photos, on one database."""
    made = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        more = ("--readers", "0")
        made.append(Server(tmp_path / name, free_port(), database=postgres_database, more=more))
    return made


@pytest.fixture
def proxy(servers: list[Server]) -> Iterator[Proxy]:
    """The only address that the phones know; the servers run meanwhile."""
    with proxied(*(server.port for server in servers)) as made:
        for server in servers:
            server.variables["COMPANION_TEST_ADDRESS"] = made.address
            server.start()
        yield made
        for server in servers:
            if not server.has_ended:
                server.stop()
    printed = "".join(server.printed for server in servers)
    assert "Traceback" not in printed, printed


@pytest.fixture
def anywhere(open_phone: OpenPhone, proxy: Proxy) -> OpenPhone:
    """Phones whose requests go to one server and to the other."""

    def opened(width: int = 360, height: int = 640, **more: Any) -> Phone:
        phone = open_phone(width, height, at=proxy, **more)
        phone.expected.append(NO_NETWORK)
        return phone

    return opened


@pytest.mark.wide
def test_a_game_goes_on_when_one_of_two_servers_is_killed(
    anywhere: OpenPhone, proxy: Proxy, servers: list[Server], tmp_path: Path
) -> None:
    killed: list[int] = []

    def kill(number: int) -> None:
        if number == MIDDLE:
            servers[0].kill()
            killed.append(len(proxy.answered))

    proxy.before_tap = kill
    play_a_game(anywhere, tmp_path, tapped=1)
    (middle,) = killed
    first, second = (server.port for server in servers)
    assert min(proxy.answered[:middle].count(port) for port in (first, second)) > middle // 4
    assert set(proxy.answered[middle:]) == {second}


@pytest.mark.wide
def test_a_photo_is_read_by_neither(
    anywhere: OpenPhone, postgres_database: str, tmp_path: Path
) -> None:
    environment = {"COMPANION_TEST_READER": "tests.kit.photos.standin"}
    arguments = ["reader", "--db", postgres_database]
    reader = Program(PATIENT, arguments, tmp_path / "reader", environment)
    reader.start()
    try:
        score_by_photo(anywhere)
    finally:
        status, said = reader.stop()
    assert status == 0
    assert "Traceback" not in said
