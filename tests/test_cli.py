"""`companion replay` and `companion score`: the documented examples, and other input.

Status 2 prints nothing on standard output, `--json` one document and nothing else, and there is
never a traceback.
"""

from __future__ import annotations

import errno
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest

from companion.cli import companion as commands
from companion.cli import main
from companion.cli.terminal import MAX_BYTES
from companion.cli.terminal import write as write_line
from lab.games import NEXT, document, passes, roll, write
from lab.patience import PATIENCE
from lab.photos.bad_pictures import good
from lab.play import record_of

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
SHEET = (
    b'{"sheet": "qwinto", "orange": [null, 5, null, null, 10, 13, null, 17, null],'
    b' "yellow": [2, 3, 7, 8, 10, 11, 12, 15, 16],\n'
    b' "purple": [2, 4, null, 6, 7, null, 9, 11, null], "failed": 2}\n'
)
"""Both as interfaces.md has them."""
WAYS = [[], ["-"]]  # a file, or standard input


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

    def run(*arguments: str, raw: bytes = b"") -> Ran:
        if raw and "-" not in arguments:
            path = tmp_path / "input.json"
            path.write_bytes(raw)
            arguments = (arguments[0], str(path), *arguments[1:])
        # As a terminal's: pytest's own streams are stricter with standard error.
        streams = {"stdout": "strict", "stderr": "backslashreplace"}
        written = {name: io.BytesIO() for name in streams}
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
            for name, errors in streams.items():
                stream = io.TextIOWrapper(written[name], "utf-8", errors, write_through=True)
                patch.setattr(sys, name, stream)
            status = main(arguments)
            out, err = (raw.getvalue().decode() for raw in written.values())
        assert "Traceback" not in err
        assert status != 2 or (out == "" and err.strip())
        return Ran(status, out, err)

    return run


SOMETHING = {"--backup-dir": "{folder}", "--keep": "40", "--backup-every": "1d"}
"""Values of options that take neither any text nor any number."""


OPTIONS = {
    f"{name} {option.opts[-1]}": (name, option)
    for name, command in commands.commands.items()
    for option in command.params
    if isinstance(option, click.Option)
}


