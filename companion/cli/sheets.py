"""The commands about records, sheets, photos and pads: replay, score, read and pad."""

from __future__ import annotations

import io
import json
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from companion.cli.terminal import (
    DONE,
    JSON,
    NO_SHEET,
    REFUSED,
    UNUSABLE,
    ManyValues,
    read_bytes,
    read_json,
    say,
    write,
    write_file,
)
from companion.core.game import Game
from companion.core.refusal import Unusable, missing_package
from companion.core.sheet import FilledSheet, Mark
from companion.core.values import Document
from companion.core.words import english
from companion.games import catalog, scoring
from companion.games import record as records
from companion.games.record import Replay
from companion.games.text import as_text

if TYPE_CHECKING:
    from companion.vision.core import FieldReading, PhotoReading, SheetReading
    from companion.vision.reading import Steps


@click.command()
@click.argument("file", metavar="FILE", help="A companion-record/1 file, or - for standard input.")
@JSON
def replay(file: str, as_json: bool) -> int:
    """Replay a game record and check every action."""
    document = read_json(file)
    if isinstance(document, dict) and ("sheet" in document or "photos" in document):
        raise Unusable(f"{file}: This file has filled-in sheets: use companion score.")
    record = records.parse(document)
    replay = records.replay(record)
    if as_json:
        write(json.dumps(replay.document()))
    else:
        _print_replay(record.game, replay)
    if replay.refusal:
        say(f"Action {replay.accepted + 1}: {replay.refusal.message}", err=True)
        return REFUSED
    return DONE


def _print_replay(game: Game, replay: Replay) -> None:
    position = replay.position
    for player in position.players:
        total = position.score(player)["total"]
        say(f"{player}: {total} {'point' if abs(total) == 1 else 'points'}")
        if (filled := game.filled(position, player)) is not None:
            say(f"{as_text(filled)}\n")
    if position.over:
        say(f"The game is over. Winner: {', '.join(position.winners())}")
    else:
        say(f"Turn {position.turn}: {position.active} is active.")


_SHEET: Final = next(iter(catalog.SHEETS.values()))
_BLANK: Final = json.dumps(_SHEET.marked(_SHEET.usual_board, {}).document)


@click.command(epilog=f"A blank sheet is {_BLANK}.")
@click.argument(
    "file",
    metavar="FILE",
    help="A sheet, or the output of `companion read --json`; - for standard input.",
)
@JSON
def score(file: str, as_json: bool) -> int:
    """Check and score filled-in sheets."""
    document = read_json(file)
    if isinstance(document, dict) and document.get("format") == records.RECORD_FORMAT:
        raise Unusable(f"{file}: This is the record of a game: use companion replay.")
    several = scoring.filled_sheets(document)
    sheets = [scoring.filled_sheet(document)] if several is None else several
    if as_json:
        scores = list(map(scoring.scored, sheets))
        write(json.dumps(scores[0] if several is None else scores))
    else:
        for number, sheet in enumerate(sheets, 1):
            if len(sheets) > 1:
                say(f"{number} of {len(sheets)}: {sheet.kind.name}")
            _print_score(sheet)
    if not sheets:
        say("No sheet was read in these photos.", err=True)
        return NO_SHEET
    return REFUSED if any(sheet.problems for sheet in sheets) else DONE


def _print_score(filled: FilledSheet) -> None:
    say(f"{as_text(filled)}\n")
    for term in filled.terms:
        say(f"{term.points:>5}  {term.name.translated(english, ' or ')}")
    if "total" in filled.score and filled.kind.sharing is None:
        say(f"{filled.score['total']:>5}  in total")
    for problem in filled.problems:
        say(f"{', '.join(problem.fields)}: {problem.message}", err=True)


@click.command()
@click.argument(
    "photos", metavar="PHOTO...", nargs=-1, required=True, help="JPEG, PNG, WebP, HEIC, PDF or -."
)
@JSON
@click.option("--debug", metavar="DIR", help="Draw into a folder how each photo was read.")
def read(photos: tuple[str, ...], as_json: bool, debug: str | None) -> int:
    """Read, check and score the sheets in photos."""
    from companion.vision.core import photo_document

    documents: list[Document] = []
    statuses = {DONE}
    for place, name in enumerate(photos, 1):
        try:
            into = Path(debug, f"{place}-{Path(name).stem}") if debug else None
            readings = _read_file(name, into)
        except Unusable as error:
            say(str(error), err=True)
            reason = {"code": "unusable", "message": str(error).removeprefix(f"{name}: ")}
            documents.append({"file": name, "seconds": 0.0, "sheets": [], "refused": [reason]})
            statuses.add(UNUSABLE)
            continue
        for photo, reading in readings.items():
            documents.append(photo_document(photo, reading))
            for number, sheet in enumerate(reading.sheets, 1):
                if not as_json:
                    _print_sheet(f"{photo}, {number} of {len(reading.sheets)}", sheet)
                statuses.add(REFUSED if sheet.sheet.problems else DONE)
            for trouble in reading.troubles:
                say(f"{photo}: {trouble.sentence.translated(english, ' or ')}", err=True)
            if not reading.sheets:
                statuses.add(NO_SHEET)
    if as_json:
        write(json.dumps({"format": scoring.READING_FORMAT, "photos": documents}))
    return max(statuses, key=(DONE, REFUSED, NO_SHEET, UNUSABLE).index)


