"""`companion replay` and `companion score`: the documented examples, and whatever else comes in.

Status 2 prints nothing on standard output, `--json` one document and nothing else, and there is
never a traceback.
"""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from companion.cli import main
from companion.cli.terminal import MAX_BYTES
from tests.kit.games import NEXT, SARAH, document, passes, roll, write
from tests.kit.patience import PATIENCE
from tests.kit.photos.bad_pictures import FORMATS, good
from tests.kit.play import record_of

ROOT = Path(__file__).parent.parent
RECORD = (
    b'{"format": "companion-record/1", "game": "qwinto-dice",'
    b' "players": ["Tim", "Sarah", "Linus"], "options": {},\n'
    b' "actions": [{"do": "roll", "by": "Tim", "dice": {"purple": 2, "yellow": 4}},\n'
    b'             {"do": "roll", "by": "Tim", "dice": {"purple": 4, "yellow": 5}},\n'
    b'             {"do": "write", "by": "Tim", "row": "yellow", "field": 6},\n'
    b'             {"do": "write", "by": "Sarah", "row": "purple", "field": 5},\n'
    b'             {"do": "pass", "by": "Linus"}]}\n'
)
"""As interfaces.md has it."""
SHEET = (
    b'{"sheet": "qwinto", "orange": [null, 5, null, null, 10, 13, null, 17, null],'
    b' "yellow": [2, 3, 7, 8, 10, 11, 12, 15, 16],\n'
    b' "purple": [2, 4, null, 6, 7, null, 9, 11, null], "failed": 2}\n'
)
"""As interfaces.md has it."""


@dataclass(frozen=True)
class Ran:
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.out.endswith("\n")
        return json.loads(self.out)


Companion = Callable[..., Ran]