@pytest.mark.parametrize(("name", "option"), OPTIONS.values(), ids=OPTIONS)
def test_each_option_may_come_from_the_environment(
    name: str, option: click.Option, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    long = option.opts[-1]
    value = SOMETHING.get(long, "3").format(folder=tmp_path)
    values = [value, "4"] if option.multiple else [value]
    typed = [long] if option.is_flag else [word for one in values for word in (long, one)]
    variable = f"COMPANION_{long.removeprefix('--').replace('-', '_').upper()}"
    command = commands.commands[name]
    arguments = ["x" for one in command.params if isinstance(one, click.Argument)]

    def chosen(*words: str) -> object:
        found = command.make_context(name, [*arguments, *words]).params[str(option.name)]
        return getattr(found, "name", found)  # of a file

    usual = chosen()
    monkeypatch.setenv(variable, "1" if option.is_flag else " ".join(values))
    assert chosen() == (with_it := chosen(*typed))
    assert with_it != usual
    monkeypatch.setenv(variable, "")
    assert chosen() == usual


def test_the_documented_variables_are_options() -> None:
    document = (ROOT / "docs/settings.md").read_text("utf-8")
    known = {option.envvar for _, option in OPTIONS.values()}
    assert set(re.findall(r"COMPANION_[A-Z_]+", document)) <= known


@pytest.mark.parametrize(("variable", "value"), [("PORT", "x"), ("NAME", "http://x")])
def test_a_wrong_value_names_its_variable(
    companion: Companion, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv("COMPANION_HOST", "127.0.0.1")
    monkeypatch.setenv(f"COMPANION_{variable}", value)
    said = companion("serve", "--host=127.0.0.1").err.splitlines()
    assert value in said[-2]
    assert said[-1] == f"Options from the environment: COMPANION_{variable}."


def dumped(value: Any) -> bytes:
    return json.dumps(value).encode()


@pytest.mark.parametrize("way", WAYS)
def test_the_documented_record_prints_the_documented_replay(
    companion: Companion, way: list[str]
) -> None:
    ran = companion("replay", *way, "--json", raw=RECORD)
    replay = ran.json
    assert (ran.status, ran.err) == (0, "")
    assert list(replay)[:6] == ["format", "accepted", "refused", "turn", "over", "winners"]
    assert replay["format"] == "companion-replay/1"
    assert (replay["accepted"], replay["refused"]) == (5, None)
    assert replay["turn"] == {"number": 2, "active": "Sarah"}
    assert (replay["over"], replay["winners"]) == (False, [])
    assert replay["scores"]["Tim"]["total"] == 1
    assert replay["sheets"]["Tim"] == document(yellow=[*[None] * 5, 9, None, None, None])


def test_the_documented_sheet_prints_the_documented_score(companion: Companion) -> None:
    ran = companion("score", "--json", raw=SHEET)
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


def test_a_refused_action_is_reported_with_status_1(companion: Companion) -> None:
    actions = [roll("Tim", yellow=3), write("Tim", "yellow", 1), NEXT, roll("Tim", orange=1), 7]
    raw = dumped(record_of(["Tim", "Sarah"], actions))
    ran = companion("replay", "--json", raw=raw)
    refused = ran.json["refused"]
    assert (ran.status, ran.json["accepted"]) == (1, 3)
    assert set(refused) == {"index", "code", "message"}
    assert (refused["index"], refused["code"]) == (3, "not-your-turn")
    ran = companion("replay", raw=raw)
    assert ran.status == 1
    assert ran.err.startswith("Action 4: "), "people count from 1"
    assert "Sarah" in ran.err


def test_a_sheet_with_problems_is_scored_with_status_1(companion: Companion) -> None:
    raw = dumped(document(orange=[5, 4, *[None] * 7], failed=1))
    ran = companion("score", "--json", raw=raw)
    assert (ran.status, ran.json["score"]["total"]) == (1, -3)
    (problem,) = ran.json["problems"]
    assert set(problem) == {"code", "fields", "message"}
    assert (problem["code"], problem["fields"]) == ("not-ascending", ["orange.1", "orange.2"])
    ran = companion("score", raw=raw)
    assert ran.status == 1
    assert "orange.1" in ran.err


def test_without_json_people_see_whose_turn_it_is_or_who_wins(companion: Companion) -> None:
    ran = companion("replay", raw=RECORD)
    assert ran.status == 0
    for text in ("Tim", "Sarah", "Linus", "Turn 2"):
        assert text in ran.out
    actions: list[Any] = []
    for turn in range(7):
        who = ("Tim", "Sarah")[turn % 2]
        actions += [roll(who, orange=1), passes(who), NEXT]
    ran = companion("replay", raw=dumped(record_of(["Tim", "Sarah"], actions)))
    last = ran.out.splitlines()[-1]
    assert ("Sarah" in last, "Tim" in last) == (True, False)


def test_without_json_people_see_the_parts_of_the_total(companion: Companion) -> None:
    points = [line.split()[0] for line in companion("score", raw=SHEET).out.splitlines()[-10:]]
    assert points == ["4", "16", "6", "0", "5", "10", "12", "0", "-10", "43"]


def test_score_of_a_tally(companion: Companion) -> None:
    """A name on it cannot steer the terminal."""
    sheet = {"sheet": "tally", "players": ["Ada", "Ben\x1b[2J"], "rounds": [[12, 30], [7, 0]]}
    assert companion("score", "--json", raw=dumped(sheet)).json["score"]["total"] == 49
    ran = companion("score", raw=dumped(sheet))
    assert (ran.status, ran.out.split()[-4:]) == (0, ["19", "Ada", "30", "Ben?[2J"])


UNUSABLE = {
    "blank": b" \n",
    "words": b"hello",
    "half": RECORD[:80],
    "two documents": RECORD + RECORD,
    "not UTF-8": b'{"format": "\xff"}',
    "UTF-16": RECORD.decode().encode("utf-16"),
    "100,000 brackets": b"[" * 100_000,
    "100,000 objects": b'{"a":' * 100_000,
    "5,000 digits": b'{"failed": ' + b"9" * 5_000 + b"}",
    "infinite": b"1e400",
    "what Python alone takes for JSON": RECORD.replace(b"{", b'{"time": NaN, ', 1),
    "null": b"null",
    "a list": b"[]",
    "no fields": b"{}",
}


@pytest.mark.parametrize("raw", UNUSABLE.values(), ids=UNUSABLE)
def test_what_is_unusable(companion: Companion, raw: bytes) -> None:
    for command in ("replay", "score"):
        for flags in (["--json"], [], ["-", "--json"]):
            assert companion(command, *flags, raw=raw).status == 2


def test_a_record_is_not_a_sheet_and_a_sheet_is_not_a_record(companion: Companion) -> None:
    for command, other, raw in (("score", "replay", RECORD), ("replay", "score", SHEET)):
        ran = companion(command, "--json", raw=raw)
        assert ran.status == 2
        assert f"companion {other}" in ran.err


def test_a_byte_order_mark_does_no_harm(companion: Companion) -> None:
    assert companion("replay", "--json", raw=b"\xef\xbb\xbf" + RECORD).status == 0


@pytest.mark.parametrize("way", WAYS)
def test_score_names_the_command_for_photos(companion: Companion, way: list[str]) -> None:
    ran = companion("score", *way, raw=good("jpeg"))
    assert ran.status == 2
    assert "This is a photo: use companion read." in ran.err


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


def test_a_file_that_cannot_be_read_is_unusable(companion: Companion, tmp_path: Path) -> None:
    """A huge one is not read to its end."""
    huge = tmp_path / "huge.json"
    with huge.open("wb") as file:
        file.truncate(1 << 36)  # 64 GiB without a block on the disk
    names = (tmp_path, tmp_path / "missing", tmp_path / ("x" * 300), "/dev/null", "/dev/zero", huge)
    for name in names:
        assert companion("replay", str(name), "--json").status == 2


@pytest.mark.parametrize("way", WAYS)
def test_a_file_that_is_too_large_is_unusable(companion: Companion, way: list[str]) -> None:
    assert companion("replay", *way, "--json", raw=RECORD.ljust(MAX_BYTES)).status == 0
    assert companion("replay", *way, "--json", raw=RECORD.ljust(MAX_BYTES + 1)).status == 2


@pytest.mark.parametrize("words", ["frob", "replay", "score a b", "replay x --jsn"])
def test_wrong_arguments_have_status_2(companion: Companion, words: str) -> None:
    ran = companion(*words.split())
    assert ran.status == 2
    assert "Usage: companion" in ran.err
    assert ("Did you mean '--json'?" in ran.err) == ("--jsn" in words)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("serve", "--workers", "4"), "--workers is gone: one companion serve for each core"),
        (("serve", "--https"), "--https is gone: Caddy"),
        (("person", "Tim"), "person is gone: companion forget NAME"),
    ],
)
def test_removed_options_name_their_replacement(
    companion: Companion, words: tuple[str, ...], said: str
) -> None:
    ran = companion(*words)
    assert (ran.status, ran.out) == (2, "")
    assert said in ran.err.splitlines()[-1]