def _read_file(name: str, into: Path | None) -> dict[str, PhotoReading]:
    """Name of a photo, or page → its reading; raises `Unusable`, which names the file.

    Args:
        into: the path with which pictures of the reading begin, if it is drawn.
    """
    from companion.vision.core import Unreadable
    from companion.vision.pictures import picture
    from companion.vision.pictures.scans import is_scan

    data = read_bytes(name)
    try:
        if is_scan(data):
            if into:
                say(f"{name}: --debug draws photos, not PDFs.", err=True)
            readings = _read_scan(data)
            return {f"{name}#{page}": reading for page, reading in enumerate(readings, 1)}
        picture.open_picture(data)
        # Loaded late: a file that is not a picture needs neither OpenCV nor the networks.
        if into is None:
            from companion.vision.reading import read

            return {name: read(data)}
        from companion.vision.reading import read_in_steps

        steps = read_in_steps(data, pictures=True)
        _draw(steps, into)
        return {name: steps.reading}
    except (Unreadable, OSError) as error:
        reason: object = error
    except ModuleNotFoundError as missing:
        reason = missing_package("Reading photos", str(missing.name), "photo")
    except MemoryError:
        reason = "This computer does not have enough memory to read it."
    raise Unusable(f"{name}: {reason}")


def _draw(steps: Steps, into: Path) -> None:
    """Writes pictures of how a photo was read; raises `OSError`."""
    from companion.vision import debugging

    into.parent.mkdir(parents=True, exist_ok=True)
    for what, picture in debugging.pictures(steps):
        Path(f"{into}-{what}.png").write_bytes(picture)


def _read_scan(data: bytes) -> list[PhotoReading]:
    """The readings of a PDF's pages, in a process with limits; raises `Unreadable`."""
    from concurrent.futures import Future

    from companion.vision.core import Unreadable
    from companion.vision.worker.pool import Failed, Job, Outcome, Readers

    outcome: Future[Outcome] = Future()
    with closing(Readers()) as readers:
        size, done = len(data), outcome.set_result
        readers.submit(Job("scan", io.BytesIO(data), size, keep=False, pictures=False, done=done))
        answer = outcome.result()
    if isinstance(answer, Failed):
        raise Unreadable(answer.code, answer.sentence)
    return [page.reading for page in (answer, *answer.further)]


def _print_sheet(title: str, reading: SheetReading) -> None:
    from companion.vision.core import SURE_SUM

    filled = reading.named
    say(f"{title}: {', '.join(filter(None, (filled.kind.name, reading.player)))}")
    if reading.unsure_edition:
        say(f"{as_text(filled)}\n")
        say("Is this your sheet? If it is a different printing, ignore this reading.")
    else:
        _print_score(filled)
    if reading.unsure:
        say("Please look at:")
    for name in reading.unsure:
        say(f"  {name}: {_likeliest(reading.fields[name])}")
    sums = {} if reading.unsure_edition else filled.sums
    different = []
    for name, field in reading.written.items():
        is_sure = name in sums and field.confidence >= SURE_SUM
        if is_sure and field.value != sums[name]:
            different.append(f"  {name}: {field.value}, which should be {sums[name]}")
    if different:
        say("\n".join(["Different sums on paper:", *different]))
    say("")


def _likeliest(field: FieldReading) -> str:
    """The likeliest values, such as "12 (71 %), 17 (20 %) or 13 (4 %)"."""
    marks = [(field.value, field.confidence), *field.others[:2]]
    texts = [f"{_mark(mark)} ({chance * 100:.0f} %)" for mark, chance in marks]
    return " or ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))


def _mark(mark: Mark) -> str:
    if isinstance(mark, bool):
        return "crossed" if mark else "not crossed"
    return "empty" if mark is None else str(mark)


@click.command(cls=ManyValues)
@click.argument("sheet", metavar="SHEET", help=f"One of: {', '.join(catalog.SHEETS)}.")
@click.option("-o", "--output", metavar="FILE.pdf", help="The PDF to write, or -.")
@click.option("--map", "as_map", is_flag=True, help="Print the geometry as JSON instead.")
@click.option("--paper", default="a4", help="a4, a5 or letter.")
@click.option("--copies", default=1, help="Pads for each name, at least; pages are filled up.")
@click.option("--board", help="The board, for sheets with several.")
@click.option(
    "--player",
    "players",
    metavar="NAME...",
    multiple=True,
    help="Print a pad, or column, for each name.",
)
@click.option("--mono", is_flag=True, help="Show colors as patterns, for printers without color.")
@click.option("--language", default="en", help="Language of the pad: en, de or es.")
def pad(sheet: str, output: str | None, as_map: bool, language: str, **wanted: Any) -> int:
    """Print score pads."""
    from companion.pads import geometry, lettering, order, padmap, pdf
    from companion.pads.engines import PrintingFailed
    from companion.pads.languages import in_english, in_language

    if (output is None) != as_map:
        raise Unusable("Give either -o FILE.pdf or --map.")
    say_on_pad = in_language(language)
    printout = geometry.pages_of_order(order.checked_order(sheet, **wanted))
    for warning in lettering.warnings(printout):
        say(in_english(warning), err=True)
    if output is None:
        write(json.dumps(padmap.document(printout)))
        return DONE
    try:
        raw = pdf.pdf(printout, say_on_pad)
    except PrintingFailed as failed:
        say(str(failed), err=True)
        return REFUSED
    write_file(output, io.BytesIO(raw))
    pages = "page" if len(printout.pages) == 1 else "pages"
    count = len(printout.pages)
    name = "<stdout>" if output == "-" else output
    say(f"{name}: {count} {pages}. Print at 100 %, not “fit to page”.", err=True)
    return DONE