@pytest.fixture
def companion(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Companion:
    """Runs the command in this process; `raw` becomes a file, or standard input for "-"."""

    def stream(errors: str) -> io.TextIOWrapper:
        # As a terminal's: pytest's own streams are stricter with standard error.
        return io.TextIOWrapper(io.BytesIO(), "utf-8", errors=errors, write_through=True)

    def text(of: io.TextIOWrapper) -> str:
        assert isinstance(of.buffer, io.BytesIO)
        return of.buffer.getvalue().decode()

    def run(*arguments: str, raw: bytes | None = None) -> Ran:
        if raw is not None and "-" in arguments:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        elif raw is not None:
            path = tmp_path / "input.json"
            path.write_bytes(raw)
            arguments = (arguments[0], str(path), *arguments[1:])
        out_stream, err_stream = stream("strict"), stream("backslashreplace")
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", out_stream)
            patch.setattr(sys, "stderr", err_stream)
            status = main(arguments)
        out, err = text(out_stream), text(err_stream)
        assert "Traceback" not in err
        assert status != 2 or (out == "" and err.strip())
        return Ran(status, out, err)

    return run


def dumped(value: Any) -> bytes:
    return json.dumps(value).encode()


@pytest.mark.parametrize("by_stdin", [False, True])
def test_the_documented_record_prints_the_documented_replay(
    companion: Companion, by_stdin: bool
) -> None:
    ran = companion("replay", *(["-"] if by_stdin else []), "--json", raw=RECORD)
    replay = ran.json
    assert (ran.status, ran.err) == (0, "")
    assert list(replay)[:6] == ["format", "accepted", "refused", "turn", "over", "winners"]
    assert replay["format"] == "companion-replay/1"
    assert (replay["accepted"], replay["refused"]) == (5, None)
    assert replay["turn"] == {"number": 2, "active": "Sarah"}
    assert (replay["over"], replay["winners"]) == (False, [])
    assert replay["scores"]["Tim"]["total"] == 1
    assert replay["sheets"]["Tim"] == document(yellow=[*[None] * 5, 9, None, None, None])


@pytest.mark.parametrize("by_stdin", [False, True])
def test_the_documented_sheet_prints_the_documented_score(
    companion: Companion, by_stdin: bool
) -> None:
    ran = companion("score", *(["-"] if by_stdin else []), "--json", raw=SHEET)
    assert (ran.status, ran.err) == (0, "")
    assert ran.json == {
        "format": "companion-score/1",
        "problems": [],
        "score": {
            "rows": {"orange": 4, "yellow": 16, "purple": 6},
            "bonuses": [0, 5, 10, 12, 0],
            "failed": -10,
            "total": 43,
        },
    }


def test_the_sheets_of_a_reading_are_scored(companion: Companion) -> None:
    sheets = [json.loads(SHEET), document(failed=1)]
    photos = [{"file": "1.jpg", "sheets": [{"sheet": sheet} for sheet in sheets]}]
    reading = {"format": "companion-reading/1", "photos": [*photos, {"file": "2", "sheets": []}]}
    ran = companion("score", "-", "--json", raw=dumped(reading))
    assert (ran.status, [score["score"]["total"] for score in ran.json]) == (0, [43, -5])
    shown = companion("score", raw=dumped(reading)).out
    assert shown.count("in total") == 2
    assert shown.startswith("1 of 2: qwinto\n")
    assert "\n2 of 2: qwinto\n" in shown
    assert " of " not in companion("score", raw=SHEET).out
    ran = companion("score", "--json", raw=dumped({**reading, "photos": []}))
    assert (ran.status, ran.json) == (3, [])
    for photos in (7, [7], [{"sheets": [{}]}]):
        assert companion("score", raw=dumped({**reading, "photos": photos})).status == 2


def test_help_shows_a_sheet_that_can_be_scored(companion: Companion) -> None:
    shown = " ".join(companion("score", "--help").out.split())
    blank = re.search(r"A blank sheet is (\{.*\})\.", shown)
    assert blank
    assert companion("score", "--json", raw=blank[1].encode()).json["problems"] == []


def test_a_refused_action_is_told_with_status_1(companion: Companion) -> None:
    actions = [roll("Tim", yellow=3), write("Tim", "yellow", 1), NEXT, roll("Tim", orange=1), 7]
    raw = dumped(record_of(["Tim", "Sarah"], actions))
    ran = companion("replay", "--json", raw=raw)
    assert ran.status == 1
    assert set(ran.json["refused"]) == {"index", "code", "message"}
    assert (ran.json["refused"]["index"], ran.json["refused"]["code"]) == (3, "not-your-turn")
    assert ran.json["accepted"] == 3
    ran = companion("replay", raw=raw)
    assert ran.status == 1
    assert ran.err.startswith("Action 4: "), "people count from 1"
    assert "Sarah" in ran.err


def test_a_sheet_with_problems_is_scored_with_status_1(companion: Companion) -> None:
    raw = dumped(document(orange=[5, 4, *[None] * 7], failed=1))
    ran = companion("score", "--json", raw=raw)
    assert ran.status == 1
    assert ran.json["score"]["total"] == -3
    (problem,) = ran.json["problems"]
    assert set(problem) == {"code", "fields", "message"}
    assert (problem["code"], problem["fields"]) == ("not-ascending", ["orange.1", "orange.2"])
    ran = companion("score", raw=raw)
    assert ran.status == 1
    assert "orange.1" in ran.err


def test_without_json_people_see_sheets_scores_and_whose_turn_it_is(companion: Companion) -> None:
    ran = companion("replay", raw=RECORD)
    assert ran.status == 0
    for text in ("Tim", "Sarah", "Linus", "1", "Turn 2"):
        assert text in ran.out


def test_without_json_people_see_the_winner(companion: Companion) -> None:
    actions: list[Any] = []
    for turn in range(7):
        who = ("Tim", "Sarah")[turn % 2]
        actions += [roll(who, orange=1), passes(who), NEXT]
    ran = companion("replay", raw=dumped(record_of(["Tim", "Sarah"], actions)))
    assert ran.status == 0
    assert "Sarah" in ran.out.splitlines()[-1]
    assert "Tim" not in ran.out.splitlines()[-1]


def test_without_json_people_see_the_total_taken_apart(companion: Companion) -> None:
    ran = companion("score", raw=SHEET)
    assert ran.status == 0
    points = [line.split()[0] for line in ran.out.splitlines()[-10:]]
    assert points == ["4", "16", "6", "0", "5", "10", "12", "0", "-10", "43"]


def test_score_of_an_encore_sheet(companion: Companion) -> None:
    sheet = {
        "sheet": "encore",
        "crossed": ["H4", "G4"],
        "jokers_used": 3,
        "columns": {"E": "first"},
    }
    ran = companion("score", "--json", raw=dumped({**sheet, "colors": {"blue": "later"}}))
    codes = [problem["code"] for problem in ran.json["problems"]]
    assert (ran.status, codes) == (1, ["column-not-full", "color-not-full"])
    ran = companion("score", raw=dumped({**sheet, "colors": {}}))
    assert ran.status == 1
    assert "Column E is circled, but not all of its boxes are crossed." in ran.err
    assert "in total" in ran.out


def test_score_of_a_tally(companion: Companion) -> None:
    """A name on it cannot steer the terminal."""
    sheet = {"sheet": "tally", "players": ["Ada", "Ben\x1b[2J"], "rounds": [[12, 30], [7, 0]]}
    assert companion("score", "--json", raw=dumped(sheet)).json["score"]["total"] == 49
    ran = companion("score", raw=dumped(sheet))
    assert (ran.status, ran.out.split()[-4:]) == (0, ["19", "Ada", "30", "Ben?[2J"])


NOT_JSON = {
    "empty": b"",
    "blank": b" \n",
    "words": b"hello",
    "half": RECORD[:80],
    "two documents": RECORD + RECORD,
    "not UTF-8": b'{"format": "\xff"}',
    "UTF-16": RECORD.decode().encode("utf-16"),
    "nul bytes": b"\0" * 100,
    "100,000 brackets": b"[" * 100_000,
    "100,000 brackets closed": b"[" * 100_000 + b"]" * 100_000,
    "100,000 objects": b'{"a":' * 100_000,
    "5,000 digits": b"9" * 5_000,
    "5,000 digits inside": b'{"failed": ' + b"9" * 5_000 + b"}",
}


@pytest.mark.parametrize("command", ["replay", "score"])
@pytest.mark.parametrize("raw", NOT_JSON.values(), ids=NOT_JSON.keys())
def test_what_is_not_json_is_unusable(companion: Companion, command: str, raw: bytes) -> None:
    assert companion(command, "--json", raw=raw).status == 2
    assert companion(command, raw=raw).status == 2
    assert companion(command, "-", "--json", raw=raw).status == 2


@pytest.mark.parametrize("command", ["replay", "score"])
@pytest.mark.parametrize("raw", [b"null", b"[]", b"{}", b"1e400", b"NaN", b'"x"', b"-Infinity"])
def test_json_of_another_shape_is_unusable(companion: Companion, command: str, raw: bytes) -> None:
    assert companion(command, "--json", raw=raw).status == 2


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("way", [[], ["-"]])
def test_a_photo_is_told_what_reads_it(companion: Companion, way: list[str], kind: str) -> None:
    ran = companion("score", *way, raw=good(kind))
    assert ran.status == 2
    assert "This is a photo; companion read reads it." in ran.err


def test_a_record_is_no_sheet_and_a_sheet_is_no_record(companion: Companion) -> None:
    assert companion("score", "--json", raw=RECORD).status == 2
    assert companion("replay", "--json", raw=SHEET).status == 2


def test_a_byte_order_mark_does_no_harm(companion: Companion) -> None:
    assert companion("replay", "--json", raw=b"\xef\xbb\xbf" + RECORD).status == 0
    assert companion("score", "-", "--json", raw=b"\xef\xbb\xbf" + SHEET).status == 0


ODD_ACTIONS = {
    "an infinite field": '{"do": "write", "by": "Tim", "row": "yellow", "field": 1e400}',
    "4,300 digits": f'{{"do": "roll", "by": "Tim", "dice": {{"yellow": {"9" * 4300}}}}}',
    "half a character": '{"do": "\\ud800", "by": "Tim"}',
    "a percent sign": '{"do": "%(do)s %s %", "by": "Tim"}',
    "a null": "null",
}


@pytest.mark.parametrize("action", ODD_ACTIONS.values(), ids=ODD_ACTIONS.keys())
def test_an_odd_action_is_refused_in_one_json_document(companion: Companion, action: str) -> None:
    raw = dumped(record_of(["Tim", "Sarah"], [])).replace(b"[]", f"[{action}]".encode())
    ran = companion("replay", "--json", raw=raw)
    assert (ran.status, ran.json["refused"]["index"]) == (1, 0)
    assert companion("replay", raw=raw).status == 1


@pytest.mark.parametrize("depth", [10, 900, 5_000])
@pytest.mark.parametrize("place", ["do", "by", "dice", "time"])
def test_a_deep_action_is_refused_or_unusable(companion: Companion, depth: int, place: str) -> None:
    nest = "[" * depth + "]" * depth
    action = {"do": "roll", "by": "Tim", "dice": {"yellow": 4}, place: "NEST"}
    raw = dumped(record_of(["Tim", "Sarah"], [action])).decode().replace('"NEST"', nest)
    ran = companion("replay", "--json", raw=raw.encode())
    assert ran.status in ((0, 2) if place == "time" else (1, 2))
    assert ran.status == 2 or ran.json["accepted"] == (place == "time")


def test_a_sheet_of_huge_numbers_is_scored_or_unusable(companion: Companion) -> None:
    """Each number may just be printed, but their sum has one digit more than Python prints."""
    rows = {color: [*range(1, 9), 0] for color in ("orange", "yellow", "purple")}
    raw = dumped({"sheet": "qwinto", **rows, "failed": 0}).replace(b" 0]", b"9" * 4300 + b"]")
    for arguments in (["score", "--json"], ["score"]):
        assert companion(*arguments, raw=raw).status in (1, 2)


@pytest.mark.parametrize("command", ["replay", "score"])
def test_a_file_that_cannot_be_read_is_unusable(
    companion: Companion, command: str, tmp_path: Path
) -> None:
    for name in (tmp_path, tmp_path / "missing", tmp_path / ("x" * 300), "/dev/null", "/dev/zero"):
        assert companion(command, str(name), "--json").status == 2


@pytest.mark.parametrize("stdin", [False, True])
def test_a_file_that_is_too_large_is_unusable(companion: Companion, stdin: bool) -> None:
    way = ["-"] if stdin else []
    assert companion("replay", *way, "--json", raw=RECORD.ljust(MAX_BYTES)).status == 0
    assert companion("replay", *way, "--json", raw=RECORD.ljust(MAX_BYTES + 1)).status == 2


def test_a_huge_file_is_not_read_to_its_end(companion: Companion, tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(1 << 36)  # 64 GiB without a block on the disk
    assert companion("score", str(path)).status == 2


@pytest.mark.parametrize(
    "arguments",
    [["frob"], ["replay"], ["score", "a", "b"], ["replay", "x", "--jsn"]],
    ids=" ".join,
)
def test_wrong_arguments_have_status_2(companion: Companion, arguments: list[str]) -> None:
    ran = companion(*arguments)
    assert ran.status == 2
    assert "Usage: companion" in ran.err
    assert ("Did you mean '--json'?" in ran.err) == ("--jsn" in arguments)


@pytest.mark.parametrize("arguments", [[], ["--help"], ["serve", "--help"]], ids=" ".join)
def test_help(companion: Companion, arguments: list[str]) -> None:
    ran = companion(*arguments)
    assert (ran.status, ran.err) == (0, "")
    assert "Usage: companion" in ran.out


# In a process of its own, where the streams are real ones.


def process(
    *arguments: str, raw: bytes = b"", environment: dict[str, str] | None = None, **more: Any
) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "companion", *arguments]
    env = {**os.environ, **(environment or {})}
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": PATIENCE, **more}
    ran = subprocess.run(command, input=raw, env=env, cwd=ROOT, check=False, **options)
    assert b"Traceback" not in ran.stderr, ran.stderr.decode()
    assert b"Exception ignored" not in ran.stderr, ran.stderr.decode()
    return ran


def test_a_real_process_prints_json_and_its_status() -> None:
    ran = process("score", "-", "--json", raw=SHEET)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert json.loads(ran.stdout)["score"]["total"] == 43
    ran = process("score", "-", "--json", raw=dumped({**SARAH, "failed": 5}))
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert ran.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
@pytest.mark.parametrize("flags", [["--json"], []], ids=["json", "text"])
def test_names_print_on_a_terminal_that_cannot_show_them(encoding: str, flags: list[str]) -> None:
    """As under Windows, or with LC_ALL=C; a document must still be JSON, whatever the terminal."""
    raw = dumped(record_of(["Łukasz 🎲", "Zoë"], []))
    ran = process("replay", "-", *flags, raw=raw, environment={"PYTHONIOENCODING": encoding})
    assert ran.returncode == 0
    if flags:
        assert list(json.loads(ran.stdout)["sheets"]) == ["Łukasz 🎲", "Zoë"]


def test_a_closed_standard_input_is_unusable() -> None:
    command = f"exec {sys.executable} -m companion replay - --json <&-"
    ran = subprocess.run(["sh", "-c", command], capture_output=True, cwd=ROOT, check=False)
    assert b"Traceback" not in ran.stderr, ran.stderr.decode()
    assert (ran.returncode, ran.stdout) == (2, b"")


def test_a_reader_who_has_gone_is_no_traceback() -> None:
    """As with `companion replay game.json | head -0`."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        process("replay", "-", "--json", raw=RECORD, stdout=writer)
    finally:
        os.close(writer)


def test_a_full_disk_is_no_traceback() -> None:
    with Path("/dev/full").open("wb") as full:
        assert process("replay", "-", "--json", raw=RECORD, stdout=full).returncode != 0


REFUSED_RECORD = dumped(record_of(["A", "B"], [{"do": "write", "by": "A", "skip": True}]))


@pytest.mark.parametrize("flags", [[], ["--json"]], ids=["text", "json"])
def test_what_is_refused_is_refused_whoever_reads_it(flags: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        assert process("replay", "-", *flags, raw=REFUSED_RECORD, stdout=writer).returncode == 1
    finally:
        os.close(writer)


def test_messages_that_nobody_can_hear_change_no_status() -> None:
    with Path("/dev/full").open("wb") as full:
        for raw, status in ((b"{", 2), (REFUSED_RECORD, 1)):
            command = [sys.executable, "-m", "companion", "replay", "-", "--json"]
            ran = subprocess.run(
                command, input=raw, stdout=subprocess.PIPE, stderr=full, cwd=ROOT, check=False
            )
            assert ran.returncode == status


def test_messages_never_go_where_the_result_does() -> None:
    command = f"exec {sys.executable} -m companion replay - --json 2>&-"
    run = partial(subprocess.run, ["sh", "-c", command], stdout=subprocess.PIPE, cwd=ROOT)
    assert run(input=b"{", check=False).stdout == b""
    ran = run(input=REFUSED_RECORD, check=False)
    assert json.loads(ran.stdout)["refused"]["index"] == 0


def test_what_only_python_takes_for_json_is_unusable(companion: Companion) -> None:
    raw = RECORD.replace(b'"format"', b'"time": NaN, "format"', 1)
    assert companion("replay", "--json", raw=raw).status == 2
