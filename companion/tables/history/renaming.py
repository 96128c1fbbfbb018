"""Another name for a person, in all of a device's finished matches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy.engine import Connection

from companion.tables.database.schema import finished_matches as rows
from companion.tables.history.mending import named, write
from companion.tables.history.people import Person, person_id
from companion.tables.history.visible import FinishedMatch, matches_of, matches_with_ids
from companion.tables.ledger.finished import Participant
from companion.tables.ledger.names import checked_name, name_key
from companion.tables.ledger.store import Store
from companion.tables.refusals import Refused

RENAMED_AT_ONCE: Final = 100
"""Matches in which a person is renamed in one transaction: a device may have 25,000, and nobody
else writes meanwhile."""


@dataclass(frozen=True, slots=True)
class RenamingPreview:
    """The consequences of another name for a person, in numbers of matches."""

    person: Person
    name: str
    renamed: int
    together: int
    """Matches that stay as they are, because somebody of the new name plays in them, too."""
    untouched: int
    """Matches that this device may not change."""
    joins: int
    """Matches of the person who has the new name already."""


def preview_renaming(store: Store, device: str, person: Person, raw: str) -> RenamingPreview:
    """The consequences of another name; raises `Refused`: `bad-name`, `view-only`."""
    return _renaming(store, device, person, checked_name(raw))[0]


def _renaming(
    store: Store, device: str, person: Person, name: str
) -> tuple[RenamingPreview, list[str]]:
    """The consequences of another name, and the ids of the matches that change."""
    with store.database.read() as connection:
        found = matches_of(connection, device)
    old, new = name_key(person.name), name_key(name)
    renamed: list[str] = []
    together = untouched = joins = 0
    for match in found:
        has_other = new != old and _plays(match, new)
        joins += has_other
        if not _plays(match, old):
            continue
        if not match.may_change:
            untouched += 1
        elif has_other:
            together += 1
        else:
            renamed.append(match.id)
    if untouched and not renamed:
        raise Refused("view-only")
    return RenamingPreview(person, name, len(renamed), together, untouched, joins), renamed


def rename_person(store: Store, device: str, person: Person, raw: str) -> str:
    """Gives a person another name in all matches; returns the id of the person of that name.

    With a name that somebody has already, the two become one person. Matches in which both play
    stay as they are. `RENAMED_AT_ONCE` matches are one transaction; when one fails, earlier ones
    stay done, and repeating the call does the rest.
    """
    preview, ids = _renaming(store, device, person, checked_name(raw))
    for start in range(0, len(ids), RENAMED_AT_ONCE):
        with store.database.write(exclusive_table=rows) as connection:
            wanted = ids[start : start + RENAMED_AT_ONCE]
            for match in matches_with_ids(connection, device, wanted):
                _rename(store, connection, match, person.name, preview.name)
    return person_id(preview.name)


def _rename(
    store: Store, connection: Connection, match: FinishedMatch, before: str, name: str
) -> None:
    """Renames a person in a match, unless it has changed so that this cannot be."""
    old, new = name_key(before), name_key(name)
    has_other = new != old and _plays(match, new)
    is_so_already = any(player.name == name for player in match.players)
    if not (match.may_change and _plays(match, old)) or has_other or is_so_already:
        return
    players = [named(player, name) if _is(player, old) else player for player in match.players]
    write(store, connection, match, players)


def _plays(match: FinishedMatch, key: str) -> bool:
    """Whether a person of this `name_key` plays in a match."""
    return any(_is(player, key) for player in match.players)


def _is(player: Participant, key: str) -> bool:
    return player.name is not None and name_key(player.name) == key