def test_help_shows_a_sheet_that_can_be_scored(companion: Companion) -> None:
    for words in ("", "--help", "serve --help", "score --help"):
        ran = companion(*words.split())
        assert (ran.status, ran.err) == (0, "")
        assert "Usage: companion" in ran.out
    blank = re.search(r"A blank sheet is (\{.*\})\.", " ".join(ran.out.split()))
    assert blank
    assert companion("score", "--json", raw=blank[1].encode()).json["problems"] == []


# In a process of its own, where the streams are real ones.

REFUSED_RECORD = dumped(record_of(["A", "B"], [{"do": "write", "by": "A", "skip": True}]))


def process(
    *command: str, raw: bytes = b"", encoding: str = "utf-8", **streams: Any
) -> subprocess.CompletedProcess[bytes]:
    ran = subprocess.run(
        command,
        input=raw,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        cwd=ROOT,
        check=False,
        timeout=PATIENCE,
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams},
    )
    said = (ran.stderr or b"").decode()
    assert "Traceback" not in said and "Exception ignored" not in said, said
    return ran


PROGRAM = (sys.executable, "-m", "companion")
REPLAY = (*PROGRAM, "replay", "-")


def shell(redirection: str, raw: bytes = b"") -> tuple[int, bytes]:
    """Status and output with a stream that a shell has closed."""
    ran = process("sh", "-c", f"exec {' '.join(REPLAY)} --json {redirection}", raw=raw)
    return ran.returncode, ran.stdout


@pytest.mark.parametrize("flags", [["--json"], []], ids=["json", "text"])
def test_names_print_on_a_terminal_that_cannot_show_them(flags: list[str]) -> None:
    """As under Windows, or with LC_ALL=C; a document must be JSON on every terminal."""
    raw = dumped(record_of(["Łukasz 🎲", "Zoë"], []))
    ran = process(*REPLAY, *flags, raw=raw, encoding="ascii")
    assert ran.returncode == 0
    if flags:
        assert list(json.loads(ran.stdout)["sheets"]) == ["Łukasz 🎲", "Zoë"]


@pytest.mark.parametrize("flags", [[], ["--json"]], ids=["text", "json"])
def test_a_reader_who_has_gone_changes_no_status(flags: list[str]) -> None:
    """As with `companion replay game.json | head -0`."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        for raw, status in ((RECORD, 0), (REFUSED_RECORD, 1)):
            assert process(*REPLAY, *flags, raw=raw, stdout=writer).returncode == status
    finally:
        os.close(writer)


def test_a_reader_who_has_gone_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: object, **__: object) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr("click.echo", gone)
    with Path(os.devnull).open("wb") as out:
        monkeypatch.setattr(sys, "stdout", out)
        write_line("the scores")


def test_a_full_disk_gives_no_traceback_and_unread_messages_leave_the_status() -> None:
    with Path("/dev/full").open("wb") as full:
        assert process(*REPLAY, "--json", raw=RECORD, stdout=full).returncode == 2
        for raw, status in ((b"{", 2), (REFUSED_RECORD, 1)):
            assert process(*REPLAY, "--json", raw=raw, stderr=full).returncode == status


def test_closed_streams() -> None:
    """Without an input there is nothing to read; messages never go where the result does."""
    assert shell("<&-") == (2, b"")
    assert shell("2>&-", b"{")[1] == b""
    _, document = shell("2>&-", REFUSED_RECORD)
    assert json.loads(document)["refused"]["index"] == 0
