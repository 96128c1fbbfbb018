"""What the app and the process that reads photos say to each other: frames, and readings as JSON.

A frame is its length in four bytes and then so many bytes. Asking: a frame with a JSON object and
then the photo itself. Answering: a frame with a JSON object and then a frame for each picture that
it counts. Nothing here needs OpenCV.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any, Final

from companion.core.sheet import Mark
from companion.core.values import Document
from companion.core.words import Sentence, Word
from companion.games.catalog import SHEETS
from companion.vision.core import (
    Corners,
    FieldReading,
    PhotoReading,
    SheetReading,
    Trouble,
    Unreadable,
)

LENGTH: Final = struct.Struct(">I")
MAX_FRAME: Final = 16 * 1024 * 1024
"""Of an answer. A flattened pad of 190 × 130 mm is a JPEG of a few hundred kB."""


class Broken(Exception):
    """The other side has ended, or says something else than was agreed."""


@dataclass(frozen=True)
class Answer:
    """What came of one photo."""

    reading: PhotoReading
    kept: bytes | None = None
    """The photo itself as a JPEG without place and other remarks, when that was asked."""


def write_frame(stream: IO[bytes], raw: bytes) -> None:
    stream.write(LENGTH.pack(len(raw)))
    stream.write(raw)


def read_frame(stream: IO[bytes], most: int = MAX_FRAME) -> bytes:
    """The next frame; raises `Broken` at the end of the stream, too."""
    (length,) = LENGTH.unpack(read_exactly(stream, LENGTH.size))
    if length > most:
        raise Broken(f"a frame of {length} bytes")
    return read_exactly(stream, length)


def read_exactly(stream: IO[bytes], length: int) -> bytes:
    raw = stream.read(length)
    if len(raw) < length:
        raise Broken("the stream has ended")
    return raw


def write_answer(stream: IO[bytes], answer: Answer | Unreadable) -> None:
    pictures: list[bytes] = []
    if isinstance(answer, Unreadable):
        said: Document = {"unreadable": answer.code, "sentence": _sentence(answer.sentence)}
    else:
        pictures = [sheet.flat for sheet in answer.reading.sheets if sheet.flat]
        pictures += [answer.kept] if answer.kept else []
        said = {"reading": _photo(answer.reading), "kept": bool(answer.kept)}
    write_frame(stream, json.dumps(said | {"pictures": len(pictures)}).encode())
    for picture in pictures:
        write_frame(stream, picture)
    stream.flush()


def read_answer(stream: IO[bytes]) -> Answer:
    """The next answer.

    Raises:
        Unreadable: as the reader said it.
        Broken: the process has ended, or says something that is no answer.
    """
    try:
        said = json.loads(read_frame(stream))
        pictures = [read_frame(stream) for _ in range(said["pictures"])]
        if "unreadable" in said:
            raise Unreadable(said["unreadable"], _sentence_of(said["sentence"]))
        kept = pictures.pop() if said["kept"] else None
        return Answer(_photo_of(said["reading"], iter(pictures)), kept)
    except (ValueError, KeyError, TypeError, StopIteration) as error:
        if isinstance(error, Unreadable):
            raise
        raise Broken(str(error)) from error


def _sentence(said: Sentence) -> Document:
    return {
        "text": said.text,
        "values": {name: _value(value) for name, value in said.values.items()},
    }


def _value(value: object) -> object:
    if isinstance(value, Sentence):
        return {"sentence": _sentence(value)}
    if isinstance(value, Word):
        return {"word": str(value)}
    if isinstance(value, tuple):
        return {"list": [_value(part) for part in value]}
    return value if isinstance(value, int | float) else str(value)


def _sentence_of(said: Mapping[str, Any]) -> Sentence:
    return Sentence(said["text"], {name: _value_of(one) for name, one in said["values"].items()})


def _value_of(said: Any) -> object:
    if not isinstance(said, dict):
        return said
    if "sentence" in said:
        return _sentence_of(said["sentence"])
    return Word(said["word"]) if "word" in said else tuple(map(_value_of, said["list"]))


def trouble_document(trouble: Trouble) -> Document:
    """A trouble as JSON; `trouble_of` is its inverse."""
    return {
        "code": trouble.code,
        "sentence": _sentence(trouble.sentence),
        "corners": trouble.corners,
    }


def trouble_of(said: Mapping[str, Any]) -> Trouble:
    corners = said["corners"]
    return Trouble(
        said["code"], _sentence_of(said["sentence"]), None if corners is None else _corners(corners)
    )


def _photo(reading: PhotoReading) -> Document:
    return {
        "sheets": [_sheet(sheet) for sheet in reading.sheets],
        "troubles": [trouble_document(trouble) for trouble in reading.troubles],
        "size": reading.size,
        "seconds": reading.seconds,
    }


def _photo_of(said: Mapping[str, Any], flats: Any) -> PhotoReading:
    width, height = said["size"]
    return PhotoReading(
        sheets=tuple(_sheet_of(sheet, flats) for sheet in said["sheets"]),
        troubles=tuple(trouble_of(trouble) for trouble in said["troubles"]),
        size=(width, height),
        seconds=said["seconds"],
    )


def _sheet(reading: SheetReading) -> Document:
    return {
        "sheet": reading.sheet.kind.name,
        "board": reading.board,
        "corners": reading.corners,
        "fields": {
            name: [field.value, field.confidence, field.others]
            for name, field in reading.fields.items()
        },
        "unsure": reading.unsure,
        "flat": bool(reading.flat),
    }


def _sheet_of(said: Mapping[str, Any], flats: Any) -> SheetReading:
    """What follows from the marks is worked out anew, so that it need not be believed."""
    kind = SHEETS[said["sheet"]]
    fields = {
        name: FieldReading(
            _mark_of(value), confidence, tuple((_mark_of(mark), chance) for mark, chance in others)
        )
        for name, (value, confidence, others) in said["fields"].items()
    }
    marked = kind.marked(said["board"], {name: one.value for name, one in fields.items()})
    return SheetReading(
        sheet=kind.filled(marked.document),
        board=said["board"],
        corners=_corners(said["corners"]),
        fields=fields,
        unsure=tuple(said["unsure"]),
        flat=next(flats) if said["flat"] else None,
    )


def _mark_of(said: Any) -> Mark:
    if said is not None and not isinstance(said, int | str):
        raise TypeError(f"no field holds {said!r}")
    return said


def _corners(said: Any) -> Corners:
    a, b, c, d = ((float(x), float(y)) for x, y in said)
    return (a, b, c, d)
