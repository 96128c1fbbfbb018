"""The protocol between the app and the process that reads photos: JSON objects, one on a line.

A request is followed by the photo itself, of its `size` in bytes. Each page of a PDF is answered by
itself. An answer has its pictures in Base64. Nothing here needs OpenCV.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any, Final

from companion.core.sheet import Mark
from companion.core.values import Document
from companion.core.words import Sentence, Word
from companion.games.catalog import KINDS
from companion.games.editions import paper_of
from companion.vision.core import (
    FieldReading,
    PhotoReading,
    SheetReading,
    Trouble,
    Unreadable,
    as_corners,
)

# Bytes of a line. A flattened pad of 190 × 130 mm is a JPEG of a few hundred kB.
MAX_LINE: Final = 32 * 1024 * 1024


class Broken(Exception):
    """The other side has ended, or does not follow the protocol."""


@dataclass(frozen=True)
class Answer:
    """The result of reading one photo."""

    reading: PhotoReading
    kept: bytes | None = None  # the photo itself as a JPEG without metadata, if that was asked for
    # The further pages of a PDF, each as a photo of its own; they do not go over the wire
    further: tuple[Answer, ...] = ()
    is_last: bool = True  # whether no answer to a further page follows on the wire


def write_line(stream: IO[bytes], document: Document) -> None:
    """Writes a JSON object without flushing the stream."""
    stream.write(json.dumps(document).encode() + b"\n")


def read_line(stream: IO[bytes]) -> Any:
    """The next JSON object.

    Raises:
        Broken: the stream has ended, or the line has more than `MAX_LINE` bytes.
        ValueError: the line is not JSON.
    """
    line = stream.readline(MAX_LINE)
    if not line.endswith(b"\n"):
        raise Broken("the stream has ended")
    return json.loads(line)


def write_answer(stream: IO[bytes], answer: Answer | Unreadable) -> None:
    """Writes an answer, or the reason why there is none, and flushes the stream."""
    if isinstance(answer, Unreadable):
        document: Document = {"unreadable": answer.code, "sentence": _sentence(answer.sentence)}
    else:
        document = _answer(answer)
    write_line(stream, document)
    stream.flush()


def read_answer(stream: IO[bytes]) -> Answer:
    """The next answer.

    Raises:
        Unreadable: the reader refused the photo.
        Broken: the process has ended, or did not send a valid answer.
    """
    try:
        document = read_line(stream)
        if "unreadable" in document:
            raise Unreadable(document["unreadable"], _parse_sentence(document["sentence"]))
        return _parse_answer(document)
    except Unreadable:
        raise
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise Broken(str(error)) from error


def _answer(answer: Answer) -> Document:
    return {
        "reading": _photo(answer.reading),
        "kept": _picture(answer.kept),
        "is_last": answer.is_last,
    }


def _parse_answer(document: Mapping[str, Any]) -> Answer:
    return Answer(
        _parse_photo(document["reading"]),
        _parse_picture(document["kept"]),
        is_last=bool(document["is_last"]),
    )


def _picture(raw: bytes | None) -> str | None:
    return b64encode(raw).decode() if raw else None


def _parse_picture(text: str | None) -> bytes | None:
    return b64decode(text) if text else None


def _sentence(sentence: Sentence) -> Document:
    return {
        "text": sentence.text,
        "values": {name: _value(value) for name, value in sentence.values.items()},
    }


def _value(value: object) -> object:
    if isinstance(value, Sentence):
        return {"sentence": _sentence(value)}
    if isinstance(value, Word):
        return {"word": str(value)}
    if isinstance(value, tuple):
        return {"list": list(map(_value, value))}
    return value if isinstance(value, int | float) else str(value)


def _parse_sentence(document: Mapping[str, Any]) -> Sentence:
    values = {name: _parse_value(value) for name, value in document["values"].items()}
    text: str = document["text"]
    return Sentence(text, values)


def _parse_value(document: Any) -> object:
    if not isinstance(document, dict):
        return document
    if "sentence" in document:
        return _parse_sentence(document["sentence"])
    word = document.get("word")
    if word is not None:
        return Word(word)
    return tuple(map(_parse_value, document["list"]))


def trouble_document(trouble: Trouble) -> Document:
    """A trouble as a JSON object; `trouble_of` is the inverse."""
    return {
        "code": trouble.code,
        "sentence": _sentence(trouble.sentence),
        "corners": trouble.corners,
        "sheet": trouble.sheet,
    }


def trouble_of(document: Mapping[str, Any]) -> Trouble:
    """The trouble that `trouble_document` made into a JSON object."""
    corners = document["corners"]
    return Trouble(
        document["code"],
        _parse_sentence(document["sentence"]),
        None if corners is None else as_corners(corners),
        document.get("sheet", ""),
    )


def _photo(reading: PhotoReading) -> Document:
    return {
        "sheets": list(map(_sheet, reading.sheets)),
        "troubles": list(map(trouble_document, reading.troubles)),
        "size": reading.size,
        "seconds": reading.seconds,
    }


def _parse_photo(document: Mapping[str, Any]) -> PhotoReading:
    width, height = document["size"]
    return PhotoReading(
        sheets=tuple(map(_parse_sheet, document["sheets"])),
        troubles=tuple(map(trouble_of, document["troubles"])),
        size=(width, height),
        seconds=document["seconds"],
    )


def _sheet(reading: SheetReading) -> Document:
    return {
        "sheet": reading.sheet.kind.name,
        "board": reading.board,
        "corners": reading.corners,
        "edition": reading.edition,
        "unsure_edition": reading.unsure_edition,
        "fields": _fields(reading.fields),
        "written": _fields(reading.written),
        "by_sums": reading.by_sums,
        "dashes": reading.dashes,
        "unsure": reading.unsure,
        "flat": _picture(reading.flat),
        "names": list(reading.names.items()),
    }


def _fields(fields: Mapping[str, FieldReading]) -> Document:
    return {name: [field.value, field.confidence, field.others] for name, field in fields.items()}


def _parse_sheet(document: Mapping[str, Any]) -> SheetReading:
    """A sheet's reading; what follows from its marks is computed here and not trusted."""
    kind = KINDS[document["sheet"]]
    paper_of(kind, document["board"], document["edition"])
    fields = _parse_fields(document["fields"])
    marks = {name: field.value for name, field in fields.items()}
    marked = kind.marked(document["board"], marks)
    return SheetReading(
        sheet=kind.filled(marked.document),
        board=document["board"],
        corners=as_corners(document["corners"]),
        fields=fields,
        unsure=tuple(document["unsure"]),
        flat=_parse_picture(document["flat"]),
        edition=document["edition"],
        unsure_edition=bool(document["unsure_edition"]),
        written=_parse_fields(document["written"]),
        by_sums=tuple(document["by_sums"]),
        dashes=tuple(document["dashes"]),
        names={int(place): str(name) for place, name in document["names"]},
    )


def _parse_fields(document: Mapping[str, Any]) -> dict[str, FieldReading]:
    fields = {}
    for name, (value, confidence, others) in document.items():
        parsed = tuple((_parse_mark(mark), chance) for mark, chance in others)
        fields[name] = FieldReading(_parse_mark(value), confidence, parsed)
    return fields


def _parse_mark(mark: Any) -> Mark:
    if mark is not None and not isinstance(mark, int | str):
        raise TypeError(f"no field holds {mark!r}")
    return mark
