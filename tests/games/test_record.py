"""Game records: what is unusable, what is only a refused action, and round trips."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.core.refusal import Unusable
from companion.core.values import clean_name
from companion.games import record
from lab.games import NEXT, document, passes, roll
from lab.wide import steady

EXAMPLE: dict[str, Any] = {
    "format": "companion-record/1",
    "game": "qwinto-dice",
    "players": ["Tim", "Sarah", "Linus"],
    "options": {},
    "actions": [
        {"do": "roll", "by": "Tim", "dice": {"purple": 2, "yellow": 4}},
        {"do": "roll", "by": "Tim", "dice": {"purple": 4, "yellow": 5}},
        {"do": "write", "by": "Tim", "row": "yellow", "field": 6},
        {"do": "write", "by": "Sarah", "row": "purple", "field": 5},
        {"do": "pass", "by": "Linus"},
    ],
}
"""The record of interfaces.md, word for word."""

# No 6.0: JSON knows one kind of number, and the interface does not say what a 6.0 is.
SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
SCALARS |= st.floats().filter(lambda value: not value.is_integer())
SCALARS |= st.sampled_from(["\ud800", "", " ", "orange", "6", "%(player)s", 10**40, -1, 0])
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
"""Values that are not weighted by what is legal."""


def changed(**fields: Any) -> dict[str, Any]:
    return {**EXAMPLE, **fields}


def without(field: str) -> dict[str, Any]:
    return {name: value for name, value in EXAMPLE.items() if name != field}


@pytest.mark.parametrize(
    ("says", "field", "values"),
    [
        ("companion-record/1", "format", ["companion-record/2", "", None, 1, [], {}]),
        ("qwinto-dice", "game", ["qwinto", "Qwinto-Dice", "", None, 1, [], {}, ["x"]]),
        (".", "options", [None, [], "", 0, {"board": "black"}, {"": ""}, {"x": []}]),
        (".", "actions", [None, {}, "", 5, {"0": {}}]),
        (".", "players", [None, "Tim", 2, {}, {"Tim": 1, "Sarah": 2}]),
        # “Players: 2-6 people”
        *((str(count), "players", [[f"P{number}" for number in range(count)]])
          for count in (0, 1, 7, 100)),
        (".", "players", [["Tim", name] for name in ("", "\t\n", "\u00a0", None, 5, True, [])]),
        # “Names are compared as NFC with outer blanks removed”
        (".", "players", [["Tim", "Linus", *twice] for twice in (
            ("Tim",), (" Tim ",), ("Zo\u00eb", "Zoe\u0308"), ("\u00c5", "\u212b\n"))]),
        # Half of a surrogate pair can be neither printed nor stored; an escape in JSON makes one.
        (".", "players", [["Tim", "\ud800"], ["Tim", "Tim\udfff"]]),
    ],
)  # fmt: skip
def test_documents_other_than_records_are_unusable(
    says: str, field: str, values: list[Any]
) -> None:
    for value in values:
        with pytest.raises(Unusable, match=says):
            record.parse(changed(**{field: value}))


def test_another_json_value_or_a_record_without_a_field_is_unusable() -> None:
    lacking = [without(field) for field in ("format", "game", "players", "actions")]
    for raw in (None, True, 7, "record", [], [EXAMPLE], {}, *lacking):
        with pytest.raises(Unusable):
            record.parse(raw)


@given(st.text())
@steady(300)
def test_a_clean_name_stays_as_it_is(text: str) -> None:
    name = clean_name(text)
    assert name is None or clean_name(name) == name


def test_names_are_cleaned_and_actions_find_them() -> None:
    raw = changed(players=["  Zoe\u0308", "Tim\n"], actions=[roll("Zo\u00eb ", orange=1)])
    replay = record.replay(record.parse(raw))
    assert replay.position.players == ("Zo\u00eb", "Tim")
    assert replay.refusal is None
    assert record.parse(changed(players=["tim", "Tim"])).players == ("tim", "Tim")
    assert record.parse(without("options")) == record.parse(EXAMPLE)


def test_a_replay_stops_at_the_first_refused_action_and_the_record_keeps_all() -> None:
    raw = changed(actions=[roll("Tim", orange=1), *[passes("Tim")] * 2, "rubbish", None, NEXT])
    parsed = record.parse(raw)
    assert parsed.document() == raw
    replay = record.replay(parsed).document()
    refused = replay["refused"]
    assert (replay["accepted"], refused["index"], refused["code"]) == (2, 2, "already-acted")
    assert replay["turn"] == {"number": 1, "active": "Tim"}
    assert replay["sheets"]["Tim"] == document(failed=1)


def test_parsing_leaves_the_document_as_it_was() -> None:
    raw = copy.deepcopy(EXAMPLE)
    parsed = record.parse(raw)
    record.replay(parsed)
    assert raw == EXAMPLE
    raw["actions"].clear()
    raw["players"].clear()
    assert parsed.document() == EXAMPLE


@given(st.dictionaries(st.sampled_from(sorted(EXAMPLE)), JSON))
@steady(300)
def test_rubbish_is_unusable_or_replayed_and_nothing_else(fields: dict[str, Any]) -> None:
    try:
        parsed = record.parse({**EXAMPLE, **fields})
    except Unusable as unusable:
        assert str(unusable)
    else:
        json.dumps(record.replay(parsed).document())
