"""A child process has its limits, and ends with all that it started; the app goes on."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from companion import children
from companion.children import ChildLimits
from lab.patience import PATIENCE, until

MB = 1 << 20


def python(program: str) -> list[str]:
    return [sys.executable, "-c", program]


def test_a_child_gets_its_input_and_returns_its_output_and_status() -> None:
    program = "import sys; sys.stdout.write(sys.stdin.read().upper()); sys.exit(3)"
    ran = children.run(python(program), ChildLimits(PATIENCE), b"words", stdout=subprocess.PIPE)
    assert (ran.returncode, ran.stdout) == (3, b"WORDS")


@pytest.mark.parametrize(
    ("limits", "program", "status"),
    [
        (ChildLimits(memory=300 * MB), f"bytes({900 * MB})", 1),
        (ChildLimits(processor_seconds=1), "while True: pass", -signal.SIGKILL),
        (ChildLimits(file_bytes=1000), "with open('large', 'wb') as f: f.write(bytes(9999))", 1),
    ],
    ids=["memory", "processor time", "file"],
)
def test_a_child_that_takes_too_much_fails(
    tmp_path: Path, limits: ChildLimits, program: str, status: int
) -> None:
    ran = children.run(python(program), limits, stderr=subprocess.DEVNULL, cwd=tmp_path)
    assert ran.returncode == status


def test_grandchildren_end_with_their_child(tmp_path: Path) -> None:
    number = tmp_path / "number"
    with pytest.raises(subprocess.TimeoutExpired):
        children.run(["sh", "-c", f"sleep 600 & echo $! > {number}; wait"], ChildLimits(1.0))
    assert until(lambda: not is_running(int(number.read_text())))


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_child_ends_with_the_app(how: signal.Signals) -> None:
    program = (
        "import subprocess\n"
        "from companion.children import ChildLimits, start\n"
        "child = start(['sleep', '600'], ChildLimits(), stdin=subprocess.DEVNULL)\n"
        "print(child.pid, flush=True)\n"
        "child.wait()\n"
    )
    app = subprocess.Popen(python(program), stdout=subprocess.PIPE, text=True)
    assert app.stdout is not None
    child = int(app.stdout.readline())
    assert until(lambda: b"sleep" in Path(f"/proc/{child}/cmdline").read_bytes()[:6])
    app.send_signal(how)
    app.wait(PATIENCE)
    app.stdout.close()
    assert until(lambda: not is_running(child))


def test_an_orphan_never_begins(tmp_path: Path) -> None:
    """The app ended before the system was set up to end the child with it."""
    command = [sys.executable, str(children.LAUNCH), "0", "0", "", "touch", str(tmp_path / "begun")]
    assert subprocess.run(command, check=False).returncode == 1
    assert not (tmp_path / "begun").exists()


def test_a_missing_program_is_an_error_of_the_system() -> None:
    with pytest.raises(FileNotFoundError):
        children.start(["/no/such/program"], ChildLimits())


def is_running(number: int) -> bool:
    state = Path(f"/proc/{number}/stat")
    try:
        return state.read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
