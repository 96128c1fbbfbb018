"""Wrong values for every place of an action or a sheet: copies with one fault each."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Json = Any
Path = tuple[str | int, ...]

TEXTS = ("", " ", "no such", "\ud800", "%(player)s")
NUMBERS = (-(10**30), -1, 0, 99, 10**30)  # outside of every range


def places(value: Json, path: Path = ()) -> Iterator[tuple[Path, Json]]:
    """Every place below a value with its content, from the outside to the inside."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        yield (*path, key), inner
        if isinstance(inner, dict | list):
            yield from places(inner, (*path, key))


def put(value: Json, path: Path, new: Json) -> Json:
    """A copy with something else at a place."""
    if not path:
        return new
    copied = value.copy()
    copied[path[0]] = put(value[path[0]], path[1:], new)
    return copied


def field(path: Path) -> Path:
    """The place without its numbers: items of a list are of one kind."""
    return tuple(step if isinstance(step, str) else 0 for step in path)


def types(values: Iterable[Json]) -> Mapping[Path, set[type]]:
    """The types at each field of some valid documents."""
    seen: dict[Path, set[type]] = defaultdict(set)
    for value in values:
        for path, inner in places(value):
            seen[field(path)].add(type(inner))
    return seen


def of_type(value: Json, right: set[type]) -> Iterator[Json]:
    """Values of other JSON types than the right ones."""
    others: list[Json] = [None, True, 7, 1.5, math.nan, -math.inf, "7", [], [value], {}, {"a": 1}]
    if isinstance(value, int | float):
        others += [value + 0.5, str(value), float(value)]
    if isinstance(value, dict):
        others += [list(value), [*map(list, value.items())]]
    if isinstance(value, list):
        others += [dict.fromkeys(map(str, value), 1), "".join(map(str, value))]
    yield from (other for other in others if type(other) not in right)


def of_range(value: Json) -> Iterator[Json]:
    """Values of the same type that are right nowhere."""
    if isinstance(value, str):
        yield from {*TEXTS, value + " ", value.swapcase(), value + value} - {value}
    elif isinstance(value, int):
        yield from NUMBERS
    elif isinstance(value, list) and value:
        yield [*value, value[0]]
    elif isinstance(value, dict):
        yield from ({**value, text: next(iter(value.values()), 1)} for text in TEXTS)
