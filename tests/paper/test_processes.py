"""Whether the process that has a photo read still runs."""

from __future__ import annotations

import subprocess
import sys

from companion.paper.processes import has_ended, own_name

SAY = "import sys; from companion.paper.processes import own_name; print(own_name(), flush=True)"


def test_this_process_runs() -> None:
    assert own_name() == own_name()
    assert not has_ended(own_name())


def test_another_process_runs_until_it_ends() -> None:
    command = [sys.executable, "-c", f"{SAY}; sys.stdin.read()"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        name = process.stdout.readline().strip()
        assert name != own_name()
        assert not has_ended(name)
        process.communicate()
    assert has_ended(name)


def test_a_number_is_used_again() -> None:
    """After a restart, in a container, a process often has the number of the one before."""
    host, number, started = own_name().rsplit("/", 2)
    assert has_ended(f"{host}/{number}/{int(started) - 1}")


def test_nothing_is_known_of_other_computers() -> None:
    assert not has_ended("another-computer/1/1")
    assert not has_ended("another/computer/1/1")


def test_before_processes_had_names() -> None:
    assert has_ended("")
